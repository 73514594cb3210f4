import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openShell, type Shell } from "../support/documented-commands.ts";
import { startDocumentedWorld, type DocumentedWorld } from "../support/documented-world.ts";
import { blocksOfDocuments } from "../support/documents.ts";
import { adminKey } from "../support/lectern-process.ts";

/** Really runs what test/documents.test.ts only parses: `lectern` and the published clients in documents, and code. */
const root = join(import.meta.dirname, "..", "..");
const { execPath: node } = process;
const program = join(root, "cli", "lectern.mjs");

/** `serve` does nothing, as a server runs already; commands on a data folder get one of their own. */
const lectern = `case "$1" in serve) exit 0;; import|reindex) export DATA_DIR=./taken-in;; esac
exec "${node}" "${program}" "$@"
`;
const npx = `name=$1; shift
case "$name" in ctx7) exec "${node}" "${join(root, "node_modules/ctx7/dist/index.js")}" "$@";; esac
${lectern}`;

const withCommands = blocksOfDocuments()
  .filter(([document]) => !/internals|^CHANGELOG/.test(document))
  .filter(([, all]) => all.some(({ language, text }) => language === "sh" && /\blectern [a-z]|\bctx7\b/.test(text)));

let world: DocumentedWorld;
let shell: Shell;
beforeAll(async () => {
  world = await startDocumentedWorld();
  shell = await openShell(world.folder, { lectern, npx });
});
afterAll(() => world.close());

it.each(withCommands)("the commands of %s work", async (document, all) => {
  await world.prepare(document);
  const problems: string[] = [];
  for (const block of all.filter(({ language }) => language === "sh")) {
    const result = await world.run(shell, block);
    problems.push(...result.problems.map((problem) => `${document}:${block.line}: ${problem}`));
  }
  expect(problems).toEqual([]);
  await world.empty();
});

it("the code of docs/guides/connect-agents.md works", async () => {
  await world.prepare("docs/guides/connect-agents.md");
  const [, blocks = []] = withCommands.find(([document]) => document === "docs/guides/connect-agents.md") ?? [];
  const code = blocks.find(({ language }) => language === "js")?.text ?? "";
  const script = code.replaceAll("http://127.0.0.1:8080", world.server.url);
  const { stdout } = await promisify(execFile)(node, ["--input-type=module", "--eval", script], {
    cwd: root,
    env: { ...process.env, LECTERN_API_KEY: adminKey },
  });
  expect(stdout).toContain("proxy(1);");
});
