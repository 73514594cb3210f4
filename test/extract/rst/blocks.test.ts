import { describe, expect, it } from "vitest";
import { rstType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { codesOf, proseOf } from "../extract.ts";

const read = await formatOf(rstType);

/** The page below a title. */
const page = (text: string, files: Readonly<Record<string, string>> = {}, path = "docs/guide/page.rst") =>
  extractPage(
    {
      path,
      mediaType: rstType,
      bytes: new TextEncoder().encode(`Gears\n=====\n\nGears turn other gears.\n\n${text}`),
      files: new Map(Object.entries(files).map(([name, content]) => [name, new TextEncoder().encode(content)])),
    },
    read,
  );
const prose = (text: string, files?: Readonly<Record<string, string>>): string =>
  proseOf(page(text, files)).join("\n").replace("Gears turn other gears.", "").trim();
const codes = (text: string, files?: Readonly<Record<string, string>>) =>
  codesOf(page(text, files)).map(({ code, language, file, lines }) => ({
    code,
    language,
    lines,
    ...(file !== undefined && { file }),
  }));

describe("inline markup", () => {
  it.each([
    ["*one* **two** ``a `b` c`` `title`", "*one* **two** `` a `b` c `` title"],
    ['2 * 3 * 4, a*b, (*x*), "*", ``*``', '2 * 3 * 4, a*b, (*x*), "*", `*`'],
    ["re\\ *struct*\\ ured \\*args and ``\\d``", "re*struct*ured *args and `\\d`"],
    [
      ":class:`~gear.Wheel`, :func:`turn`, :meth:`the method <gear.Wheel.turn>`, :py:attr:`!teeth`",
      "`Wheel`, `turn()`, `the method`, `teeth`",
    ],
    [
      ":ref:`The end <end>` of :doc:`/start` and :doc:`it <../other>`",
      "The end of [start](../../start.rst) and [it](../other.rst)",
    ],
    [
      ":pep:`8` and :rfc:`2822`, H\\ :sub:`2`\\ O",
      "[PEP 8](https://peps.python.org/pep-0008/) and [RFC 2822](https://datatracker.ietf.org/doc/html/rfc2822.html), H_2O",
    ],
    [
      "See `the site <https://a.example/x>`_ or https://b.example/y_z.",
      "See [the site](https://a.example/x) or <https://b.example/y_z>.",
    ],
    [
      "See site_ and `the other site`_.\n\n.. _site: https://a.example\n.. _the other site: https://b.example",
      "See [site](https://a.example) and [the other site](https://b.example).",
    ],
    ["An anonymous__ one.\n\n__ https://a.example", "An [anonymous](https://a.example) one."],
    ["It is |name| |unknown|.\n\n.. |name| replace:: *Gear* kit", "It is *Gear* kit unknown."],
    [":kbd:`Ctrl+C` in :menuselection:`File --> Quit`, :samp:`x{name}`", "`Ctrl+C` in File ‣ Quit, `xname`"],
    [":math:`a_1 * b`", "$a_1 * b$"],
    [".. default-role:: any\n\n`~gear.Wheel` and `some text`", "`Wheel` and some text"],
    ["snake_case_ and __init__ stay", "snake_case_ and __init__ stay"],
  ])("%s", (written, shown) => expect(prose(written)).toBe(shown));
});

describe("blocks", () => {
  it.each([
    ["* one\n\n  more\n* two\n\n  - in\n", "- one\n\n  more\n- two\n  - in"],
    ["3. three\n4. four\n\nA. Einstein was\nhere.", "3. three\n4. four\n\nA. Einstein was here."],
    ["#. one\n#. two", "1. one\n2. two"],
    ["term : int\n  What it is.\nother\n  It too.", "- **term – int**: What it is.\n- **other**: It too."],
    [":Author: Ann\n:Date: today", "- **Author**: Ann\n- **Date**: today"],
    ["-v, --verbose  Say more.\n--file=NAME    Read it.", "- `-v, --verbose`: Say more.\n- `--file=NAME`: Read it."],
    ["| one\n| two", "one\ntwo"],
    ["Said:\n\n   To be.\n\n   -- Hamlet", "Said:\n\n> To be.\n>\n> — Hamlet"],
    [".. a comment\n   of two lines\n\nText.", "Text."],
    [".. [1] Nothing refers to it.", "Nothing refers to it."],
    ["Text [1]_.\n\n.. [1] A *note*.", "Text [^1].\n\n[^1]: A *note*."],
    [
      "+---+-----+\n| A | B   |\n+===+=====+\n| 1 | - x |\n|   | - y |\n+---+-----+",
      "| A | B |\n| --- | --- |\n| 1 | x; y |",
    ],
    ["+---+---+\n| a | b |\n|   +---+\n|   | c |\n+---+---+", "|  |  |\n| --- | --- |\n| a | b |\n|  | c |"],
    [
      "=== ====\nA   B\n=== ====\n1   one\n    more\n2   two\n=== ====",
      "| A | B |\n| --- | --- |\n| 1 | one more |\n| 2 | two |",
    ],
    [
      ".. list-table:: Kinds\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2",
      "**Kinds**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ],
    ['.. csv-table::\n   :header: A, B\n\n   1, "two, ""three"""', '| A | B |\n| --- | --- |\n| 1 | two, "three" |'],
  ])("%j", (written, shown) => expect(prose(written)).toBe(shown));
});

describe("directives", () => {
  it.each([
    [".. warning:: Mind\n   the gap.", "**Warning:** Mind the gap."],
    [".. admonition:: Look\n   :class: tip\n\n   Here.", "**Tip: Look** Here."],
    [".. versionadded:: 2.0\n   The option.", "Added in version 2.0: The option."],
    [".. versionchanged:: 2.1 It turns.", "Changed in version 2.1: It turns."],
    [".. deprecated:: 3", "Deprecated since version 3."],
    [".. glossary::\n\n   gear\n   wheel\n      It turns.", "- **gear**, **wheel**: It turns."],
    [".. only:: html\n\n   Shown.\n\n.. only:: latex\n\n   Not shown.", "Shown."],
    [
      ".. raw:: html\n\n   <p>Some <b>bold</b> text</p><script>no()</script>\n\n.. raw:: latex\n\n   no",
      "Some **bold** text",
    ],
    [".. math::\n\n   a = b", "$$\na = b\n$$"],
    [
      ".. figure:: x.png\n   :alt: A gear that turns another gear in it\n\n   The *caption*.",
      "A gear that turns another gear in it\n\nThe *caption*.",
    ],
    [".. rubric:: Notes\n\nText.", "**Notes**\n\nText."],
    [".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. index:: gear\n\nText.", "Text."],
    [".. epigraph::\n\n   To be.\n\n   -- Hamlet", "> To be.\n>\n> — Hamlet"],
    [".. topic:: Aside\n\n   Read it.", "**Aside**\nRead it."],
    [".. unknown:: An argument\n\n   Its content.", "**An argument**\nIts content."],
  ])("%j", (written, shown) => expect(prose(written)).toBe(shown));

  it("describes objects with their signature as code and their fields as parameters", () => {
    const text =
      ".. currentmodule:: gear\n\n.. class:: Wheel(teeth, *, size=1)\n\n   A wheel.\n\n   :param int teeth: How many.\n   :param size: How large.\n   :type size: float\n   :raises ValueError: if none.\n   :returns: it\n   :rtype: Wheel\n\n   .. method:: turn(by)\n\n      Turns it.\n\n.. confval:: gear_size\n   :type: ``int``\n   :default: ``3``\n\n   How large.";
    expect(codes(text).map(({ code, language }) => [code, language])).toEqual([
      ["Wheel(teeth, *, size=1)", "python"],
      ["turn(by)", "python"],
    ]);
    const shown = prose(text);
    for (const part of [
      "gear.Wheel",
      "- **`teeth`** (int): How many.",
      "- **`size`** (float): How large.",
      "- Raises `ValueError`: if none.",
      "- **Returns (Wheel)**: it",
      "gear_size",
      "Type: `int`",
      "Default: `3`",
    ])
      expect(shown).toContain(part);
  });

  it("reads tabs as alternatives", () => {
    const text =
      ".. tabs::\n\n   .. code-tab:: bash pip\n\n      pip install gear\n\n   .. tab:: uv\n\n      .. code-block:: bash\n\n         uv add gear\n";
    const [example, ...others] = page(text).outcome === "indexed" ? codes(text) : [];
    expect([example?.code, ...others.map(({ code }) => code)]).toEqual(["pip install gear", "uv add gear"]);
    const inline = ".. tab:: One\n\n   ::\n\n      one()\n\n.. tab:: Two\n\n   ::\n\n      two()\n";
    expect(codes(inline).map(({ code }) => code)).toEqual(["one()", "two()"]);
  });
});

describe("code", () => {
  it("is byte for byte what the file has, with language, title and lines", () => {
    const text =
      ".. highlight:: ruby\n\nSo::\n\n    a = 1\n      b\n\n.. code-block:: make\n   :caption: Makefile\n   :emphasize-lines: 2\n\n   all:\n   \tmake  \n\n.. code:: python\n\n   x\n\n>>> 1\n1\n\nQuoted::\n\n> one\n> two\n";
    expect(codes(text)).toEqual([
      { code: "a = 1\n  b", language: "ruby", lines: [10, 11] },
      { code: "all:\n\tmake  ", language: "makefile", lines: [17, 18], file: "Makefile" },
      { code: "x", language: "python", lines: [22, 22] },
      { code: ">>> 1\n1", language: "python", lines: [24, 25] },
      { code: "> one\n> two", language: "ruby", lines: [29, 30] },
    ]);
  });

  it("has its caption before it, whole, unless that is the name of a file", () => {
    const caption = "Turning a gear by hand, which takes longer than all the other ways (or not)";
    const text = `.. code-block:: c\n   :caption: ${caption}\n\n   a\n\n.. literalinclude:: b.c\n   :caption: Another\n`;
    expect(prose(text, { "docs/guide/b.c": "b" })).toBe(`**${caption}**\n**Another**`);
  });

  it("keeps the ends of its lines", () => {
    expect(codes("So::\n\n  a\n  b\n".replaceAll("\n", "\r\n"))[0]?.code).toBe("a\r\nb");
  });

  it("reads a parsed literal as the words that it shows", () => {
    expect(codes(".. parsed-literal::\n\n   pip install *name*\\ ==\\ :strong:`1`")[0]?.code).toBe(
      "pip install name==1",
    );
  });
});
