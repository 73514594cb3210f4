import { expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf } from "./cutting.ts";

const text = { type: "string" };
const json = (schema: object): object => ({ "application/json": { schema } });
const key = "#/paths/~1a/post";

async function read(operation: object, others: object = {}) {
  return pageOf(describing({ "/a": { post: { summary: "Do", responses: {}, ...operation } } }, others), key);
}

/** The prose about a request body with a schema. */
async function readBody(schema: object, schemas: object = {}) {
  return (await read({ requestBody: { content: json(schema) } }, { components: { schemas } })).prose;
}

it("the servers of an operation, or of its path, are all listed, with what they are for", async () => {
  const servers = [
    { url: "https://upload.acme.dev/v1", description: "Uploads" },
    {
      url: "https://{zone}.sandbox.acme.dev",
      variables: { zone: { default: "eu", enum: ["eu", "us"], description: "Where" } },
    },
  ];
  const words =
    "**Servers**: not those of other operations.\n\n- `https://upload.acme.dev/v1`: Uploads\n\n- `https://eu.sandbox.acme.dev`";
  const { prose } = await read({ servers });
  expect(prose).toContain(words);
  expect(prose).toContain("- `zone` (string, default `eu`, one of `eu`, `us`): Where");
  const ofPath = await pageOf(describing({ "/a": { servers, post: { responses: {} } } }), key);
  expect(ofPath.prose).toContain(words);
  expect((await read({})).prose).not.toContain("Servers");
});

it("code samples that are too many or too long are counted", async () => {
  const sample = (source: string): object => ({ lang: "js", source });
  const samples = [...Array.from({ length: 14 }, (_, at) => sample(`act(${at})`)), sample("x".repeat(20_001))];
  const { prose, codes } = await read({ "x-codeSamples": samples });
  expect(codes.filter(({ language }) => language === "javascript")).toHaveLength(12);
  expect(prose).toContain("3 code samples are left out.");
  const { prose: one } = await read({ "x-codeSamples": [sample("x".repeat(20_001))] });
  expect(one).toContain("1 code sample is left out.");
});

it("media types and parameters that are too many are counted", async () => {
  const content = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`text/t${at}`, { schema: text }]));
  const parameters = Array.from({ length: 205 }, (_, at) => ({ name: `p${at}`, in: "query", schema: text }));
  const { prose } = await read({ requestBody: { content }, parameters });
  expect(prose).toContain("3 media types are left out.");
  expect(prose).toContain("5 parameters are left out.");
});

it("properties of an object in the query, and examples of a parameter, that are too many are counted", async () => {
  const properties = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [`p${at}`, text]));
  const examples = Object.fromEntries(Array.from({ length: 52 }, (_, at) => [`e${at}`, { value: at }]));
  const parameters = [
    { name: "filter", in: "query", style: "deepObject", schema: { type: "object", properties } },
    { name: "n", in: "query", schema: { type: "integer" }, examples },
  ];
  const { prose } = await read({ parameters });
  expect(prose).toContain("3 parameters are left out.");
  expect(prose).toContain("2 examples are left out.");
});

it("a property that parts of `allOf` define twice has what both say", async () => {
  const base = { properties: { kind: { ...text, enum: ["a", "b", "c"], description: "What it is." } } };
  const prose = await readBody({
    allOf: [base, { properties: { kind: { enum: ["b", "c", "d"], maxLength: 9, description: "How it came." } } }],
  });
  expect(prose).toContain("- `kind` (string, one of `b`, `c`, at most 9 characters): What it is.\n\n  How it came.");
  const own = await readBody(
    {
      allOf: [{ $ref: "#/components/schemas/Base" }],
      properties: { state: { description: "Of this one." } },
      required: ["state"],
    },
    {
      Base: { properties: { state: { $ref: "#/components/schemas/State" } } },
      State: { ...text, enum: ["on"], description: "A state." },
    },
  );
  expect(own).toContain("- `state` (string, required, always `on`): Of this one.\n\n  A state.");
});

it("what is next to a reference adds to what it leads to", async () => {
  const base = {
    type: "object",
    required: ["id"],
    properties: { id: { ...text, description: "Number" }, a: text },
    allOf: [{ properties: { far: text } }],
  };
  const prose = await readBody(
    {
      $ref: "#/components/schemas/Base",
      required: ["b"],
      properties: { b: text },
      allOf: [{ properties: { c: text } }],
    },
    { Base: base },
  );
  for (const field of ["`id` (string, required): Number", "`a` (string)", "`b` (string, required)", "`c`", "`far`"])
    expect(prose).toContain(`- ${field}`);
});

it("the subtypes of a schema are found behind a wrapper that describes its use, and not as those of a subtype", async () => {
  const pet = { type: "object", discriminator: { propertyName: "kind" }, properties: { kind: text } };
  const ref = { $ref: "#/components/schemas/Pet" };
  const schemas = { Pet: pet, Cat: { allOf: [ref, { properties: { lives: { type: "integer" } } }] } };
  const subtype = "- **Cat** (`kind` is `Cat`)\n- `lives` (if Cat, integer)";
  expect(await readBody({ allOf: [ref], description: "The pet to add." }, schemas)).toContain(subtype);
  expect(await readBody({ oneOf: [ref, { type: "null" }], description: "The pet to add." }, schemas)).toContain(
    subtype,
  );
  expect(await readBody({ allOf: [ref], properties: { name: text } }, schemas)).not.toContain("**Cat**");
});

it("responses of Swagger 2.0 have their examples in all media types", async () => {
  const examples = {
    "application/json": { id: 1 },
    "application/xml": "<id>1</id>",
    "text/csv": "id\n1",
    "text/plain": "x".repeat(6001),
  };
  const responses = { 200: { description: "OK", schema: { type: "object" }, examples } };
  const paths = { "/a": { post: { produces: Object.keys(examples), responses } } };
  const { codes, prose } = await pageOf({ swagger: "2.0", info: { title: "Old", version: "1" }, paths }, key);
  expect(codes.slice(1).map(({ language, code }) => [language, code])).toEqual([
    ["json", '{\n            "id": 1\n          }'.replaceAll("          ", "")],
    ["xml", "<id>1</id>"],
    ["text", "id\n1"],
  ]);
  expect(prose).toContain("1 example is left out.");
});

it("an operation says what its scheme's description says of the form of a key, in a sentence or two", async () => {
  const description = "Pass the token with the word SSWS: `Authorization: SSWS {token}`. Tokens expire. ".concat(
    "It is long. ".repeat(100),
  );
  const securitySchemes = {
    token: { type: "apiKey", in: "header", name: "Authorization", description },
    bearer: { type: "http", scheme: "bearer", description: "Ask for one." },
  };
  const { prose } = await read({}, { components: { securitySchemes }, security: [{ token: [] }, { bearer: [] }] });
  expect(prose).toContain(
    "**Authentication**: API key in header `Authorization` (`token`), or HTTP bearer authentication (`bearer`). `token`: Pass the token with the word SSWS: Authorization: SSWS {token}. Tokens expire.",
  );
  expect(prose.length).toBeLessThan(1000);
});

it("properties are required though no part describes them, and none changes what an object is", async () => {
  const properties = JSON.parse('{ "__proto__": { "type": "string" }, "id": { "type": "string" } }') as object;
  const pages = await extractAll(
    filesOf(
      describing({ "/a": { post: { requestBody: { content: json({ properties, required: ["id", "name"] }) } } } }),
    ),
  );
  const { prose, codes } = pages.find((page) => page.key === key) ?? { prose: "", codes: [] };
  expect(prose).toContain("- `id` (string, required)\n- `name` (required)");
  expect(prose).not.toContain("__proto__");
  expect(codes[0]?.code).toContain('"name": "string"');
});
