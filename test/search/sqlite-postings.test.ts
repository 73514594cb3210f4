import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toPostings, createPostingMerger, type Segment } from "../../search/sqlite/building-postings.ts";
import { bestRows } from "../../search/sqlite/best-rows.ts";
import { occurrencesIn, readRows } from "../../search/sqlite/postings.ts";

type Row = readonly string[];

const term = fc.constantFrom("a", "b", "c", "d", "usestate", "é", "数据", "c++", "node.js", "x".repeat(64));
const field = fc.array(term, { maxLength: 12 }).map((terms) => terms.join(" "));
const longField = fc.array(term, { minLength: 130, maxLength: 300 }).map((terms) => terms.join(" "));
const facets = fc.constantFrom("kind=code", "kind=info", "kind=code language=74");
const row = fc
  .tuple(field, field, field, fc.oneof(field, longField), field, facets)
  .map(([title, breadcrumb, path, prose, code, facet]): Row => {
    const identifiers = [...new Set(`${prose} ${code}`.split(" "))].slice(0, 3).join(" ");
    return [title, breadcrumb, path, prose, code, identifiers, facet];
  });
const someTerms = fc.uniqueArray(term, { maxLength: 5 });

it("returns the rows that bm25 of FTS5 puts first, whatever their batches and segments", () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      someTerms,
      fc.constantFrom([], ["kind=code"], ["kind=code", "language=74"]),
      fc.integer({ min: 1, max: 80 }),
      fc.constantFrom(1, 7, 100),
      fc.constantFrom(1, 40, 1_000_000),
      (rows, wanted, having, limit, batchRows, segmentSize) => {
        const best = bestRows(postingsOf(rows, batchRows, segmentSize), wanted, having, limit);
        expect([...best].toSorted(compare)).toEqual(fts5(rows, wanted, having, limit).toSorted(compare));
      },
    ),
    { numRuns: 300 },
  );
});

it("finds the fields of rows in which a term occurs, and how often", () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 40 }),
      term,
      fc.uniqueArray(fc.integer({ min: 1, max: 45 })),
      fc.constantFrom(1, 40, 1_000_000),
      (rows, one, some, segmentSize) => {
        const sorted = some.toSorted(compare);
        const ofTerm = postingsOf(rows, 7, segmentSize).terms.get(one) ?? readRows([]);
        const expected = sorted.flatMap((number, candidate) =>
          (rows[number - 1] ?? []).slice(0, -1).flatMap((text, at) => {
            const count = text.split(" ").filter((name) => name === one).length;
            return count === 0 ? [] : [candidate, at, count];
          }),
        );
        expect(occurrencesIn(ofTerm, sorted)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

it("finds a term in thousands of rows of many segments, and nothing for a term without rows", () => {
  const rows = Array.from({ length: 3000 }, (_, at): Row => ["", "", "", `word${at % 7} all`, "", "", "kind=info"]);
  const postings = postingsOf(rows, 20, 100);
  expect(bestRows(postings, ["all"], [], 5000)).toHaveLength(3000);
  expect(bestRows(postings, ["word3"], ["kind=info"], 5000)).toHaveLength(429);
  expect(bestRows(postings, ["nowhere"], [], 10)).toEqual([]);
});

it("reads a damaged list to its end", () => {
  const list = fc.uint8Array({ maxLength: 40 });
  fc.assert(
    fc.property(list, list, (first, second) => {
      const postings = {
        lengths: Uint32Array.of(3, 4),
        average: 3.5,
        terms: new Map([
          ["a", readRows([first])],
          ["b", readRows([second, first])],
        ]),
      };
      expect(bestRows(postings, ["a", "b"], [], 10).length).toBeLessThanOrEqual(10);
    }),
  );
});

function compare(a: number, b: number): number {
  return a - b;
}

function postingsOf(rows: readonly Row[], batchRows: number, segmentSize: number) {
  const segments: { lengths: Uint32Array; lists: Map<string, Uint8Array> }[] = [];
  const take = ({ lengths, lists }: Segment): void => {
    segments.push({ lengths, lists: new Map(Array.from(lists, ([name, , list]) => [name, list])) });
  };
  const merger = createPostingMerger(take, segmentSize);
  for (let first = 0; first < rows.length; first += batchRows) {
    const batch = rows.slice(first, first + batchRows);
    merger.add(toPostings(batch.map((texts) => texts.map((text) => text.split(" ").filter((name) => name !== "")))));
  }
  merger.finish();
  const names = new Set(segments.flatMap(({ lists }) => [...lists.keys()]));
  const lengths = Uint32Array.from(segments.flatMap((segment) => [...segment.lengths]));
  return {
    lengths,
    average: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    terms: new Map(
      Array.from(names, (name) => [name, readRows(segments.flatMap(({ lists }) => lists.get(name) ?? []))]),
    ),
  };
}

function fts5(rows: readonly Row[], terms: readonly string[], having: readonly string[], limit: number): number[] {
  if (terms.length === 0) return [];
  using db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE VIRTUAL TABLE t USING fts5(a, b, c, d, e, facets, content='', tokenize="ascii tokenchars '+#._-='");
    INSERT INTO t(t, rank) VALUES ('rank', 'bm25(4.5, 1.5, 1, 1, 1, 0)');
  `);
  const insert = db.prepare("INSERT INTO t(rowid, a, b, c, d, e, facets) VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const [at, texts] of rows.entries()) insert.run(at + 1, ...texts.toSpliced(5, 1));
  const any = terms.map((text) => `"${text}"`).join(" OR ");
  const all = [`{a b c d e} : (${any})`, ...having.map((facet) => `facets : "${facet}"`)].join(" AND ");
  const find = db.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank, rowid LIMIT ?");
  return find.all(all, limit).map(({ rowid }) => Number(rowid));
}
