import { describe, expect, it } from "vitest";
import { includesOf } from "../../extract/includes/index.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { codesOf, passagesOf, proseIn, proseOf } from "./extract.ts";
import { endurance } from "../support/endurance.ts";

const encoder = new TextEncoder();

/** A page of MyST with the files of its tree that it refers to. */
async function read(text: string, tree: Readonly<Record<string, string>>) {
  const bytes = encoder.encode(text);
  const wanted = new Set(includesOf({ path: "docs/a.md", bytes }).flatMap(({ places }) => places));
  const files = new Map(
    Object.entries(tree).flatMap(([name, content]) => (wanted.has(name) ? [[name, encoder.encode(content)]] : [])),
  );
  const page = { path: "docs/a.md", mediaType: "text/markdown", bytes, files };
  return extractPage(page, await formatOf(page.mediaType, page));
}

const source = `class Gear:
    """A wheel with teeth, which turns others.

    :param teeth: How many it has.
    """

    def turn(self, times):
        """Turns it by some teeth."""


def oil():
    """Makes it run well."""
`;

describe("in MyST", () => {
  it("tables of comma-separated values are tables, on the page or in a file", async () => {
    const own =
      '# A\n\n```{csv-table} Some parts\n:header: "Name", "Teeth"\n\n`gear`, 12\n"rack, long", none\n```\n\nMore.\n';
    expect(proseIn(own)).toBe(
      "**Some parts**\n\n| Name | Teeth |\n| --- | --- |\n| gear | 12 |\n| rack, long | none |\n\nMore.",
    );
    const file =
      "# A\n\nWords of the page, which are enough to be served.\n\n:::{csv-table}\n---\nfile: parts.csv\nheader-rows: 1\n---\n:::\n";
    const result = await read(file, { "docs/parts.csv": "Name,Teeth\ngear,12\n" });
    expect(proseOf(result).join("\n")).toContain("| Name | Teeth |\n| --- | --- |\n| gear | 12 |");
    expect((await read(file, {})).notes).toEqual([expect.stringContaining("parts.csv")]);
  });

  it.each([
    ["```{autoclass} gears.Gear\n:members:\n```", ["Gear", "turn"]],
    ["```{py:module} gears\n```\n\n::::{note}\n:::{autofunction} oil\n:::\n::::", ["oil"]],
    ["```{eval-rst}\n.. automodule:: gears\n   :members:\n```", ["gears", "Gear", "turn", "oil"]],
    ["```{autosummary}\n:toctree: generated\n\ngears.oil\n```", ["oil"]],
  ])("what is documented in sources is read from them: %s", async (directive, names) => {
    const result = await read(`# A\n\nWords of the page.\n\n${directive}\n`, { "src/gears.py": source });
    const text = JSON.stringify(passagesOf(result));
    for (const name of names) expect(text).toContain(name);
    expect(text).toMatch(/Makes it run well|Turns it by some teeth/);
    const sources = codesOf(result).flatMap((code) => code.sources ?? []);
    expect(sources.map(({ path }) => path)).toEqual(sources.map(() => "src/gears.py"));
  });

  it.each([
    ["```{eval-rst}\n.. automodule:: gears\n   :members:\n```\n", ["A wheel with teeth", "Turns it", "Makes it run"]],
    ["```{autoconfigurable} gears.Gear\n:members:\n```\n", ["A wheel with teeth", "Turns it"]],
    ["```{eval-rst}\n.. autoconfigurable:: gears.Gear\n```\n", ["A wheel with teeth"]],
    ["```{py:module} gears\n```\n\n```{autofunction} oil\n```\n", ["Makes it run"]],
  ])("a page of nothing else is read if that gave it a text: %s", async (directives, texts) => {
    const page = `# API\n\n${directives}`;
    const prose = proseOf(await read(page, { "src/gears.py": source })).join("\n");
    for (const text of texts) expect(prose).toContain(text);
    expect(await read(page, { "docs/conf.py": "" })).toMatchObject({ outcome: "skipped" });
  });

  it("a directive of an unknown kind of object has its content, where nothing is declared", async () => {
    const page = "# A\n\n```{eval-rst}\n.. autothing:: wheels of all\n\n   They turn each other.\n```\n";
    expect(proseOf(await read(page, { "src/gears.py": source })).join("\n")).toContain("They turn each other.");
  });

  it("what is not in the tree leaves nothing", async () => {
    expect(
      proseOf(
        await read("# A\n\nWords of the page, which are enough to be served.\n\n```{autoclass} gears.Gear\n```\n", {}),
      ),
    ).toEqual(["Words of the page, which are enough to be served."]);
  });

  it.runIf(endurance)("takes time in proportion, whatever is left open", () => {
    const seconds = (times: number): number => {
      const started = process.threadCpuUsage().user;
      proseIn(`# A\n\nWords.\n\n${"```{csv-table} a\n:header: b\n\n`c, :ref:`d\n```\n\n".repeat(times)}`);
      return (process.threadCpuUsage().user - started) / 1e6;
    };
    seconds(200);
    // Four times the text; quadratic time would be 16 times as much.
    expect(seconds(4000) / seconds(1000)).toBeLessThan(10);
  });
});
