import { expect, it } from "vitest";
import { seededRandom } from "../../../tools/bench/measure.ts";
import { codeBlock, rich, textBlock, type NewBlock } from "../../support/notion-server.ts";
import { passagesOf, passagesOfMarkdown, served } from "./reading.ts";

const table: NewBlock = {
  type: "table",
  table: { table_width: 2, has_column_header: true, has_row_header: false },
  children: [
    { type: "table_row", table_row: { cells: [rich("Flag"), rich("Meaning")] } },
    {
      type: "table_row",
      table_row: { cells: [rich("--all", { code: true }), rich("Takes everything that is there.")] },
    },
  ],
};

/** The same text in Notion's blocks and in Markdown. */
const pairs: Readonly<Record<string, { readonly blocks: readonly NewBlock[]; readonly markdown: string }>> = {
  "headings, paragraphs and code": {
    blocks: [
      textBlock("paragraph", "The client talks to the server. It needs a token that is made once."),
      textBlock("heading_1", "Set up"),
      textBlock("paragraph", [
        ...rich("Install "),
        ...rich("widget", { code: true }),
        ...rich(" and read the "),
        ...rich("guide", {}, "https://example.com/guide"),
        ...rich(" that is "),
        ...rich("really", { bold: true }),
        ...rich(" short."),
      ]),
      codeBlock("npm install widget", "shell"),
      textBlock("heading_2", "Start"),
      textBlock("paragraph", "Then start it:"),
      codeBlock('import { start } from "widget";\n\nif (true) {\n\tstart();\n}', "typescript"),
    ],
    markdown:
      '# Widget\n\nThe client talks to the server. It needs a token that is made once.\n\n## Set up\n\nInstall `widget` and read the [guide](https://example.com/guide) that is **really** short.\n\n```shell\nnpm install widget\n```\n\n### Start\n\nThen start it:\n\n```typescript\nimport { start } from "widget";\n\nif (true) {\n\tstart();\n}\n```\n',
  },
  "lists with code in them": {
    blocks: [
      textBlock("heading_2", "Steps"),
      textBlock("paragraph", "Do this in order, and do not leave a step out:"),
      textBlock("numbered_list_item", "Build the widget first.", {}, [codeBlock("make widget", "bash")]),
      textBlock("numbered_list_item", "Then send it to the server.", {}, [
        textBlock("bulleted_list_item", "Of the test stage"),
        textBlock("bulleted_list_item", "Of production, later", {}, [
          textBlock("paragraph", "Ask before you do that."),
        ]),
      ]),
      textBlock("to_do", "Tell the team", { checked: true }),
      textBlock("to_do", "Write it down", { checked: false }),
    ],
    markdown:
      "# Widget\n\n### Steps\n\nDo this in order, and do not leave a step out:\n\n1. Build the widget first.\n\n   ```bash\n   make widget\n   ```\n\n2. Then send it to the server.\n   - Of the test stage\n   - Of production, later\n\n     Ask before you do that.\n\n- [x] Tell the team\n- [ ] Write it down\n",
  },
  "lists that go on with a number of their own": {
    blocks: [
      textBlock("heading_2", "Steps"),
      textBlock("numbered_list_item", "Build the widget first.", { list_start_index: 1 }),
      textBlock("numbered_list_item", "Then send it to the server."),
      textBlock("paragraph", "Wait until it is there, which takes a while."),
      codeBlock("wait();", "javascript"),
      textBlock("numbered_list_item", "Start it at last.", { list_start_index: 3, list_format: "numbers" }),
      textBlock("numbered_list_item", "Look whether it runs."),
    ],
    markdown:
      "# Widget\n\n### Steps\n\n1. Build the widget first.\n2. Then send it to the server.\n\nWait until it is there, which takes a while.\n\n```javascript\nwait();\n```\n\n3. Start it at last.\n4. Look whether it runs.\n",
  },
  "a toggle, a callout, a quotation and a table": {
    blocks: [
      textBlock("heading_1", "Use"),
      textBlock("paragraph", "The widget has some flags, which are told below."),
      table,
      textBlock("quote", "Nobody reads the manual before it is too late."),
      textBlock("callout", "Turn the widget off before you open it.", { icon: { type: "emoji", emoji: "⚠️" } }),
      textBlock("toggle", "Advanced settings", {}, [
        textBlock("paragraph", "They are for people who know what they do."),
        codeBlock("widget --all", "bash"),
      ]),
      textBlock("paragraph", "What follows stands outside of the toggle again."),
    ],
    markdown:
      "# Widget\n\n## Use\n\nThe widget has some flags, which are told below.\n\n| Flag | Meaning |\n| --- | --- |\n| `--all` | Takes everything that is there. |\n\n> Nobody reads the manual before it is too late.\n\n:::warning\n\nTurn the widget off before you open it.\n\n:::\n\n<details>\n<summary>Advanced settings</summary>\n\nThey are for people who know what they do.\n\n```bash\nwidget --all\n```\n\n</details>\n\nWhat follows stands outside of the toggle again.\n",
  },
};

/** A part of a page in both formats. */
interface Twin {
  readonly blocks: readonly NewBlock[];
  readonly markdown: string;
}

const words = "widget server client token queue reads writes opens closes waits for every slow fast page until".split(
  " ",
);

/** Makes parts of pages, each with different code. */
function createTwins(random: () => number) {
  let codes = 0;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const sentence = (): string => {
    const text = Array.from({ length: 5 + Math.floor(random() * 6) }, () => pick(words)).join(" ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  };
  const indented = (text: string, by: string): string =>
    text
      .split("\n")
      .map((line) => (line === "" ? "" : `${by}${line}`))
      .join("\n");
  const code = (): Twin => {
    const text = `call_${++codes}();\n${pick(["\tif (a) b();", "    deeper();", "// a comment", ""])}\nend();`;
    const language = pick(["javascript", "python", "shell"]);
    return { blocks: [codeBlock(text, language)], markdown: `\`\`\`${language}\n${text}\n\`\`\`` };
  };
  const paragraph = (): Twin => {
    const [one, two, three] = [sentence(), pick(words), sentence()];
    const address = "https://example.com/a";
    const spans = [
      ...rich(`${one} `),
      ...rich(two, { bold: true }),
      ...rich(" and "),
      ...rich(two, { code: true }),
      ...rich(" "),
      ...rich("there", {}, address),
      ...rich(`. ${three}`),
    ];
    return {
      blocks: [block("paragraph", spans)],
      markdown: `${one} **${two}** and \`${two}\` [there](${address}). ${three}`,
    };
  };
  const block = (type: string, text: string | ReturnType<typeof rich>, children?: readonly NewBlock[]): NewBlock =>
    textBlock(type, text, {}, children);
  const heading = (): Twin => {
    const level = pick([1, 2, 3]);
    const text = `${pick(words)} ${pick(words)} ${++codes}`;
    return { blocks: [block(`heading_${level}`, text)], markdown: `${"#".repeat(level + 1)} ${text}` };
  };
  const list = (): Twin => {
    const ordered = random() < 0.5;
    const items = Array.from({ length: 2 + Math.floor(random() * 2) }, (_, at) => {
      const text = sentence();
      const sign = ordered ? `${at + 1}. ` : "- ";
      const by = " ".repeat(sign.length);
      const held = random() < 0.4 ? code() : undefined;
      const [nested, more] = [random() < 0.4 ? sentence() : "", sentence()];
      const inside = nested === "" ? [] : [block("bulleted_list_item", nested), block("bulleted_list_item", more)];
      const below = nested === "" ? "" : `\n${by}- ${nested}\n${by}- ${more}`;
      return {
        item: block(ordered ? "numbered_list_item" : "bulleted_list_item", text, [...inside, ...(held?.blocks ?? [])]),
        markdown: `${sign}${text}${below}${held ? `\n\n${indented(held.markdown, by)}` : ""}`,
      };
    });
    // Adjacent lists of one kind are one list.
    const end = pick([paragraph, code, heading])();
    const markdown = items.map((one) => one.markdown).join("\n");
    return { blocks: [...items.map(({ item }) => item), ...end.blocks], markdown: `${markdown}\n\n${end.markdown}` };
  };
  const callout = (): Twin => {
    const [text, held] = [sentence(), code()];
    const icon = { type: "emoji", emoji: "💡" };
    return {
      blocks: [textBlock("callout", text, { icon }, held.blocks)],
      markdown: `:::tip\n\n${text}\n\n${held.markdown}\n\n:::`,
    };
  };
  const toggle = (): Twin => {
    const [title, text, held] = [`${pick(words)} ${++codes}`, sentence(), code()];
    const markdown = `<details>\n<summary>${title}</summary>\n\n${text}\n\n${held.markdown}\n\n</details>`;
    return { blocks: [block("toggle", title, [block("paragraph", text), ...held.blocks])], markdown };
  };
  const quote = (): Twin => {
    const [text, end] = [sentence(), pick([paragraph, code, heading])()];
    return { blocks: [block("quote", text), ...end.blocks], markdown: `> ${text}\n\n${end.markdown}` };
  };
  const rows = (): Twin => {
    const cells = [
      [pick(words), pick(words)],
      [sentence(), sentence()],
    ];
    const lines = cells.map((row) => `| ${row.join(" | ")} |`);
    return {
      blocks: [
        {
          ...table,
          children: cells.map((row) => ({ type: "table_row", table_row: { cells: row.map((cell) => rich(cell)) } })),
        },
      ],
      markdown: [lines[0], "| --- | --- |", lines[1]].join("\n"),
    };
  };
  return (): Twin => pick([code, code, paragraph, paragraph, heading, list, callout, toggle, quote, rows])();
}

it("reads generated pages as Markdown is read", async () => {
  const twin = createTwins(seededRandom(34));
  for (let page = 0; page < 60; page += 1) {
    const parts = Array.from({ length: 12 }, twin);
    const markdown = `# Widget\n\n${parts.map((part) => part.markdown).join("\n\n")}\n`;
    const blocks = parts.flatMap((part) => part.blocks);
    const found = served(await passagesOf("Widget", blocks));
    expect(found).not.toEqual([]);
    expect(found, markdown).toEqual(served(await passagesOfMarkdown(markdown)));
  }
});

it.each(Object.keys(pairs))("reads %s as Markdown is read", async (name) => {
  const { blocks = [], markdown = "" } = pairs[name] ?? {};
  expect(served(await passagesOf("Widget", blocks))).toEqual(served(await passagesOfMarkdown(markdown)));
});
