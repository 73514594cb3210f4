import { expect, it } from "vitest";
import { includesOf } from "../../../extract/includes/index.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { codesOf, passagesOf, proseOf } from "../extract.ts";

const raw = (source: string, metadata: object = {}) => ({ cell_type: "raw", metadata, source });
const markdown = (source: string) => ({ cell_type: "markdown", metadata: {}, source });
const code = (source: string) => ({ cell_type: "code", metadata: {}, outputs: [], source });

/** A notebook with these cells and files in its tree. */
async function read(cells: readonly object[], tree: Readonly<Record<string, string>> = {}) {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1),
  );
  const wanted = new Set(includesOf({ path: "docs/a.ipynb", bytes }).flatMap(({ places }) => places));
  const files = new Map(
    Object.entries(tree).flatMap(([name, text]) => (wanted.has(name) ? [[name, new TextEncoder().encode(text)]] : [])),
  );
  const page = { path: "docs/a.ipynb", mediaType: "application/x-ipynb+json", bytes, files };
  return extractPage(page, await formatOf(page.mediaType, page));
}

const prose = async (...args: Parameters<typeof read>) => proseOf(await read(...args)).join("\n---\n");

it("is read as reStructuredText if it has marks of it, with the definitions of all cells and lines of the file", async () => {
  const cells = [
    raw(".. _gears:\n\n.. currentmodule:: acme\n\nTurn gears\n=========="),
    raw("Call :func:`turn` as in `the guide`_ with ``by`` of |it|::\n\n    turn(by=3)"),
    code("turn(1)"),
    raw(".. note::\n\n   See :ref:`gears`."),
    raw(".. |it| replace:: gears\n.. _the guide: https://a.example/guide"),
  ];
  const result = await read(cells);
  expect(proseOf(result)).toEqual([
    "Call `turn()` as in [the guide](https://a.example/guide) with `by` of gears:",
    "**Note:** See Turn gears.",
  ]);
  expect(result).toMatchObject({ outcome: "indexed", title: "Turn gears" });
  expect(codesOf(result).map((one) => one.code)).toEqual(["turn(by=3)", "turn(1)"]);
  const [first, second] = codesOf(result).map(({ lines }) => lines[0]);
  expect(first).toBeGreaterThan(1);
  expect(second).toBeGreaterThan(first ?? 0);
  for (const { lines } of passagesOf(result)) expect(lines[1]).toBeLessThan(60);
});

it.each([
  ["text/restructuredtext", "Use *it* :kbd:`now`.", "Use *it* `now`."],
  ["text/x-rst", "Use **it** ``now``.", "Use **it** `now`."],
  ["text/markdown", "Use [it](b.md) *now*.", "Use [it](b.md) *now*."],
  ["text/html", "<p>Use <b>it</b> now.</p>", "Use **it** now."],
  ["text/latex", "\\section{Use it}", ""],
  ["text/asciidoc", "Use `it` *now*.", ""],
  ["", "Use it *now*, 2 < 3.\n\nOr not.", "Use it *now*, 2 < 3.\n\nOr not."],
  ["", "\\newpage", ""],
])("is read as its type says: %s", async (type, text, shown) => {
  const words = "Gears turn other gears all day.";
  for (const key of ["raw_mimetype", "format"])
    expect(await prose([markdown(`# A\n\n${words}`), raw(text, type === "" ? {} : { [key]: type })])).toBe(
      shown === "" ? words : `${words}\n\n${shown}`,
    );
});

it("is reStructuredText in a tree of Sphinx, with what its directives refer to", async () => {
  const tree = {
    "docs/conf.py": "",
    "docs/oil.rst": "Oil a gear\n==========\n\nWords.\n",
    "acme.py": 'def turn(by):\n    """Turns a *gear* by some teeth."""\n',
  };
  expect(await prose([markdown("# A"), raw("Turn *it* now.")], tree)).toBe("Turn *it* now.");
  expect(await prose([markdown("# A"), raw("First, see :doc:`oil`.")], tree)).toBe("First, see [Oil a gear](oil.rst).");
  const documented = await read([markdown("# A"), raw(".. autofunction:: acme.turn")], tree);
  expect(codesOf(documented)).toMatchObject([{ code: "def turn(by):", sources: [{ path: "acme.py" }] }]);
});

it("stays front matter as the first one", async () => {
  const cells = [raw("---\ndescription: How ``gears`` turn.\n---"), markdown("# A\n\nGears turn other gears all day.")];
  expect(await read(cells)).toMatchObject({ title: "A", description: "How ``gears`` turn." });
  expect(await prose(cells)).toBe("Gears turn other gears all day.");
});
