import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseOnThread } from "../../../activities/parse-page.ts";
import { createThreadPool } from "../../../sources/lib/threads/thread-pool.ts";
import { runs } from "../../support/endurance.ts";
import { passagesOf } from "../extract.ts";
import { read } from "./reading.ts";

const pool = createThreadPool({ maxThreads: 1 });
afterAll(() => pool.close());

const length = 100_000;
const fill = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Texts that are slow or large to parse. */
const attacks: Readonly<Record<string, string>> = {
  "references that nothing ends": fill("xref:a["),
  "marks that nothing ends": fill("*a _b `c "),
  "cells by the factor": "|===\n99999999*|a\n|===\n",
  "columns by the factor": '[cols="99999999*"]\n|===\n|a\n|===\n',
  sections: fill("== a\n\n"),
  "underlined sections": fill("ab\n--\n"),
  "sections of Markdown": fill("# a\n"),
  quotes: fill("> > > > a\n"),
  "deep quotes": `${"> ".repeat(20_000)}a\n`,
  "deep blocks": Array.from({ length: 2000 }, (_, depth) => "=".repeat(4 + depth)).join("\n"),
  "deep lists": Array.from({ length: 300 }, (_, depth) => `${"*".repeat(depth + 1)} a`).join("\n"),
  "attributes of attributes": `${Array.from({ length: 30 }, (_, at) => `:a${at + 1}: {a${at}}{a${at}}{a${at}}`).join("\n")}\n\n${fill("{a30}")}`,
  "a long attribute": `:a: ${"x".repeat(4000)}\n\n${fill("{a} ")}`,
  callouts: `----\n${fill("<1>")}\n----\n`,
  "conditions that nothing ends": fill("ifdef::asciidoctor[]\n"),
};

describe("a hostile page", () => {
  it.each(Object.entries(attacks))(
    "ends within its budget, and the next page is read: %s",
    async (_title, text) => {
      const page = (source: string) =>
        ({
          path: "docs/a.adoc",
          mediaType: "text/asciidoc",
          url: "https://git.example.com/a/b",
          spec: { kind: "folder", path: "/docs", selection: { folders: [], excludeFolders: null, excludeFiles: null } },
          revision: "abc",
          bytes: new TextEncoder().encode(source),
        }) as const;
      const refused = await parseOnThread(pool, page(text), undefined, 500).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused !== undefined) expect(refused).toMatchObject({ code: "page_too_costly" });
      const next = await parseOnThread(pool, page("= A\n\nThis page has a paragraph that is served in any case.\n"));
      expect(next.outcome).toBe("indexed");
    },
    60_000,
  );
});

it("is read whatever lines of it are missing, doubled or replaced", async () => {
  const lines = readFileSync(join(import.meta.dirname, "rich.adoc"), "utf8").split("\n");
  const change = fc.tuple(
    fc.nat(lines.length - 1),
    fc.constantFrom("", "----", "====", "|===", "+", "* a", "include::rich.adoc[]", "ifdef::a[]"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const changed = [...lines];
      for (const [at, line] of changes) changed.splice(at, line === "" ? 1 : 0, ...(line === "" ? [] : [line]));
      const result = await read(changed.join("\n"));
      expect(result).not.toMatchObject({ code: "too_large" });
      for (const { lines: at } of passagesOf(result)) {
        expect(at[0]).toBeGreaterThanOrEqual(1);
        expect(at[1]).toBeGreaterThanOrEqual(at[0]);
        expect(at[1]).toBeLessThanOrEqual(changed.length);
      }
    }),
    { numRuns: runs({ short: 40, long: 300 }) },
  );
}, 300_000);
