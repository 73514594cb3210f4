import { describe, expect, it } from "vitest";
import { codesOf, extract, proseOf } from "./extract.ts";

const words = "These are words enough to be served as prose by themselves.";
const fence = (code: string, info = "bash"): string => `\`\`\`${info}\n${code}\n\`\`\``;
const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));

/** The code of a page, and its prose on lines. */
function read(page: string, path = "a.md") {
  const result = extract(path, page);
  return { codes: codesOf(result).map(({ code }) => code), prose: proseOf(result).join("\n") };
}

describe("a line that is the tag of a component", () => {
  it.each([
    ["one of a group", `<CodeGroup>\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</CodeGroup>`],
    ["one of a tab", `<Tab title="npm">\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</Tab>`],
    ["one that is named like an element", `<Frame>\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</Frame>`],
    ["one that is not closed", `<Snippet />\n${fence("export KEY=<your_key>\n\nrun <name>")}`],
    ["two on a line", `<Tabs><Tab title="npm">\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</Tab></Tabs>`],
    [
      "attributes on lines of their own",
      `<Tab\n  title="npm"\n  icon={<Icon a="b" />}\n>\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</Tab>`,
    ],
    [
      "nested ones with indentation",
      `<Tabs>\n  <Tab title="npm">\n${indented(fence("export KEY=<your_key>\n\nrun <name>"), 4)}\n  </Tab>\n</Tabs>`,
    ],
    [
      "nested ones with blank lines",
      `<Tabs>\n  <Tab title="npm">\n\n${indented(fence("export KEY=<your_key>\n\nrun <name>"), 8)}\n\n  </Tab>\n</Tabs>`,
    ],
    [
      "one in the item of a list",
      `1. Do it:\n\n   <Tabs>\n     <Tab title="npm">\n${indented(fence("export KEY=<your_key>\n\nrun <name>"), 7)}\n     </Tab>\n   </Tabs>`,
    ],
    ["an element of its own", `<code-group>\n${fence("export KEY=<your_key>\n\nrun <name>")}\n</code-group>`],
  ])("leaves the fence below it alone: %s", (_, block) => {
    for (const path of ["a.md", "a.mdx"]) {
      const { codes, prose } = read(`# A\n\n${words}\n\n${block}\n\nThen go on with all the rest of it.\n`, path);
      expect(codes).toEqual(["export KEY=<your_key>\n\nrun <name>"]);
      expect(prose).toContain("Then go on with all the rest of it.");
      expect(prose).not.toMatch(/`|[<>]|run/);
    }
  });

  it("keeps indented text as text, and code after it as code", () => {
    const page = `# A\n\n<Steps>\n    <Step title="One">\n        ${words}\n\n        Second, with \`a\`.\n    </Step>\n</Steps>\n\nThen:\n\n    code(1);\n    code(2);\n`;
    expect(read(page)).toEqual({
      codes: ["code(1);\ncode(2);"],
      prose: `#### One\n\n${words}\n\nSecond, with \`a\`.\n\n#### A\n\nThen:`,
    });
  });

  it("is none in code, and nothing where it is not closed", () => {
    const page = `# A\n\n${words}\n\n    <Tabs>\n    ${"```"}\n    </Tabs>\n\n<Placeholder>\n\n    code(1);\n`;
    expect(read(page).codes).toEqual(["<Tabs>\n```\n</Tabs>", "code(1);"]);
  });

  it("leaves a fence alone that holds a component with one", () => {
    const inner = indented(`<Tab>\n${indented(fence("a"), 2)}\n</Tab>`, 2);
    const page = `# A\n\n${words}\n\n${fence(`<Tabs>\n${inner}\n</Tabs>`, "mdx")}\n\n<Tabs>\n${fence("b")}\n</Tabs>\n`;
    expect(read(page).codes).toEqual([`<Tabs>\n${inner}\n</Tabs>`, "b"]);
  });

  it.each(["a.md", "a.mdx"])("is read to its last line with attributes on lines of their own in %s", (path) => {
    const page = `# A\n\n<iframe\n  src="https://a.test"\n  allowfullscreen\n></iframe>\n\n${words}\n`;
    expect(read(page, path).prose).toBe(words);
  });

  it.each(["a.md", "a.mdx"])("keeps a sample with deeper fences whole in %s", (path) => {
    const code = `run: |\n${indented(fence("a"), 10)}\n\n          ## Words`;
    const page = `# A\n\n${words}\n\n<Tabs>\n${fence(code, "yaml")}\n</Tabs>\n`;
    expect(read(page, path)).toEqual({ codes: [code], prose: words });
  });

  it("leaves the HTML alone that has no fence", () => {
    const page = `# A\n\n<TABLE>\n<TR><TD>One</TD><TD>Two</TD></TR>\n</TABLE>\n\n<pre>\n${fence("a")}\n</pre>\n\n<!--\n<Tabs>\n${fence("b")}\n</Tabs>\n-->\n\n${words}\n`;
    const { codes, prose } = read(page);
    expect(codes).toEqual([fence("a")]);
    expect(prose).toContain("| One | Two |");
  });
});
