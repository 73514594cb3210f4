import { describe, expect, it } from "vitest";
import { itemMarkdown, plain } from "../../../extract/openapi/description-text.ts";
import { describing, pageOf } from "./cutting.ts";

describe("words on one line", () => {
  it.each([
    [
      "Format is `ctrl-<value>` where `<value>` is one of `a-z`.",
      "Format is ctrl-<value> where <value> is one of a-z.",
    ],
    [
      "Use <image-name>:<tag>, <b>not</b> a <code>digest</code>.<br/>Or one.",
      "Use <image-name>:<tag>, not a digest . Or one.",
    ],
    ["# Title\n- **one** [two](http://x.example)\n- `- three`", "Title one two - three"],
    ["<!-- no -->A [`code`](#x) link", "A code link"],
  ])("%s", (text, expected) => {
    expect(plain(text)).toBe(expected);
  });
});

describe("text after the marker of a list", () => {
  const filters =
    "Filters as JSON:\n\n- `dangling=<boolean>` When `true`:\n  only unused.\n- `label=key`\n\n## Note\n\nSee [more](#tag/Image).";

  it("keeps lists and later paragraphs, indented below it", () => {
    expect(itemMarkdown(filters)).toBe(
      "Filters as JSON:\n\n  - `dangling=<boolean>` When `true`:\n    only unused.\n  - `label=key`\n\n  **Note**\n\n  See more.",
    );
  });

  it("has the lists of HTML as those of Markdown", () => {
    expect(itemMarkdown("One of:<ul><li><code>a</code> first</li><li>b</li></ul>")).toBe(
      "One of:\n\n  - `a` first\n  - b",
    );
  });

  it("never leaves code open", () => {
    expect(itemMarkdown("A\n\n```json\n{")).toBe("A\n\n  ```json\n  {\n  ```");
  });

  it("is whole, or says how much is left out", () => {
    const long = "word ".repeat(3000).trim();
    expect(itemMarkdown(long)).toBe(long);
    expect(itemMarkdown("word ".repeat(10_000))).toMatch(/\n\n {2}\(\d+ more characters are left out\.\)$/);
  });
});

describe("an operation", () => {
  const parameters = [
    {
      name: "filters",
      in: "query",
      description: "Filters:\n\n- `dangling=<boolean>` unused ones\n- `label=key`",
      schema: { type: "string" },
    },
    { name: "fields", in: "query", schema: { type: "array", items: { type: "string", enum: ["id", "name"] } } },
  ];

  it("says of its parameters all that their descriptions say, and what their items may be", async () => {
    const { prose } = await pageOf(describing({ "/a": { get: { parameters, responses: {} } } }), "#/paths/~1a/get");
    expect(prose).toContain(
      "- `filters` (query, string): Filters:\n\n  - `dangling=<boolean>` unused ones\n  - `label=key`",
    );
    expect(prose).toContain("| `fields` | query | array of string, each one of `id`, `name` |");
  });

  it("with many long descriptions has all of each", async () => {
    const long = Array.from({ length: 60 }, (_, at) => ({
      name: `p${at}`,
      in: "query",
      description: `Begins. ${"more words ".repeat(200)}ends with ${at}`,
      schema: {},
    }));
    const { prose } = await pageOf(
      describing({ "/a": { get: { parameters: long, responses: {} } } }),
      "#/paths/~1a/get",
    );
    expect(prose).toContain("`p59` (query): Begins. more words");
    for (const [at] of long.entries()) expect(prose).toContain(`ends with ${at}`);
  });

  it("has the lists of its body's description", async () => {
    const requestBody = {
      description: "Takes:\n\n1. one\n2. two",
      content: { "application/json": { schema: { type: "object" } } },
    };
    const { prose } = await pageOf(describing({ "/a": { post: { requestBody, responses: {} } } }), "#/paths/~1a/post");
    expect(prose).toMatch(/\*\*Request body\*\*: `application\/json`, object, optional\.\n+Takes:\n+1\. one\n2\. two/);
  });
});
