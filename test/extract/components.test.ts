import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, proseIn, passagesOf, proseOf } from "./extract.ts";

const fence = (code: string, info = "js"): string => `\`\`\`${info}\n${code}\n\`\`\``;
const words = "These are words enough to be served as prose by themselves.";

describe("a component with a title", () => {
  it.each([
    [
      "a step of Mintlify",
      "a.mdx",
      `<Steps>\n  <Step title="Do it">\n    ${words}\n    ${fence("a()")}\n  </Step>\n</Steps>`,
    ],
    ["an accordion", "a.mdx", `<Accordion title="Do it" icon="x">\n${words}\n${fence("a()")}\n</Accordion>`],
    [
      "an accordion in an expression",
      "a.mdx",
      `<AccordionItem header={"Do it"}>\n\n${words}\n\n${fence("a()")}\n\n</AccordionItem>`,
    ],
    ["an update", "a.mdx", `<Update label="Do it">\n${words}\n\n${fence("a()")}\n</Update>`],
    ["details", "a.md", `<details>\n<summary><b>Do</b> it</summary>\n\n${words}\n\n${fence("a()")}\n\n</details>`],
    [
      "details of MDX",
      "a.mdx",
      `<details>\n  <summary>Do it</summary>\n\n  ${words}\n\n  ${fence("a()")}\n\n</details>`,
    ],
    [
      "a collapsible of Expo",
      "a.mdx",
      `<Collapsible summary="Do it">\n\n${words}\n\n${fence("a()")}\n\n</Collapsible>`,
    ],
    ["a step in a list of Markdown", "a.md", `<Step title="Do it">\n\n${words}\n\n${fence("a()")}\n\n</Step>`],
  ])("opens a section, and ends it: %s", (_, path, markdown) => {
    const page = `# A\n\n## Part\n\n${markdown}\n\nThen go on with the other thing:\n\n${fence("b()")}\n`;
    const result = extract(path, page);
    expect(proseOf(result)).toEqual([`#### Do it\n\n${words}`, "#### Part\n\nThen go on with the other thing:"]);
    expect(examplesOf(result)).toMatchObject([
      { title: "Do it", description: words },
      { title: "Part", description: "Then go on with the other thing:" },
    ]);
  });

  it("holds the headings inside it, and none after it", () => {
    const page = `# A\n\n<Update label="v2" description="May">\n## New\n${words}\n${fence("a()")}\n</Update>\n\n## Old\n\n${fence("b()")}\n`;
    const result = extract("a.mdx", page);
    expect(examplesOf(result)).toMatchObject([{ title: "New" }, { title: "Old" }]);
    expect(proseOf(result)).toEqual([`#### v2: May\n\n##### New\n\n${words}`, "#### Old"]);
  });

  it("that is not closed is a label, and is ignored in code", () => {
    const page = `# A\n\n<Step title="Do it">\n\n${words} Write \`<Step title="x">\` or \`<Note>\`.\n`;
    expect(proseIn(page, "a.mdx")).toBe(`**Do it**\n\n${words} Write \`<Step title="x">\` or \`<Note>\`.`);
  });

  it("may have its attributes on lines of their own", () => {
    const page = `# A\n\n${words}\n\n<Card\n  title="Start"\n  icon={<Icon a="b" />}\n  href="/s"\n>\n  Read on.\n</Card>\n\n> A quote\n>\n> of two.\n`;
    expect(proseIn(page, "a.mdx")).toBe(`${words}\n\n**[Start](/s)**\nRead on.\n\n> A quote\n>\n> of two.`);
  });

  it("is no title of its page", () => {
    expect(extract("guide.mdx", `<Step title="Do it">\n${words}\n</Step>\n`)).toMatchObject({ title: "Guide" });
  });

  it.each([
    ['<Card title="Start" href="/s" icon="x">\n  Read on.\n</Card>', "**[Start](/s)**\nRead on."],
    ['<LinkCard title="Start" href="/s" description="Read on." />', "**[Start](/s)**: Read on."],
    ['<Cards.Card title="Setup" href="/s" />', "**[Setup](/s)**"],
    ['<BoxLink title="Start" description="Read on." href="/s" />', "**[Start](/s)**: Read on."],
    ['<Expandable title="properties">\n  Read on.\n</Expandable>', "**properties**\nRead on."],
    ['::card{title="Start" to="/s"}\nRead on.\n::', "**[Start](/s)**\nRead on."],
    [':::details{summary="Start"}\nRead on.\n:::', "#### Start\n\nRead on."],
    ['::collapsible{name="Start"}\nRead on.\n::', "#### Start\n\nRead on."],
  ])("keeps its name: %s", (markdown, shown) => {
    expect(proseIn(`# A\n\n${words}\n\n${markdown}\n`, "a.mdx")).toBe(`${words}\n\n${shown}`);
  });

  it("has its caption after what is in it", () => {
    const page =
      '# A\n\nWords enough to be served by themselves.\n\n<Frame caption="The gears turn in the order of their numbers">\n  A drawing of gears.\n</Frame>\n';
    expect(proseOf(extract("a.mdx", page)).join("\n")).toMatch(
      /A drawing of gears\.\n\nThe gears turn in the order of their numbers$/,
    );
  });

  it("of one word or two is read within a sentence", () => {
    const page = `# A\n\nIt is <Badge text="New" variant="tip" /> in <Since v="3.0" /> and <Type text="string" />.\n\n| a | b |\n|---|---|\n| <Check size={18} /> | <Cross /> |\n`;
    expect(proseIn(page, "a.mdx")).toBe(
      "It is New in Added in 3.0. and string.\n\n| a | b |\n| --- | --- |\n| ✓ | ✗ |",
    );
  });
});

describe("parameters", () => {
  it("of Mintlify are a list, with their types", () => {
    const page = `# A\n\n<ParamField path="id" type="string" required>\n  Who it is.\n</ParamField>\n\n<ParamField query="limit" type="number" default="10" />\n\n<ResponseField name="user" type={"object"} deprecated={true} required={false}>\n  What was made.\n  <Expandable title="properties">\n    <ResponseField name="name" type="string">\n      The full name.\n    </ResponseField>\n  </Expandable>\n</ResponseField>\n`;
    expect(proseIn(page, "a.mdx")).toBe(
      "- **`id`** (path, string, required): Who it is.\n- **`limit`** (query, number, default `10`)\n- **`user`** (object, deprecated): What was made.\n\n  **properties**\n  - **`name`** (string): The full name.",
    );
  });

  it("of Nuxt Content and Fumadocs are as well", () => {
    const page =
      '# A\n\n::field{name="id" type="string" required}\nWho it is.\n::\n\n<TypeTable\n  type={{\n    size: {\n      description: \'How large it is\',\n      type: \'number\',\n      default: 0.2,\n    },\n    onOpen: { type: "() => void", required: true },\n  }}\n/>\n';
    expect(proseIn(page, "a.mdx")).toBe(
      "- **`id`** (string, required): Who it is.\n- **`size`** (number, default `0.2`): How large it is\n- **`onOpen`** (() => void, required)",
    );
  });

  it("of a table of properties are as well, one below the other", () => {
    const page =
      "# A\n\n<PropertiesTable\n  content={[\n    {\n      name: 'tools',\n      type: 'ToolSet',\n      isOptional: true,\n      description:\n        'What\\'s called.',\n      properties: [\n        {\n          type: 'Tool',\n          parameters: [{ name: 'run', type: '() => void', description: 'Does it.' }],\n        },\n      ],\n    },\n  ]}\n/>\n\nBehind it.\n";
    expect(proseIn(page, "a.mdx")).toBe(
      "- **`tools`** (ToolSet): What's called.\n  - **`run`** (() => void): Does it.\n\nBehind it.",
    );
  });

  it("of a long table of properties are on the lines of the table", () => {
    const row = `{ name: 'run', type: '() => void', description: '${words}' },\n`;
    const table = `<PropertiesTable\n  content={[\n${row.repeat(1500)}]}\n/>`;
    expect(table.length).toBeGreaterThan(100_000);
    const result = extract("a.mdx", `# A\n\n${words}\n\n${table}\n`);
    expect(
      proseOf(result)
        .join("\n")
        .match(/- \*\*`run`\*\* \(\(\) => void\): /g),
    ).toHaveLength(1500);
    expect(passagesOf(result).at(-1)?.lines).toEqual([5, 1508]);
  });

  it("introduce no code", () => {
    const page = `# A\n\n<ParamField path="id">\n  Who it is.\n</ParamField>\n\nAsk for it:\n\n${fence("a()")}\n`;
    expect(examplesOf(extract("a.mdx", page))[0]?.description).toBe("Ask for it:");
  });

  it("in a tree of files are its names", () => {
    const page = `# A\n\n${words}\n\n<Files>\n  <Folder name="app" defaultOpen>\n    <File name="layout.tsx" />\n  </Folder>\n  <File name="a.json" />\n</Files>\n`;
    expect(proseIn(page, "a.mdx")).toBe(`${words}\n\n- app/\n  - layout.tsx\n- a.json`);
  });
});

describe("a tab", () => {
  it.each([
    [
      "a.mdx",
      '<Tabs>\n  <TabItem label="npm">Words of the first.</TabItem>\n  <TabItem label="pnpm">\n\n  Words of the second.\n\n  </TabItem>\n</Tabs>',
    ],
    [
      "a.mdx",
      '<Tabs items={["npm", "pnpm"]}>\n  <Tab>\nWords of the first.\n</Tab>\n  <Tab>\nWords of the second.\n</Tab>\n</Tabs>',
    ],
    [
      "a.md",
      '{% tabs %}\n{% tab title="npm" %}\nWords of the first.\n{% endtab %}\n{% tab title="pnpm" %}\nWords of the second.\n{% endtab %}\n{% endtabs %}',
    ],
    [
      "a.md",
      '{{< tabs "x" >}}\n{{< tab "npm" >}} Words of the first. {{< /tab >}}\n{{< tab "pnpm" >}} Words of the second. {{< /tab >}}\n{{< /tabs >}}',
    ],
    ["a.md", ":::: tabs\n@tab npm\nWords of the first.\n@tab pnpm\nWords of the second.\n::::"],
  ])("names its prose: %s %s", (path, markdown) => {
    expect(proseIn(`# A\n\n${markdown}\n\n${words}\n`, path).replace(/ +(?=\n|W)/g, " ")).toBe(
      `**npm:** Words of the first.\n\n**pnpm:** Words of the second.\n\n${words}`,
    );
  });

  it("with only code leaves no name in prose, and the words after a fence name it", () => {
    const page = `# A\n\n${words}\n\n<RequestExample>\n${fence("curl a", "bash cURL")}\n${fence("a()", "js Node.js")}\n</RequestExample>\n`;
    expect(proseIn(page, "a.mdx")).toBe(words);
    expect(examplesOf(extract("a.mdx", page))).toMatchObject([{ description: `${words} For cURL and Node.js.` }]);
    expect(codesOf(extract("a.mdx", page)).map(({ code }) => code)).toEqual(["curl a", "a()"]);
  });
});

describe("a heading", () => {
  it.each([
    "{#foo}",
    "{#foo .bar}",
    "{: #foo .bar }",
    "{ #foo }",
    "\\{#foo}",
    "{/* #foo */}",
    "{/*foo*/}",
    "[#foo]",
    "[#foo] [!toc]",
    "[!toc]",
    "[toc]",
  ])("has no anchor: %s", (anchor) => {
    for (const path of ["a.md", "a.mdx"])
      expect(examplesOf(extract(path, `# A\n\n## Use \`b[#c]\` ${anchor}\n\n${fence("a()")}\n`))[0]?.title).toBe(
        "Use b[#c]",
      );
  });

  it.each(["Read a[0]", "The option [optional]", "Write {x}", "Links [here](#foo)"])(
    "keeps its brackets: %s",
    (heading) => {
      expect(examplesOf(extract("a.md", `# A\n\n## ${heading}\n\n${fence("a()")}\n`))[0]?.title).toBe(
        heading.replace("[here](#foo)", "here"),
      );
    },
  );
});

it("with attributes over many lines is dropped, and its content stays", () => {
  const labels = Array.from({ length: 40 }, (_, at) => `    label${at}: 'Shown at ${at}',`).join("\n");
  const page = `# A\n\n${words}\n\n<Designer\n  labels={{\n${labels}\n  }}\n>\n\nIts content.\n\n</Designer>\n`;
  expect(proseIn(page, "a.mdx")).toBe(`${words}\n\nIts content.`);
});
