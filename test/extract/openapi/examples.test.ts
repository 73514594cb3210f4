import { expect, it } from "vitest";
import { describing, filesOf, pageOf, root } from "./cutting.ts";

const place = "#/paths/~1things/post";

function withResponse(media: object): object {
  return describing({
    "/things": { post: { responses: { 200: { description: "OK", content: { "application/json": media } } } } },
  });
}

async function responseOf(description: unknown) {
  return (await pageOf(description, place)).codes.slice(1);
}

it("an example of a JSON file is byte for byte what the file has, without the indentation of its place", async () => {
  const example =
    '{ "price": 1.50,\n                "id": 12345678901234567890,\n                "tags": [ "a",   "b" ] }';
  const file = JSON.stringify(withResponse({ example: "EXAMPLE" }), null, 2).replace('"EXAMPLE"', example);
  const [line = ""] = file.split("\n").filter((one) => one.includes('"example"'));
  expect(line).toMatch(/^ {16}"example"/);
  expect(await responseOf(file)).toEqual([
    {
      language: "json",
      label: "response 200",
      code: '{ "price": 1.50,\n"id": 12345678901234567890,\n"tags": [ "a",   "b" ] }',
    },
  ]);
});

it("an example in a file on one line is laid out, and says that it was made, and from what", async () => {
  const example = { name: "A name that is long enough", list: [1, 2, 3], more: "x".repeat(60) };
  expect(await responseOf(JSON.stringify(withResponse({ example })))).toEqual([
    {
      language: "json",
      code: JSON.stringify(example, null, 2),
      label: "response 200",
      madeFrom: `${root}#/paths/~1things/post/responses/200/content/application~1json/example`,
    },
  ]);
});

it("an example in YAML is written as the JSON that is sent, and says that it was made, and from what", async () => {
  const yaml = `openapi: 3.1.0
info: { title: Acme, version: 1 }
paths:
  /things:
    post:
      responses:
        200:
          description: OK
          content:
            application/json:
              examples:
                one: { $ref: "#/components/examples/One" }
                two: { value: { id: 2 } }
components:
  examples:
    One:
      value:
        id: 1
`;
  const codes = await responseOf(yaml);
  expect(codes.map(({ code }) => code)).toEqual(['{\n  "id": 1\n}', '{\n  "id": 2\n}']);
  expect(codes[0]?.madeFrom).toBe(`${root}#/components/examples/One/value`);
});

it("examples that are texts, and code samples, are as written", async () => {
  const source = 'from acme import Client\n\nClient().post("/things")\n';
  const text = '{ "as": "text" }';
  const description = describing({
    "/things": {
      post: {
        "x-codeSamples": [{ lang: "Python", label: "SDK", source }],
        "x-readme": { "code-samples": [{ language: "shell", code: "acme things create", name: "CLI" }] },
        responses: { 200: { description: "OK", content: { "application/json": { example: text } } } },
      },
    },
  });
  const { codes, examples } = await pageOf(description, place);
  expect(codes.slice(1)).toEqual([
    { language: "json", code: text, label: "response 200" },
    { language: "python", code: source, label: "SDK" },
    { language: "bash", code: "acme things create", label: "CLI" },
  ]);
  expect(examples.at(-1)?.description).toMatch(/For curl, response 200, SDK and CLI\.$/);
});

it("code in descriptions is as written, and belongs to the operation", async () => {
  const description = "## Before you start\n\nAsk for a key:\n\n```sh\nacme login\n```\n";
  const page = await pageOf(
    describing({ "/things": { post: { summary: "Add a thing", description, responses: {} } } }),
    place,
  );
  expect(page.codes.map(({ code, madeFrom }) => [code, madeFrom !== undefined])).toEqual([
    ["acme login", false],
    ["curl -X POST https://api.acme.dev/v1/things", true],
  ]);
  expect(page.prose).toContain("**Before you start**");
  expect(new Set(page.passages.map(({ breadcrumb }) => breadcrumb.join(" > ")))).toEqual(
    new Set(["Acme API > POST /things > Add a thing"]),
  );
});

it("an example that is too large is replaced by a sample", async () => {
  const example = Array.from({ length: 3000 }, (_, id) => ({ id }));
  const schema = { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } };
  const [body] = await responseOf(withResponse({ example, schema }));
  expect(body?.code).toBe('[\n  {\n    "id": 0\n  }\n]');
});

it("a page says the same whatever else the description has", async () => {
  const paths = { "/things": { post: { summary: "Add", responses: {} } } };
  const alone = await pageOf(describing(paths), place);
  const beside = await pageOf(describing({ "/a": { get: { responses: {} } }, ...paths }), place);
  expect(beside).toEqual(alone);
  expect(filesOf("x").root).toBe(root);
});

it("examples beyond the bounds are counted", async () => {
  const examples = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`e${at}`, { value }]));
  const proseOf = async (media: object) => (await pageOf(withResponse(media), place)).prose;
  expect(await proseOf({ examples: examples(5, { id: 1 }) })).toContain("- 2 examples are left out.");
  expect(await proseOf({ example: "x".repeat(7000) })).toContain("- 1 example is left out.");
  expect(await proseOf({ examples: examples(3, { id: 1 }) })).not.toContain("left out");
});
