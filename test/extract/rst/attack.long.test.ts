import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rstType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { runs } from "../../support/endurance.ts";
import { codesOf } from "../extract.ts";

const read = await formatOf(rstType);
const page = (text: string) =>
  extractPage({ path: "docs/page.rst", mediaType: rstType, bytes: new TextEncoder().encode(text) }, read);

/** Parts of a page, whole ones and beginnings without an end. */
const parts = [
  "Title\n=====\n\n",
  "====\nOver\n====\n\n",
  "A paragraph of *text* with ``code``.\n\n",
  "So::\n\n    code(1)\n\n",
  ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n",
  ".. note::\n\n   ",
  ".. tabs::\n\n   .. tab:: A\n\n      ",
  "* one\n* two\n\n",
  "1. one\n",
  "term\n   text\n\n",
  ":field: value\n",
  "-a, --all  All\n",
  ">>> 1\n1\n\n",
  "| a\n| b\n\n",
  "+---+---+\n| a | b |\n+---+---+\n\n",
  "=== ===\na   b\n=== ===\n\n",
  "=== ===\n",
  "+---+",
  ".. list-table::\n\n   * - a\n     - b\n\n",
  '.. csv-table::\n\n   a, "b\n\n',
  ".. _name:\n\n",
  ".. |s| replace:: |s| |s|\n\n",
  "|s| ",
  ".. [#] note\n\n",
  "[#]_ ",
  ".. py:class:: A(b)\n\n   :param int c: d\n\n   ",
  ".. include:: page.rst\n\n",
  ".. raw:: html\n\n   <div><p>\n\n",
  "`a <b>`_ ",
  "`",
  "``",
  "**",
  "*",
  "|",
  ":role:`",
  "__ ",
  "..",
  "::",
  "\\",
  "\t",
  "   ",
  "\n",
  "\u0000",
  "\uFEFF",
  "界",
];

describe("reStructuredText", () => {
  it("of any parts in any order is read", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 60 }), (chosen) => {
        const result = page(chosen.join(""));
        expect(["indexed", "skipped"]).toContain(result.outcome);
        for (const { code } of codesOf(result)) expect(code).not.toBe("");
      }),
      { numRuns: runs({ short: 50, long: 1000 }) },
    );
  });

  it("keeps the code of a page whatever is around it", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts.slice(0, 16)), { maxLength: 20 }), (chosen) => {
        const text = `Start\n#####\n\nText before.\n\n${chosen.join("").trimEnd()}\n\n.. end\n\nEnd\n###\n\nIt is::\n\n   kept(it)\n`;
        expect(codesOf(page(text)).map(({ code }) => code)).toContain("kept(it)");
      }),
      { numRuns: runs({ short: 50, long: 1000 }) },
    );
  });

  it.each([
    ["starts of markup", "** *a `b ``c |d :e:`f "],
    ["ends of references", "a.a.a.a.a.a.a.a.a.a_ "],
    ["nested quotations", Array.from({ length: 60 }, (_, depth) => `${" ".repeat(60 - depth)}a`).join("\n") + "\n"],
    ["substitutions of substitutions", ".. |a| replace:: |a| |a| |a|\n\n|a| |a|\n\n"],
    ["rows of a grid", "+-+-+\n| | |\n"],
    ["columns of a simple table", "== ==\na  b\n"],
    ["definitions", "a\n b\n"],
    ["quotes", '.. csv-table::\n\n   "a,\n'],
    ["footnotes", "[#]_\n\n.. [#] a\n\n"],
  ])("is read in linear time: %s", (_, part) => {
    const cost = (size: number): number => {
      const text = part.repeat(Math.ceil(size / part.length));
      const before = process.threadCpuUsage();
      page(text);
      return process.threadCpuUsage(before).user / 1000;
    };
    cost(20_000);
    expect(cost(400_000)).toBeLessThan(8 * Math.max(cost(100_000), 60));
  });
});
