import { describe, expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf } from "./cutting.ts";

const text = { type: "string" };
/** The prose of an operation that takes and gives a schema, and of the pages of schemas. */
async function read(schema: unknown, schemas: object = {}, others: object = {}) {
  const content = { "application/json": { schema } };
  const post = { summary: "Do", requestBody: { content }, responses: { 200: { description: "Done", content } } };
  const pages = await extractAll(filesOf(describing({ "/a": { post } }, { components: { schemas }, ...others })));
  const prose = (key: string): string => pages.find((page) => page.key === key)?.prose ?? "";
  const own = prose("#/paths/~1a/post");
  return {
    own,
    request: own.split("Response 200")[0] ?? "",
    schema: (name: string) => prose(`#/components/schemas/${name}`),
  };
}

const card = {
  type: "object",
  required: ["kind", "number"],
  properties: { kind: { enum: ["card"] }, number: { ...text, description: "Digits of the card" } },
};
const bank = {
  type: "object",
  required: ["kind"],
  properties: { kind: { enum: ["bank"] }, iban: { ...text, description: "Account of the payer" } },
};
const ways = { Card: card, Bank: bank };
const refs = Object.keys(ways).map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** A schema that is too large to be listed in place. */
const large = (name: string): object => ({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`${name}_${at}`, { ...text, description: `What ${name} ${at} is.` }]),
  ),
});

describe("alternatives", () => {
  it("are all listed, and fields that several have alike are listed once", async () => {
    const shared = { id: { ...text, description: "Number" } };
    const one = { title: "One", type: "object", properties: { ...shared, a: text } };
    const two = { title: "Two", type: "object", properties: { ...shared, b: text } };
    const { request } = await read({ oneOf: [one, two, { ...two, title: "Three" }] });
    expect(request).toContain("- `id` (string): Number\n- `a` (if One, string)\n- `b` (if Two or Three, string)");
  });

  it("have the value of the discriminator: by its mapping, by the property, or by name", async () => {
    const discriminator = { propertyName: "kind", mapping: { visa: "#/components/schemas/Card" } };
    const { request } = await read({ oneOf: refs, discriminator }, ways);
    expect(request).toContain("- **Card** (`kind` is `visa`)");
    expect(request).toContain("- **Bank** (`kind` is `bank`)");
    expect(request).toContain("- `iban` (if Bank, string): Account of the payer");
    const named = await read(
      { oneOf: [{ $ref: "#/components/schemas/Cash" }, refs[0]], discriminator },
      { ...ways, Cash: { properties: { kind: text } } },
    );
    expect(named.request).toContain("- **Cash** (`kind` is `Cash`)");
  });

  it("of a discriminator without alternatives are the schemas that extend it, in 2.0 too", async () => {
    const pet = { type: "object", discriminator: { propertyName: "kind" }, properties: { kind: text } };
    const cat = { allOf: [{ $ref: "#/components/schemas/Pet" }, { properties: { lives: { type: "integer" } } }] };
    const { request } = await read({ $ref: "#/components/schemas/Pet" }, { Pet: pet, Cat: cat });
    expect(request).toContain("- `kind` (string)\n- **Cat** (`kind` is `Cat`)\n- `lives` (if Cat, integer)");
    const old = JSON.parse(
      JSON.stringify({ Pet: { ...pet, discriminator: "kind" }, Cat: cat }).replaceAll(
        "components/schemas",
        "definitions",
      ),
    ) as object;
    const parameters = [{ name: "b", in: "body", schema: { $ref: "#/definitions/Pet" } }];
    const info = { title: "Old", version: "1" };
    const paths = { "/a": { post: { parameters, responses: {} } } };
    const page = await pageOf({ swagger: "2.0", info, paths, definitions: old }, "#/paths/~1a/post");
    expect(page.prose).toContain("- **Cat** (`kind` is `Cat`)\n- `lives` (if Cat, integer)");
  });

  it("inside a field and beside `allOf` have its name", async () => {
    const source = {
      description: "Who pays.",
      anyOf: [...refs, { type: "null" }, { type: "string", description: "A token" }],
    };
    const extra = { type: "object", properties: { source } };
    const { request } = await read(
      {
        allOf: [
          extra,
          {
            oneOf: [
              { title: "Now", properties: { now: text } },
              { title: "Later", properties: { at: text } },
            ],
          },
        ],
      },
      ways,
    );
    expect(request).toContain("- `source` (Card or Bank or string or null): Who pays.");
    expect(request).toContain("- `source.iban` (if Bank, string): Account of the payer");
    expect(request).toContain("- `source`: **string**: A token");
    expect(request).toContain("- `now` (if Now, string)\n- `at` (if Later, string)");
  });

  it("with pages of their own are named there and in the body", async () => {
    const { request, schema } = await read(
      { oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }] },
      { A: large("a"), B: large("b") },
    );
    expect(request).toContain("- **A** (see schema A): Fields: `a_0`, `a_1`");
    expect(request).not.toContain("What a 3 is.");
    expect(schema("B")).toContain("- `b_11` (string): What b 11 is.");
  });
});

describe("conditions", () => {
  it("are said where they are", async () => {
    const { request } = await read({
      type: "object",
      properties: { kind: { enum: ["a", "b"] } },
      ...(JSON.parse(
        '{ "if": { "properties": { "kind": { "const": "a" } } }, "then": { "required": ["size"], "properties": { "size": { "type": "integer", "description": "In cm" } } } }',
      ) as object),
      else: { properties: { weight: { type: "number", description: "In kg" } } },
      not: { required: ["old"] },
      dependentRequired: { card: ["cvc"] },
      dependentSchemas: { gift: { properties: { note: { ...text, description: "For the receiver" } } } },
      patternProperties: { "^x-": { type: "integer", description: "Counters" } },
      additionalProperties: { ...text, description: "Labels" },
    });
    expect(request).toContain("- `size` (if `kind` is `a`, integer, required): In cm");
    expect(request).toContain("- `weight` (if not `kind` is `a`, number): In kg");
    expect(request).toContain("It must not be so: `old` is present.");
    expect(request).toContain("`card` requires `cvc`.");
    expect(request).toContain("- `note` (if `gift` is present, string): For the receiver");
    expect(request).toContain("- `/^x-/` (integer): Counters");
    expect(request).toContain("- `*` (string): Labels");
  });

  it("on items are by position, and alternatives of required fields are one sentence", async () => {
    const { request } = await read({
      type: "object",
      anyOf: [{ required: ["a"] }, { required: ["b", "c"] }],
      properties: {
        pair: {
          type: "array",
          prefixItems: [
            { type: "number", description: "x" },
            { type: "number", description: "y" },
          ],
        },
      },
    });
    expect(request).toContain("- `pair[0]` (number): x\n- `pair[1]` (number): y");
    expect(request).toContain("Required: `a`, or `b` and `c`.");
  });
});

describe("a schema", () => {
  it("inside another one is listed to its full depth, with all values and the whole meaning", async () => {
    let deep: object = { ...text, description: "The bottom." };
    for (const name of ["g", "f", "e", "d", "c", "b", "a"]) deep = { type: "object", properties: { [name]: deep } };
    const values = Array.from({ length: 300 }, (_, at) => `value_${at}`);
    const long = "A long meaning. ".repeat(400).trim();
    const fields = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`p${at}`, { ...text, description: `Field ${at}` }]),
    );
    const { request } = await read({
      type: "object",
      properties: { deep, state: { enum: values }, long: { ...text, description: long }, ...fields },
    });
    expect(request).toContain("- `deep.a.b.c.d.e.f.g` (string): The bottom.");
    for (const value of values) expect(request).toContain(`\`${value}\``);
    // Once in the request and once in the response.
    expect(request.split("A long meaning.")).toHaveLength(801);
    expect(request).toContain("- `p149` (string): Field 149");
  });

  it("that is large has a page, and up to a bound its fields where it is used", async () => {
    const shared = {
      ...large("field"),
      properties: Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `field_${at}`,
          { ...text, description: `What it is, number ${at}, in some words.` },
        ]),
      ),
    };
    const { request, schema } = await read({ $ref: "#/components/schemas/Shared" }, { Shared: shared });
    expect(request).toContain("Shared, see schema Shared");
    expect(request).toContain("- `field_0` (string): What it is, number 0, in some words.");
    expect(request).toMatch(/More fields, see schema Shared: .*`field_59`\./);
    expect(schema("Shared")).toContain("- `field_59` (string): What it is, number 59, in some words.");
  });

  it("in a circle ends, and is named", async () => {
    const node = {
      type: "object",
      properties: { name: { ...text, description: "Its name" }, next: { $ref: "#/components/schemas/Node" } },
    };
    const tree = { type: "object", properties: { left: { $ref: "#/components/schemas/Leaf" } } };
    const leaf = { type: "object", properties: { tree: { $ref: "#/components/schemas/Tree" } } };
    const { request, schema } = await read(
      { properties: { node: { $ref: "#/components/schemas/Node" }, tree: { $ref: "#/components/schemas/Tree" } } },
      { Node: node, Tree: tree, Leaf: leaf },
    );
    expect(request).toContain("- `node` (Node, see schema Node)");
    expect(request).toContain("- `tree` (Tree, see schema Tree)");
    expect(schema("Node")).toContain("- `name` (string): Its name\n- `next` (Node, see schema Node)");
  });

  it("that extends a large one names it on its page", async () => {
    const { schema } = await read(refs[0], {
      ...ways,
      Base: large("base"),
      More: { allOf: [{ $ref: "#/components/schemas/Base" }, large("more")] },
    });
    expect(schema("More")).toContain("- **all of Base** (see schema Base)");
    expect(schema("More")).toContain("- `more_11` (string): What more 11 is.");
    expect(schema("More")).not.toContain("base_11");
  });

  it("of a dynamic reference without a target is said to be missing", async () => {
    const { request } = await read({ type: "object", properties: { item: { $dynamicRef: "#item" } } });
    expect(request).toContain("- `item`: The reference `#item` leads to nothing.");
  });

  it("has formats, limits, defaults and rights of its fields", async () => {
    const properties = {
      size: { type: "integer", format: "int32", exclusiveMinimum: 0, maximum: 9, multipleOf: 3, default: 3 },
      tags: { type: "array", items: { type: "string", maxLength: 5 }, minItems: 1, maxItems: 4, uniqueItems: true },
      id: { ...text, readOnly: true },
    };
    const { schema } = await read(refs[0], {
      ...ways,
      Limits: { ...large("x"), properties: { ...properties, ...(large("x") as { properties: object }).properties } },
    });
    expect(schema("Limits")).toContain(
      "- `size` (integer (int32), default `3`, at most 9, more than 0, a multiple of 3)",
    );
    expect(schema("Limits")).toContain(
      "- `tags` (array of string, 1 to 4 items, no item twice, each at most 5 characters)",
    );
    expect(schema("Limits")).toContain("- `id` (string, read-only)");
  });
});
