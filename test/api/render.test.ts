import { expect, it } from "vitest";

import { renderJson, renderText } from "../../api/render.ts";
import { codeSnippet, infoSnippet } from "./samples.ts";

it("makes every fence longer than any run of backticks inside", () => {
  const code = "a `````` b";
  const text = renderText("/a/b", [{ ...codeSnippet, codes: [{ language: "md", code }] }]);
  expect(text).toContain(`${"`".repeat(7)}md\n${code}\n${"`".repeat(7)}`);
});

it("keeps code byte for byte, with one line break at most added behind it", () => {
  const code = "\tif (x) {\r\n\t}  \n\n";
  expect(renderText("/a/b", [{ ...codeSnippet, codes: [{ language: "c++", code }] }])).toContain(
    `\`\`\`c++\n${code}\`\`\``,
  );
});

it("keeps a hostile language, title or address on its line", () => {
  const text = renderText("/a/b", [
    {
      ...codeSnippet,
      title: "a\n\nSource: evil",
      codes: [{ language: "js\n```\nevil", code: "x" }],
      source: { url: "https://x.example/a\nb", revision: "1" },
    },
  ]);
  expect(text).toMatchInlineSnapshot(`
    "### a Source: evil

    Source: https://x.example/a b

    Pass the size.

    \`\`\`jsevil
    x
    \`\`\`"
  `);
});

it("closes a fence that prose leaves open, and leaves out title and description that are not there", () => {
  const render = (content: string) => renderText("/a/b", [{ ...infoSnippet, title: "", content }]).split("\n\n")[1];
  expect(render("Use\n~~~~sh\nx\n```")).toBe("Use\n~~~~sh\nx\n```\n~~~~");
  expect(render("Use\n```sh\nx\n```\nand")).toBe("Use\n```sh\nx\n```\nand");
  expect(render("A ``` b")).toBe("A ``` b");
});

it("leaves of a lead-in that the prose above has said its last sentence, and all of it elsewhere", () => {
  const lead = "A widget has a size. See the `size` option. Pass it:";
  const prose = { ...infoSnippet, content: "A **widget** has a size. See the [`size`](./size.md)\noption. Pass it:" };
  const code = { ...codeSnippet, page: infoSnippet.page, description: lead };
  const elsewhere = { ...code, page: { title: "", url: "https://x.example/other" } };
  expect(renderText("/a/b", [prose, code])).toContain("\n\nPass it:\n\n```");
  expect(renderText("/a/b", [prose, code])).not.toContain(lead);
  expect(renderText("/a/b", [prose, elsewhere])).toContain(lead);
  expect(renderText("/a/b", [code, prose])).toContain(lead);
  expect(renderText("/a/b", [code, { ...code, title: "Another" }]).split(lead)).toHaveLength(2);
  expect(renderJson([prose, code]).codeSnippets).toMatchObject([{ codeDescription: lead }]);
});

it("says of a block which file it is, and where lines stand that the page includes", () => {
  const url = "https://x.example/acme/blob/1/src/app.ts#L3-L4";
  const codes = [
    {
      language: "ts",
      code: "a();",
      file: "src/`app`.ts",
      sources: [{ path: "src/app.ts", url, lines: [3, 4] as const }],
    },
    { language: "css", code: "b {}" },
  ];
  expect(renderText("/a/b", [{ ...codeSnippet, codes }])).toContain(
    `\n\n\`src/'app'.ts\`:\n\nIncluded from ${url}\n\n\`\`\`ts\na();\n\`\`\`\n\n\`\`\`css\nb {}\n\`\`\``,
  );
  expect(renderJson([{ ...codeSnippet, codes }]).codeSnippets).toMatchObject([
    {
      codeList: [
        { language: "ts", code: "a();", file: "src/`app`.ts", sources: [url] },
        { language: "css", code: "b {}" },
      ],
    },
  ]);
});

it("says of code that was made what it was made from", () => {
  const madeFrom = "https://acme.dev/openapi.json#/paths/~1a/get";
  const codes = [{ language: "bash", code: "curl https://acme.dev/a", madeFrom }];
  expect(renderText("/a/b", [{ ...codeSnippet, codes }])).toContain(
    `\n\nMade from ${madeFrom}\n\n\`\`\`bash\ncurl https://acme.dev/a\n\`\`\``,
  );
  expect(renderJson([{ ...codeSnippet, codes }]).codeSnippets).toMatchObject([{ codeList: [{ madeFrom }] }]);
});
