import { describe, expect, it } from "vitest";
import { mediaTypeOf } from "../../../extract/formats.ts";
import { includesOf } from "../../../extract/includes/index.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { codesOf, passagesOf, proseOf } from "../extract.ts";

const encoder = new TextEncoder();

/** A page with these files in its tree. */
async function read(path: string, text: string, files: Readonly<Record<string, string>>) {
  const mediaType = mediaTypeOf(path);
  const map = new Map(Object.entries(files).map(([name, content]) => [name, encoder.encode(content)]));
  return extractPage({ path, mediaType, bytes: encoder.encode(text), files: map }, await formatOf(mediaType));
}

const head = "Gears\n=====\n\nGears turn other gears all day.\n\n";
const program =
  "import a\n\n\nclass Wheel:\n    def turn(self):\n        # turn\n        return 1\n\n    # end\n\n\ndef main():\n    pass\n";

describe("included files", () => {
  const codes = async (options: string) => {
    const result = await read("docs/page.rst", `${head}.. literalinclude:: ../src/a.py\n${options}`, {
      "src/a.py": program,
    });
    return codesOf(result).map(({ code, language, sources }) => [code, language, sources]);
  };

  it.each([
    ["   :pyobject: Wheel.turn\n", "    def turn(self):\n        # turn\n        return 1", [5, 7]],
    ["   :pyobject: Wheel.turn\n   :dedent:\n", "def turn(self):\n    # turn\n    return 1", [5, 7]],
    ["   :lines: 12-\n   :language: python3\n", "def main():\n    pass", [12, 13]],
    ["   :start-after: # turn\n   :end-before: # end\n   :dedent: 8\n", "return 1", [7, 7]],
  ])("%j", async (options, code, lines) => {
    expect(await codes(options)).toEqual([[code, "python", [{ path: "src/a.py", lines }]]]);
  });

  it("are text of the page, with the lines of their own code", async () => {
    const part = "Part\n----\n\nSee::\n\n   gear(1)\n\n.. include:: more.inc\n";
    const page = `${head}.. include:: parts/part.rst\n   :start-line: 0\n`;
    const result = await read("docs/page.rst", page, {
      "docs/parts/part.rst": part,
      "docs/parts/more.inc": "It turns *more*.\n",
    });
    expect(codesOf(result)[0]).toMatchObject({
      code: "gear(1)",
      lines: [6, 6],
      sources: [{ path: "docs/parts/part.rst", lines: [6, 6] }],
    });
    expect(proseOf(result).join("\n")).toContain("It turns *more*.");
  });

  it("that include each other end", async () => {
    const files = { "docs/a.inc": "Alpha.\n\n.. include:: b.inc\n", "docs/b.inc": "Beta.\n\n.. include:: a.inc\n" };
    const result = await read("docs/page.rst", `${head}.. include:: a.inc\n`, files);
    expect(proseOf(result).join("\n")).toBe("Gears turn other gears all day.\n\nAlpha.\n\nBeta.");
    expect(result.notes).toEqual(["Line 6 includes a.inc, which includes itself."]);
  });

  it("never lead out of the tree, into themselves or to keys", async () => {
    const paths = [
      "../../../etc/passwd",
      "/etc/passwd",
      "page.rst",
      "../.env",
      "id_rsa",
      "https://a.example/x.rst",
      "..\\x.rst",
    ];
    const page = head + paths.map((path) => `.. include:: ${path}\n\n.. literalinclude:: ${path}\n\n`).join("");
    const result = await read("docs/page.rst", page, {
      ".env": "KEY=1",
      "docs/id_rsa": "x",
      "etc/passwd": "in the tree",
      "docs/page.rst": page,
    });
    expect(result.notes?.length).toBeGreaterThan(8);
    expect(JSON.stringify(passagesOf(result))).not.toContain("KEY");
    for (const { places } of includesOf({ path: "docs/page.rst", bytes: encoder.encode(page) }))
      for (const place of places) expect(place).not.toMatch(/\.\.|^\/|\\|:|\.env|id_rsa/);
  });
});

describe("conf.py", () => {
  const conf =
    'project = "Gears"\nversion = "2.1"\nhighlight_language = "ruby"\nextlinks = {\n    "issue": ("https://a.example/issues/%s", "#%s"),\n}\nrst_epilog = """\n.. |kit| replace:: the kit\n"""\nimport os; os.system("no")\n';

  it("has values, links, definitions and the language of code", async () => {
    const text = `${head}Since |version| of |kit|, see :issue:\`12\`::\n\n   gear\n\nGo on to :doc:\`/index\` for more.\n`;
    const result = await read("docs/more/page.rst", text, { "docs/conf.py": conf });
    expect(proseOf(result).join("\n")).toContain("Since 2.1 of the kit, see [#12](https://a.example/issues/12):");
    expect(proseOf(result).join("\n")).toContain("Go on to [index](../index.rst) for more.");
    expect(codesOf(result)[0]).toMatchObject({ code: "gear", language: "ruby" });
  });

  it("makes a text file with its markup reStructuredText", async () => {
    const text = `${head}.. code-block:: python\n\n   gear()\n\nSee :doc:\`start\`.\n`;
    const result = await read("docs/page.txt", text, { "docs/conf.py": conf });
    expect(codesOf(result)).toMatchObject([{ code: "gear()", language: "python" }]);
    expect(proseOf(result).join("\n")).toContain("[start](start.txt)");
    expect(includesOf({ path: "docs/page.txt", bytes: encoder.encode(text) })[0]?.places).toContain("docs/conf.py");
    expect(includesOf({ path: "docs/page.txt", bytes: encoder.encode("Only text.\n") })).toEqual([]);
    expect(proseOf(await read("docs/page.txt", text, {})).join("\n")).toContain(".. code-block");
  });
});

it("reads no HTTP requests, which have the ending .rest too", async () => {
  const requests = "### List gears\n\nGET https://a.example/gears\nAccept: application/json\n";
  expect(await read("docs/gears.rest", requests, {})).toMatchObject({ outcome: "skipped", code: "no_snippets" });
  expect(codesOf(await read("docs/gears.rest", `${head}Ask::\n\n   gear()\n`, {}))).toHaveLength(1);
});

describe("autodoc", () => {
  const files = {
    "src/gear/__init__.py": '"""Gears for *all*."""\nfrom .core import Wheel as Wheel, turn\n',
    "src/gear/core.py":
      'import x\n\ntry:\n    def turn(by: int) -> None:\n        """Turn by some.\n\n        Args:\n            by (int): How far.\n\n        Example::\n\n            turn(1)\n        """\nexcept ImportError:\n    pass\n\n\nclass Wheel:\n    """A wheel."""\n\n    #: How many teeth.\n    teeth = 3\n\n    def __init__(self, teeth):\n        pass\n\n    def spin(self):\n        """Spin it.\n\n        :returns: nothing\n        """\n\n    def _hidden(self):\n        """No."""\n',
  };

  it("shows the docstrings of the repository's sources, with the lines of their code", async () => {
    const text = `${head}.. automodule:: gear\n\n.. autofunction:: turn\n\n.. autoclass:: gear.Wheel\n   :members:\n\n.. autoclass:: Missing\n`;
    const result = await read("docs/api.rst", text, files);
    const codes = codesOf(result).map(({ code, sources }) => [code, sources?.[0]?.lines]);
    expect(codes).toEqual([
      ["def turn(by: int) -> None:", [4, 4]],
      ["turn(1)", [12, 12]],
      ["class Wheel:", [18, 18]],
      ["def __init__(self, teeth):", [24, 24]],
      ["teeth = 3", [22, 22]],
      ["def spin(self):", [27, 27]],
    ]);
    const prose = proseOf(result).join("\n");
    for (const part of [
      "Gears for *all*.",
      "Turn by some.",
      "- **`by`** (int): How far.",
      "A wheel.",
      "How many teeth.",
      "- **Returns**: nothing",
    ])
      expect(prose).toContain(part);
    expect(prose).not.toContain("No.");
  });

  it("shows what a class inherits where the directive asks for it", async () => {
    const sources = {
      "src/gear/__init__.py": '"""Gears."""\nfrom .big import Big\n',
      "src/gear/big.py":
        'from .core import (\n    Wheel,\n)\n\n\nclass Big(Wheel):\n    """A big wheel."""\n\n    def spin(self):\n        """Spin slowly."""\n',
      "src/gear/core.py":
        'class Wheel:\n    def spin(self):\n        """Spin."""\n\n    def stop(self):\n        """Stop it now."""\n',
    };
    const page = (options: string) =>
      read("docs/api.rst", `${head}.. autoclass:: gear.Big\n   :members:\n${options}`, sources);
    expect(codesOf(await page("")).map(({ code }) => code)).toEqual(["class Big(Wheel):", "def spin(self):"]);
    const all = await page("   :inherited-members:\n");
    expect(codesOf(all).map(({ code, sources: of }) => [code, of?.[0]?.path.slice(9)])).toEqual([
      ["class Big(Wheel):", "big.py"],
      ["def spin(self):", "big.py"],
      ["def stop(self):", "core.py"],
    ]);
    const refs = includesOf({ path: "src/gear/big.py", bytes: encoder.encode(sources["src/gear/big.py"]) });
    expect(refs.map(({ places }) => places[0])).toEqual(["src/gear/core.py"]);
  });

  it("ends where a page shows too much, and where classes extend each other", async () => {
    const source = `class A(B, B, B):\n    """A."""\n\n\nclass B(A, A):\n    """B."""\n\n${Array.from({ length: 2000 }, (_, at) => `    def f${at}(self):\n        """Call ${at} of them."""\n`).join("\n")}`;
    const text = `${head}${".. autoclass:: gear.A\n   :members:\n   :inherited-members:\n\n".repeat(500)}`;
    const result = await read("docs/api.rst", text, { "src/gear.py": source });
    expect(codesOf(result).length).toBeGreaterThan(2000);
    expect(codesOf(result).length).toBeLessThan(20_000);
  });

  it("asks for the modules that a name may be in, and those that a package takes names from", () => {
    const places = (path: string, text: string) =>
      includesOf({ path, bytes: encoder.encode(text) }).flatMap((ref) => ref.places);
    expect(places("docs/api.rst", ".. module:: gear\n\n.. autoclass:: Wheel\n")).toContain("src/gear/__init__.py");
    expect(places("src/gear/__init__.py", files["src/gear/__init__.py"])).toEqual([
      "src/gear/core.py",
      "src/gear/core/__init__.py",
    ]);
  });
});

describe("references to pages without a text", () => {
  const tree = {
    "docs/conf.py": "project = 'Gears'\n",
    "docs/turn.rst": ".. _turn:\n\n=================\nTurn a ``gear``\n=================\n\nBy hand.\n",
    "docs/more/oil.md": "---\ntitle: x\n---\n\n# Oil {class}`Gear`\n\nWords.\n",
  };
  it("have the titles of these pages", async () => {
    const page = `${head}See :doc:\`turn\`, :doc:\`/more/oil\`, :doc:\`left <turn>\` and :doc:\`none\`.\n`;
    expect(proseOf(await read("docs/page.rst", page, tree)).join("\n")).toContain(
      "See [Turn a gear](turn.rst), [Oil Gear](more/oil.md), [left](turn.rst) and [none](none.rst).",
    );
    const markdown = "# A\n\nSee {doc}`turn`, {doc}`/more/oil`, {doc}`left <turn>` and {doc}`none` of it.\n";
    expect(proseOf(await read("docs/page.md", markdown, tree))).toEqual([
      "See Turn a gear, Oil Gear, left and none of it.",
    ]);
  });

  it("are links of MyST too", async () => {
    const page = "# A\n\nSee [](more/oil.md), [](/turn), [](./more/oil.md#x) and [](none.md) of it.\n";
    expect(proseOf(await read("docs/page.md", page, tree))).toEqual([
      "See [Oil Gear](more/oil.md), Turn a gear, [Oil Gear](./more/oil.md#x) and [none](none.md) of it.",
    ]);
    expect(proseOf(await read("docs/page.md", page, {}))).toEqual(["See , ,  and  of it."]);
    const refs = includesOf({ path: "docs/page.md", bytes: encoder.encode(page) });
    expect(refs.map(({ places }) => places[0])).toEqual([
      "docs/conf.py",
      "docs/more/oil.md",
      "docs/turn.md",
      "docs/none.md",
    ]);
  });

  it("are looked for by their likely paths, as they are needed alone", () => {
    const refs = (path: string, text: string) =>
      includesOf({ path, bytes: encoder.encode(text) }).filter(({ isLeaf }) => isLeaf === true);
    expect(refs("docs/a.md", "See {doc}`b`, {doc}`../c.md` and {doc}`x <y>`.")).toEqual([
      { places: ["docs/b.md", "docs/b.rst"], isLeaf: true },
      { places: ["c.md", "c.rst"], isLeaf: true },
    ]);
    expect(refs("docs/a.rst", "See :doc:`/b`.")[0]?.places.slice(0, 2)).toEqual(["docs/b.rst", "b.rst"]);
    expect(refs("docs/a.rst", "See :doc:`../../b`.")).toEqual([]);
    const many = Array.from({ length: 80 }, (_, at) => `:doc:\`p${at}\``).join(" ");
    expect(refs("docs/a.rst", many)).toHaveLength(50);
  });

  it("do not make a page many times as long", async () => {
    const long = { "docs/b.rst": `${"long ".repeat(50)}\n${"=".repeat(250)}\n\nText.\n` };
    const result = await read("docs/page.rst", `${head}${"A :doc:`b` of it. ".repeat(5000)}\n`, long);
    expect(proseOf(result).join("").length).toBeLessThan(500_000);
  });
});
