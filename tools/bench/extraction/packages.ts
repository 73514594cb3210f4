import { execFile } from "node:child_process";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { size } from "../size.ts";
import { collectLibrary } from "./collect.ts";
import type { CollectedLibrary } from "./collect.ts";

/** Packages that ship their documentation as Markdown or MDX. The small form has one that is installed, which npm packs without a network. */
export const packages: readonly string[] = size({
  full: [
    "ai",
    "commander",
    "eslint-plugin-import",
    "eslint-plugin-jest",
    "eslint-plugin-testing-library",
    "fastify",
    "@mastra/core",
    "mathjs",
    "node-gyp",
    "npm",
    "pino",
    "undici",
    "workflow",
  ],
  small: [join(import.meta.dirname, "..", "..", "..", "node_modules", "pino")],
});

const run = promisify(execFile);

/** Everything is documentation in a package but what always comes with one; so is `dist`, which repositories build. */
const chosen = {
  extensions: [".md", ".mdx"],
  selection: {
    folders: [],
    excludeFolders: ["node_modules"],
    excludeFiles: ["license", "changelog", "code_of_conduct"].flatMap((name) =>
      [name, name.toUpperCase()].map((one) => `${one}.md`),
    ),
  },
};

/** Fetches a package with `npm pack` and indexes its Markdown. */
export async function collectPackage(name: string, scratch: string): Promise<CollectedLibrary> {
  const target = join(scratch, name.replace(/\W+/g, "-"));
  await mkdir(target, { recursive: true });
  const { stdout } = await run("npm", ["pack", name, "--silent", "--ignore-scripts", "--pack-destination", target]);
  const archive = stdout.trim().split("\n").at(-1) ?? "";
  await run("tar", ["-xzf", join(target, archive), "-C", target]);
  return collectLibrary(name, await realpath(join(target, "package")), chosen);
}
