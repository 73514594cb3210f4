import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf } from "./cutting.ts";

const node = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "integer" }, next: { $ref: "#/components/schemas/Node" } },
};

/** Schemas of one description, for samples. */
const schemas: Readonly<Record<string, object>> = {
  Node: node,
  Tree: {
    type: "object",
    required: ["children"],
    properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  },
  Merged: {
    allOf: [
      { $ref: "#/components/schemas/Node" },
      { type: "object", required: ["kind"], properties: { kind: { const: "merged" } } },
    ],
  },
  Shape: {
    discriminator: { propertyName: "shape", mapping: { round: "#/components/schemas/Circle" } },
    oneOf: [{ $ref: "#/components/schemas/Circle" }, { $ref: "#/components/schemas/Square" }],
  },
  Circle: {
    type: "object",
    required: ["shape", "radius"],
    additionalProperties: false,
    properties: { shape: { enum: ["round"] }, radius: { type: "number", exclusiveMinimum: 0 } },
  },
  Square: {
    type: "object",
    required: ["shape", "side"],
    additionalProperties: false,
    properties: { shape: { const: "square" }, side: { type: "number", minimum: 1 } },
  },
  Pet: {
    type: "object",
    required: ["petType"],
    discriminator: { propertyName: "petType" },
    oneOf: [{ $ref: "#/components/schemas/Dog" }],
    properties: { petType: { type: "string" } },
  },
  Dog: { allOf: [{ $ref: "#/components/schemas/Pet" }, { type: "object", properties: { bark: { type: "boolean" } } }] },
  Animal: {
    type: "object",
    discriminator: { propertyName: "kind", mapping: { feline: "#/components/schemas/Cat" } },
    properties: { kind: { type: "string" } },
  },
  Cat: {
    allOf: [{ $ref: "#/components/schemas/Animal" }, { type: "object", properties: { lives: { type: "integer" } } }],
  },
  Nullable: { anyOf: [{ type: "null" }, { type: "string", maxLength: 3 }] },
  ContradictoryMap: {
    type: "object",
    example: { keys: { password: { config: "{}" } } },
    properties: {
      keys: {
        type: "object",
        additionalProperties: { type: "object", properties: { config: { type: "object" } } },
      },
    },
  },
  Formats: {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      day: { type: "string", format: "date", maxLength: 10 },
      mail: { type: "string", format: "email" },
      id: { type: "string", format: "uuid" },
      link: { type: "string", format: "uri" },
      bytes: { type: "string", format: "byte" },
    },
  },
  Patterns: {
    type: "object",
    required: ["code"],
    properties: {
      code: { type: "string", pattern: "^(?:[A-Z]{3}-)?\\d{4}(?:/[^/\\s]+)$" },
      mac: { type: "string", pattern: "^([0-9A-F]{2}[:-]){5}([0-9A-F]{2})$", minLength: 17 },
      beyond: { type: "string", pattern: "^(a)\\1(?=b)(?!b)$" },
    },
  },
  Contradictory: {
    type: "object",
    properties: {
      number: { type: "string", example: 12 },
      text: { type: "integer", example: "twelve" },
      low: { type: "integer", minimum: 5, example: 1 },
      kind: { type: "string", enum: ["a", "b"], example: "c", default: "d" },
      whole: { type: "object", required: ["id"], properties: { id: { type: "integer" } }, example: { other: 1 } },
    },
  },
  Map: { type: "object", additionalProperties: { type: "integer", minimum: 7 } },
  Tuple: { type: "array", minItems: 1, items: { type: ["null", "string"], examples: ["x"] } },
  Large: {
    type: "object",
    required: ["r"],
    properties: {
      r: { type: "integer" },
      ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { $ref: "#/components/schemas/Node" }])),
    },
  },
  Required: { type: "object", required: ["undeclared"], properties: {} },
  Untyped: {
    type: "object",
    properties: { list: { type: "array", items: {} }, any: { description: "Whatever." }, id: { type: "integer" } },
  },
  UntypedItems: {
    type: "array",
    items: {
      type: "object",
      required: ["a"],
      properties: { a: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Any" } } },
    },
  },
  OneOfOpen: {
    oneOf: [
      { type: "object", required: ["uid", "at"], properties: { uid: { type: "string" }, at: { type: "integer" } } },
      { type: "object", required: ["uid"], properties: { uid: { type: "string" }, name: { type: "string" } } },
    ],
  },
  NestedPattern: { type: "string", pattern: "^se(-[a-z0-9]+)+$" },
  EscapedPattern: { type: "string", pattern: "^[a-z\\_]{3}\\@$" },
  Empty: { type: "string", maxLength: 0 },
  Closed: {
    type: "object",
    additionalProperties: false,
    properties: { name: { type: "string" } },
    example: { Description: "of another schema" },
  },
  NamedMap: {
    type: "object",
    propertyNames: { pattern: "^[A-Z]+-\\d{2}$" },
    additionalProperties: { type: "integer" },
  },
  Any: {},
  Json: { oneOf: [{ type: "array", items: { $ref: "#/components/schemas/Json" } }, { type: "string" }] },
  Wrapped: { type: "object", required: ["data"], properties: { data: { $ref: "#/components/schemas/Wide" } } },
  WrappedDeep: {
    type: "object",
    required: ["data"],
    properties: {
      data: {
        type: "array",
        items: {
          type: "object",
          required: ["attributes"],
          properties: { attributes: { $ref: "#/components/schemas/Wide" } },
        },
      },
    },
  },
  Wide: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`w${at}`, { $ref: "#/components/schemas/Node" }]),
    ),
  },
};

const paths = Object.fromEntries(
  Object.keys(schemas).map((name) => [
    `/${name}`,
    {
      get: {
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
          },
        },
      },
    },
  ]),
);
const description = describing(paths, { components: { schemas } });

const pages = extractAll(filesOf(description));

async function sampleOf(name: string): Promise<unknown> {
  const page = (await pages).find(({ key }) => key === `#/paths/~1${name}/get`);
  return JSON.parse(page?.codes[1]?.code ?? "null");
}

describe("a sample", () => {
  // These two refer to each other, which a validator cannot follow.
  it.each(Object.keys(schemas).filter((name) => name !== "Pet" && name !== "Dog"))("of %s is valid", async (name) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, unicodeRegExp: false });
    ajv.addSchema({ $id: "https://acme.dev/", components: { schemas } });
    const isValid = ajv.compile({ $ref: `https://acme.dev/#/components/schemas/${name}` });
    const sample = await sampleOf(name);
    isValid(sample);
    expect(isValid.errors).toBeNull();
  });

  it("has the formats that fields say, patterns that can be met, and no example that contradicts its schema", async () => {
    expect(await sampleOf("Formats")).toEqual({
      at: "2019-08-24T14:15:22Z",
      day: "2019-08-24",
      mail: "user@example.com",
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/) as unknown,
      link: "http://example.com",
      bytes: "c3RyaW5n",
    });
    expect(Object.keys((await sampleOf("Patterns")) as object)).toEqual(["code", "mac"]);
    expect(await sampleOf("Contradictory")).toEqual({ number: "12", text: 0, low: 5, kind: "a", whole: { id: 0 } });
  });

  it("is a value where `null` stands beside what else it may be, and items where their values stand beside an array", async () => {
    const content = {
      "application/json": {
        schema: {
          type: "object",
          properties: {
            at: { type: "null", oneOf: [{ type: "number" }, { type: "boolean" }] },
            kinds: { type: "array", enum: ["a", "b"], items: { type: "string" } },
          },
        },
      },
    };
    const page = await pageOf(
      describing({ "/a": { get: { responses: { 200: { description: "", content } } } } }),
      "#/paths/~1a/get",
    );
    expect(JSON.parse(page.codes[1]?.code ?? "")).toEqual({ at: 0, kinds: ["a"] });
  });

  it("of one of several kinds says which it is", async () => {
    expect(await sampleOf("Cat")).toEqual({ kind: "feline", lives: 0 });
  });

  it("of a schema that contains itself ends", async () => {
    expect(await sampleOf("Node")).toEqual({ id: 0 });
    expect(await sampleOf("Tree")).toEqual({ children: [] });
    expect(await sampleOf("Pet")).toEqual({ petType: "Dog", bark: true });
    expect(await sampleOf("Dog")).toEqual({ petType: "Dog", bark: true });
  });

  it("of a large schema has what is required, and as much of the rest as is shown", async () => {
    const fields = Object.keys((await sampleOf("Large")) as object);
    expect(fields).toContain("r");
    expect(fields.length).toBeLessThan(100);
  });

  it("has read-only properties in responses only, and write-only ones in requests only", async () => {
    const schema = {
      type: "object",
      required: ["id", "secret", "name"],
      properties: {
        id: { type: "integer", readOnly: true },
        secret: { type: "string", writeOnly: true },
        name: { type: "string" },
      },
    };
    const content = { "application/json": { schema } };
    const page = await pageOf(
      describing({ "/a": { post: { requestBody: { content }, responses: { 200: { description: "", content } } } } }),
      "#/paths/~1a/post",
    );
    const [sent, received] = page.codes.map(({ code }) => JSON.parse(/\{[\s\S]*\}/.exec(code)?.[0] ?? "") as unknown);
    expect(sent).toEqual({ secret: "YOUR_SECRET", name: "string" });
    expect(received).toEqual({ id: 0, name: "string" });
    expect(page.prose).toContain("- `secret` (string, required, write-only)");
    expect(page.prose.split("**Response 200**")[0]).not.toContain("- `id`");
  });
});

it("a large schema is named where it is received, and has a page of its own", async () => {
  const page = async (wanted: string) => (await pages).find(({ key }) => key === wanted);
  expect((await page("#/paths/~1Large/get"))?.prose).toContain("Large, see schema Large");
  const schema = await page("#/components/schemas/Large");
  expect(schema?.passages[0]?.breadcrumb).toEqual(["Acme API", "Large schema"]);
  expect(schema?.prose).toContain("- `p0` (Node, see schema Node)");
});

it.each(["Wrapped", "WrappedDeep"])(
  "a body of %s, too large to be shown whole, is filled up and never emptied",
  async (name) => {
    const { data } = (await sampleOf(name)) as { data: object | readonly { attributes: object }[] };
    const shown = Array.isArray(data) ? (data[0] as { attributes: object }).attributes : data;
    expect(Object.keys(shown).length).toBeGreaterThan(5);
    expect(JSON.stringify(data).length).toBeLessThan(5000);
  },
);

it("a schema without a type is left out, and null only where it is allowed", async () => {
  expect(await sampleOf("Untyped")).toEqual({ id: 0 });
  expect(await sampleOf("UntypedItems")).toEqual([{ a: ["string"] }]);
  expect(await sampleOf("Required")).toEqual({ undeclared: "string" });
});
