import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { adminKey, temporaryFolder } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";
import { printTable } from "../measure.ts";
import { makeLockfiles } from "./lockfiles.ts";
import { startServer } from "./server.ts";

/**
 * A package has documentation worth serving if its documents, or the declarations of its API, make at least this many snippets: more than
 * the line that installs it and a paragraph.
 */
const least = { documents: 3, api: 10 };

const rowShape = z.object({ libraryId: z.string(), version: z.string(), state: z.string(), message: z.string() });
type Row = z.infer<typeof rowShape>;
const pagesShape = z.object({
  pages: z.array(z.object({ path: z.string(), snippets: z.number().optional() })),
  next: z.string().nullable(),
});

/** The outcome of a dependency. */
interface Dependency {
  readonly library: string;
  readonly outcome: "served" | "thin" | "failed";
  readonly why: string;
}

/** Prints how many direct dependencies of lockfiles `lectern add --lockfile` indexes, and how many have documentation worth serving. */
export async function printDependencies(given: readonly string[]): Promise<void> {
  await using folder = await temporaryFolder();
  const files = given.length > 0 ? given.map((path) => [path, path] as const) : await makeLockfiles(folder.path);
  const server = await startServer(join(folder.path, "data"));
  const rows: string[][] = [];
  const others: string[] = [];
  try {
    for (const [name, file] of files) {
      const start = performance.now();
      const added = await addLockfile(server, file);
      const seconds = (performance.now() - start) / 1000;
      const all: Dependency[] = [];
      for (const one of added) all.push(await look(server, one));
      const count = (outcome: Dependency["outcome"]): number => all.filter((one) => one.outcome === outcome).length;
      const indexed = all.length - count("failed");
      rows.push([name, String(all.length), String(indexed), String(count("served")), seconds.toFixed(0)]);
      others.push(...all.flatMap(({ library, outcome, why }) => (outcome === "served" ? [] : [`${library}: ${why}`])));
    }
  } finally {
    await server.kill("SIGTERM");
  }
  printTable(["lockfile", "direct dependencies", "indexed", "with documentation worth serving", "seconds"], rows);
  console.log(`\n${others.toSorted().join("\n")}`);
}

/** Runs `lectern add --lockfile`. */
async function addLockfile(server: LecternProcess, file: string): Promise<readonly Row[]> {
  const program = join(import.meta.dirname, "..", "..", "..", "cli", "lectern.mjs");
  const child = spawn(process.execPath, [program, "add", "--lockfile", file, "--json"], {
    env: { ...process.env, PUBLIC_URL: server.url, LECTERN_ADMIN_KEY: adminKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = (await text(child.stdout)).split("\n").filter((line) => line !== "");
  return lines.map((line) => rowShape.parse(JSON.parse(line)));
}

async function look(server: LecternProcess, { libraryId, version, state, message }: Row): Promise<Dependency> {
  const library = `${libraryId}@${version}`;
  if (state === "failed") return { library, outcome: "failed", why: message };
  const { body } = await server.call("GET", `/v2/libs/status?libraryId=${encodeURIComponent(libraryId)}`);
  const isDefault = (body as { live: { ref: string } | null }).live?.ref === version;
  const { documents, api } = await snippetsOf(server, isDefault ? libraryId : library);
  if (documents >= least.documents || api >= least.api) return { library, outcome: "served", why: "" };
  return { library, outcome: "thin", why: `${documents} snippets of documents, ${api} of its API` };
}

/** The number of snippets of a version's documents, and of the declarations of its API. */
async function snippetsOf(server: LecternProcess, library: string): Promise<{ documents: number; api: number }> {
  const found = { documents: 0, api: 0 };
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = new URLSearchParams({ libraryId: library, ...(cursor !== "" && { cursor }) }).toString();
    const { status, body } = await server.call("GET", `/v2/libs/status/pages?${query}`);
    if (status !== 200) throw new Error(`The pages of ${library} were answered ${status}: ${JSON.stringify(body)}`);
    const { pages, next } = pagesShape.parse(body);
    for (const { path, snippets = 0 } of pages)
      found[/\.(?:md|mdx|markdown|txt|rst)$/i.test(path) ? "documents" : "api"] += snippets;
    cursor = next;
  }
  return found;
}
