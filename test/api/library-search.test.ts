import { join } from "node:path";
import * as fc from "fast-check";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../api/app.ts";
import { startServer } from "../../api/server.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { amount } from "../support/endurance.ts";
import { folderOfTest } from "../support/of-test.ts";
import { describeLibraryCases } from "../contracts/library-cases.ts";
import { libraryCatalogue } from "../ranking/library-samples.ts";
import { setup } from "./setup.ts";

/** Maximum CPU time of a search, in microseconds. */
const maxCpu = 2_000_000;

/** Syntax of SQL, FTS5 and addresses, control characters, other scripts, and maximum lengths. */
const nastyTexts: readonly string[] = [
  `" '; DROP TABLE entries; --`,
  "words : (",
  "NEAR(a b)",
  "a AND",
  "* OR",
  "^react owner= {",
  "\u0000",
  "\u0007\u001b[2J",
  "\u202Emoc.elpmaxe",
  "עברית العربية",
  "👩‍👩‍👧‍👦 🇩🇪",
  "\uD800",
  "ﷺ 𝓻𝓮𝓪𝓬𝓽",
  "e\u0301".repeat(90),
  "https://[::1",
  "git@:",
  "pkg:npm/@/",
  "@a/ /// .. %00 @@@@",
  "1.2.3 v @latest",
  "a".repeat(500),
  "👍".repeat(250),
  "a ".repeat(250),
  "a-".repeat(250),
  "/".repeat(500),
  "@".repeat(500),
  "((".repeat(250),
  "react ".repeat(83),
  "js".repeat(250),
  "https://a.b/".repeat(40),
  "=".repeat(500),
  "ſ".repeat(500),
  "İ".repeat(500),
];

describeLibraryCases("HTTP and SQLite", async (entries) => {
  const ask = await serve(entries);
  return async (name, query) => {
    const { results } = (await (await ask(name, query)).json()) as { results: { id: string }[] };
    return results.map(({ id }) => id);
  };
});

it("answers any question in bounded time and without internal errors", async () => {
  const ask = await serve(libraryCatalogue());
  const nasty = fc.constantFrom(...nastyTexts);
  const text = fc.oneof(
    nasty,
    fc.string({ minLength: 1, maxLength: 500, unit: "binary" }),
    fc.string({ maxLength: 40 }),
  );
  const texts = fc
    .array(text, { minLength: 1, maxLength: 4 })
    .map((parts) => Array.from(parts.join(" ")).slice(0, 490).join(""));
  await fc.assert(
    fc.asyncProperty(texts, texts, async (name, query) => {
      const start = process.cpuUsage();
      const answer = await ask(name, query);
      expect([200, 400]).toContain(answer.status);
      await answer.arrayBuffer();
      expect(process.cpuUsage(start).user).toBeLessThan(maxCpu);
    }),
    { numRuns: amount({ short: 50, long: 1000 }) },
  );
});

/** The API on a socket, with these libraries in a SQLite index. */
async function serve(entries: readonly LibraryEntry[]): Promise<(name: string, query: string) => Promise<Response>> {
  const libraries = createSqliteLibraryIndex({ file: join(await folderOfTest(), "libraries.sqlite") });
  for (const entry of entries) await libraries.put(entry);
  const { options } = await setup({ rateLimitAnonymous: 1_000_000 });
  const app = createApp({ ...options, ports: { ...options.ports, libraries, ranker } });
  const server = await startServer(app, { host: "127.0.0.1", port: 0, log: pino({ level: "silent" }) });
  onTestFinished(async () => {
    await server.close();
    libraries.close();
  });
  return (libraryName, query) =>
    fetch(`${server.url}/api/v2/libs/search?${new URLSearchParams({ libraryName, query }).toString()}`);
}
