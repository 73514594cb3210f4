import { cpuSeconds } from "../../support/cpu-time.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { includesOf } from "../../../extract/includes/index.ts";
import { codesOf, examplesOf, extract, passagesOf, proseOf, withFiles } from "../extract.ts";
import { endurance } from "../../support/endurance.ts";

const stream = (text: string | string[], name = "stdout") => ({ output_type: "stream", name, text });
const result = (data: object) => ({ output_type: "execute_result", data, execution_count: 1, metadata: {} });
const markdown = (...source: string[]) => ({ cell_type: "markdown", metadata: {}, source });
const code = (source: string | string[], outputs: object[] = [], metadata: object = {}) => ({
  cell_type: "code",
  execution_count: 1,
  metadata,
  outputs,
  source,
});
const kernel = { kernelspec: { name: "python3", language: "python" }, language_info: { name: "python" } };
const notebook = (cells: readonly object[], metadata: object = kernel) =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1);
const picture = `data:image/png;base64,${"iVBORw0KGgo".repeat(500)}`;

const page = notebook([
  { cell_type: "raw", metadata: {}, source: "---\ntitle: Gears\ndescription: How gears turn.\n---" },
  markdown(
    "# Gears and wheels\n",
    "\n",
    `A gear has *teeth*, see ![a wheel](attachment:wheel.png) or ![](${picture}).\n`,
  ),
  markdown("Install it:\n", "\n", "```bash\n", "pip install gears\n", "```\n", "\n", "<div>\n", "\n", "not closed"),
  code(
    ["%matplotlib inline\n", "import gears\n", "\n", 'gears.turn("left", 3)'],
    [
      stream(["turned\n"]),
      stream("a warning\n", "stderr"),
      stream("thrice\n"),
      result({ "text/plain": ["<Gear at 0x7f3a>"], "image/png": "iVBORw0KGgo".repeat(500) }),
    ],
  ),
  markdown("## Shell\n", "\n", ":::{note}\n", "It runs in a shell.\n", ":::\n"),
  code("%%bash\necho $HOME\n", [stream("\u001b[31mred\u001b[0m\n")]),
  code("%%writefile wheel.toml\nteeth = 3\n"),
  code("hidden = True", [], { tags: ["remove-input"] }),
  code("SELECT 1", [], { vscode: { languageId: "sql" } }),
]);

it("is read as its Markdown and code in order, with the kernel's language, magics, short outputs and lines of the file", () => {
  const read = extract("docs/gears.ipynb", page);
  const lines = page.split("\n");
  const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;
  expect(read).toMatchObject({ outcome: "indexed", title: "Gears and wheels", description: "How gears turn." });
  expect(proseOf(read).join("\n")).not.toMatch(/base64|iVBOR|wheel\.png/);
  expect(proseOf(read).join("\n\n")).toMatchInlineSnapshot(`
    "A gear has *teeth*, see a wheel or .

    Install it:

    not closed

    #### Shell

    **Note:** It runs in a shell."
  `);
  expect(
    codesOf(read).map(({ language, code: text, label = "", file = "" }) => [language, text, label + file]),
  ).toEqual([
    ["bash", "pip install gears", ""],
    ["python", '%matplotlib inline\nimport gears\n\ngears.turn("left", 3)', ""],
    ["text", "turned\nthrice", "Output"],
    ["bash", "%%bash\necho $HOME\n", ""],
    ["toml", "%%writefile wheel.toml\nteeth = 3\n", "wheel.toml"],
    ["sql", "SELECT 1", ""],
  ]);
  expect(codesOf(read).map((one) => one.lines)).toEqual([
    [lineOf("```bash"), lineOf('"```\\n"')],
    [lineOf("%matplotlib"), lineOf("gears.turn")],
    [lineOf("%matplotlib"), lineOf("gears.turn")],
    ...["%%bash", "%%writefile", "SELECT"].map((text) => [lineOf(text), lineOf(text)]),
  ]);
  expect(examplesOf(read).map(({ codes }) => codes.length)).toEqual([1, 2, 1, 1, 1]);
});

it.each([
  [{ kernelspec: { name: "ir" } }, "r"],
  [{ kernelspec: { name: "julia-1.9" } }, "julia"],
  [{ language_info: { name: "C++17" } }, "cpp"],
  [{ kernelspec: { language: "C#" } }, "csharp"],
  [{}, "python"],
])("has the language of its kernel: %j", (metadata, language) => {
  const read = extract("a.ipynb", notebook([markdown("# A\n"), code("some(code)")], metadata));
  expect(codesOf(read).map((one) => one.language)).toEqual([language]);
});

it.each([
  ["stderr only", [stream("oops\n", "stderr")]],
  ["a traceback", [{ output_type: "error", ename: "E", evalue: "no", traceback: ["Traceback"] }]],
  ["a widget", [result({ "text/plain": "HBox(children=(IntProgress(value=0), HTML(value='')))" })]],
  ["a progress bar", [stream("\r 10%\r 20%\r100%\n")]],
  ["more than is read", [stream("line\n".repeat(40))]],
  ["a picture alone", [{ output_type: "display_data", data: { "image/png": "iVBOR" }, metadata: {} }]],
])("leaves out an output that is %s", (_, outputs) => {
  const read = extract("a.ipynb", notebook([markdown("# A\n"), code("turn(3)", outputs)]));
  expect(codesOf(read).map((one) => one.code)).toEqual(["turn(3)"]);
});

it.each([
  ["nothing", ""],
  ["no cells", "{}"],
  ["cells of another type", '{"cells": {}}'],
  ["too deep values", "[".repeat(100_000)],
  ["a broken cell", '{"cells": [{"cell_type": "mark'],
  ["no JSON", "not JSON at all"],
])("is skipped if it has %s", (_, text) => {
  expect(extract("a.ipynb", text).outcome).toBe("skipped");
});

it("loses nothing before the place where its JSON is broken", () => {
  const cut = page.slice(0, page.indexOf("## Shell"));
  expect(codesOf(extract("a.ipynb", cut)).map((one) => one.code)).toContain("pip install gears");
});

it("reads any text in any cells byte for byte, at lines within the file", () => {
  const text = fc.stringMatching(/^[ -~\n\t]{1,80}$/);
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 2 }), (codes, indent) => {
      const cells = codes.map((one) => code(one.match(/[^\n]*\n|[^\n]+$/g) ?? []));
      const file = JSON.stringify(
        { cells: [markdown("# Title\n\nSome words of text."), ...cells], metadata: kernel },
        null,
        indent,
      );
      const read = extract("a.ipynb", file);
      expect(codesOf(read).map((one) => one.code)).toEqual(codes.filter((one) => one.trim() !== ""));
      for (const { lines } of passagesOf(read)) {
        expect(lines[0]).toBeGreaterThan(0);
        expect(lines[1]).toBeLessThanOrEqual(file.split("\n").length);
        expect(lines[0]).toBeLessThanOrEqual(lines[1]);
      }
    }),
    { numRuns: 100 },
  );
});

it("has an outcome, with lines within the file, wherever it was tampered with", () => {
  const edit = fc.record({
    at: fc.nat(page.length),
    length: fc.nat(200),
    put: fc.constantFrom("", '"', "{", "}", "[", "]", ",", ":", "\\", "\n", '"source": "', '"cells": [{', "0"),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const text = edits.reduce((all, { at, length, put }) => all.slice(0, at) + put + all.slice(at + length), page);
      const read = extract("a.ipynb", text);
      for (const { lines } of passagesOf(read)) {
        expect(lines[0]).toBeGreaterThan(0);
        expect(lines[1]).toBeLessThanOrEqual(text.split("\n").length);
      }
    }),
    { numRuns: 200 },
  );
});

it.runIf(endurance)("is read in linear time, however deep or broken", () => {
  const cells = Array.from({ length: 20_000 }, () => markdown("# A\n", "\n", "Some words of it."));
  const seconds = cpuSeconds(() => {
    for (const part of ["[", '{"a":', '"', "\\", '\\"', '{"cells":[{"source":["a', ",", '"cells": {'])
      extract("a.ipynb", part.repeat(300_000));
    extract("a.ipynb", notebook(cells));
  });
  expect(seconds).toBeLessThan(15);
});

it("is read from the copy in Markdown that Jupytext keeps beside it, where there is one", () => {
  const paired = notebook([markdown("# Gears\n\nA gear has teeth, and turns others by them.")], {
    jupytext: { formats: "ipynb,md:myst,py:percent" },
    ...kernel,
  });
  const bytes = new TextEncoder().encode(paired);
  expect(includesOf({ path: "docs/a.ipynb", bytes })).toEqual([{ places: ["docs/a.md"] }]);
  expect(withFiles("docs/a.ipynb", paired, { "docs/a.md": "# Gears\n" })).toEqual({
    outcome: "skipped",
    code: "not_documentation",
    reason: "The notebook is read from its copy docs/a.md.",
  });
  for (const files of [{}, { "docs/b.md": "# B" }])
    expect(withFiles("docs/a.ipynb", paired, files).outcome).toBe("indexed");
  expect(withFiles("docs/a.ipynb", page, { "docs/a.md": "# Gears\n" }).outcome).toBe("indexed");
});
