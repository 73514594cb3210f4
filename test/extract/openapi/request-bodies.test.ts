import { describe, expect, it } from "vitest";
import { curlArguments } from "../../support/shell.ts";
import { describing, pageOf } from "./cutting.ts";

/** What the request of an operation sends after its address, as a shell passes it to curl. */
async function sentBy(content: object, others: object = {}): Promise<readonly string[]> {
  const paths = { "/a": { post: { requestBody: { required: true, content }, responses: {} } } };
  const { codes } = await pageOf(describing(paths, others), "#/paths/~1a/post");
  return curlArguments([codes[0]?.code ?? ""])[0]?.slice(3) ?? [];
}

async function jsonSent(schema: object, others: object = {}): Promise<unknown> {
  const words = await sentBy({ "application/json": { schema } }, others);
  expect(words.slice(0, 3)).toEqual(["-H", "Content-Type: application/json", "-d"]);
  return JSON.parse(words[3] ?? "");
}

const object = (required: readonly string[], properties: object, more: object = {}): object => ({
  type: "object",
  required,
  properties,
  ...more,
});
const text = { type: "string" };

describe("a body has what is required, and of the rest what the description gives a value of", () => {
  it("with nothing invented", async () => {
    const schema = object(["actions"], {
      value: text,
      actions: { type: "array", items: text },
      expires_at: { type: "integer", format: "int64" },
      kind: { enum: ["a", "b"] },
      given: { type: "string", example: "g" },
      size: { type: "integer", default: 3 },
      parent: object(["id"], { id: { type: "string", example: "0" }, name: text }),
      guessed: object(["id"], { id: text }),
      tags: { type: "array", items: { type: "string", example: "red" } },
    });
    expect(await jsonSent(schema)).toEqual({
      actions: ["string"],
      given: "g",
      size: 3,
      parent: { id: "0" },
      tags: ["red"],
    });
  });

  it("with identifiers and secrets that are seen to be placeholders", async () => {
    const names = ["client_id", "accessToken", "secret", "name"];
    expect(await jsonSent(object(names, Object.fromEntries(names.map((name) => [name, text]))))).toEqual({
      client_id: "YOUR_CLIENT_ID",
      accessToken: "YOUR_ACCESS_TOKEN",
      secret: "YOUR_SECRET",
      name: "string",
    });
    expect(await jsonSent(object(["id"], { id: { type: "string", maxLength: 4 } }))).toEqual({ id: "YOUR" });
    expect(await jsonSent(object(["id"], { id: { type: "string", pattern: "^\\d+$" } }))).toEqual({ id: "1" });
  });

  it("without examples that the schema does not allow", async () => {
    const schema = object(["day"], {
      day: { type: "string", format: "date", example: "2024-01-01T00:00:00" },
      note: { type: "string", maxLength: 2, example: "long" },
    });
    expect(await jsonSent(schema)).toEqual({ day: "2019-08-24" });
  });

  it.each<[string, object, unknown]>([
    ["a step", { type: "integer", minimum: 7, multipleOf: 5 }, 10],
    ["an open range", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ["numbers below zero", { type: "integer", maximum: -3 }, -3],
    ["a length", { type: "string", minLength: 8, maxLength: 9 }, "stringst"],
    ["an address of a length", { type: "string", format: "uri", minLength: 22 }, "http://example.com/aaaa"],
    ["a URL", { type: "string", format: "url" }, "https://example.com"],
    ["a duration", { type: "string", format: "duration" }, "P1D"],
    ["different numbers", { type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true }, [0, 1, 2]],
    ["different texts", { type: "array", items: text, minItems: 2, uniqueItems: true }, ["string", "string1"]],
    ["two items", { type: "array", items: { type: "boolean" }, minItems: 2 }, [true, true]],
    ["a tuple", { type: "array", prefixItems: [{ type: "integer" }, text] }, [0, "string"]],
    ["no item", { type: "array", items: text, maxItems: 0 }, []],
    ["a number of properties", { type: "object", minProperties: 1, properties: { a: text, b: text } }, { a: "string" }],
    ["a number of entries", { type: "object", minProperties: 1, additionalProperties: text }, { property1: "string" }],
    ["null besides", { anyOf: [{ type: "null" }, { type: "integer", minimum: 2 }] }, 2],
  ])("with values that its schema allows: %s", async (_, schema, value) => {
    expect(await jsonSent(object(["it"], { it: schema }))).toEqual({ it: value });
  });
});

describe("of several alternatives a body fits exactly one", () => {
  it.each<[string, object, unknown]>([
    [
      "that other ones include",
      { oneOf: [object(["a"], { a: text }), object(["a", "b"], { a: text, b: text })] },
      { a: "string" },
    ],
    [
      "that only optional properties tell apart",
      {
        oneOf: [
          { type: "object", properties: { a: text }, additionalProperties: false },
          { type: "object", properties: { b: text }, additionalProperties: false },
        ],
      },
      { a: "string" },
    ],
    [
      "by what is required",
      object(
        [],
        { a: { ...text, example: "1" }, b: { ...text, example: "2" } },
        { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      ),
      { a: "1" },
    ],
  ])("%s", async (_, schema, value) => {
    expect(await jsonSent(schema)).toEqual(value);
  });

  it("and says which by its discriminator", async () => {
    const schemas = {
      Card: object(["kind"], { kind: text, number: { ...text, default: "1" } }),
      Cash: object(["kind"], { kind: text }),
    };
    const schema = {
      oneOf: [{ $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Cash" }],
      discriminator: {
        propertyName: "kind",
        mapping: { card: "#/components/schemas/Card", cash: "#/components/schemas/Cash" },
      },
    };
    expect(await jsonSent(schema, { components: { schemas } })).toEqual({ kind: "card", number: "1" });
  });
});

describe("a form", () => {
  const form = (schema: object, encoding: object = {}) => sentBy({ "multipart/form-data": { schema, encoding } });
  const file = { type: "string", format: "binary" };

  it("in parts has objects as JSON, files, and lists as repeated parts", async () => {
    const schema = object(["attributes", "files", "tags"], {
      attributes: object(["name"], { name: { ...text, example: "a;b" } }),
      files: { type: "array", items: file, minItems: 2 },
      tags: { type: "array", items: text, example: ["x", "@y"] },
      note: text,
    });
    expect((await form(schema)).join(" ")).toBe(
      '-F attributes="{\\"name\\":\\"a;b\\"}";type=application/json -F files=@file -F files=@file --form-string tags=x --form-string tags=@y',
    );
    expect(await form(object(["a"], { a: object(["b"], { b: { type: "integer" } }) }))).toEqual([
      "-F",
      'a={"b":0};type=application/json',
    ]);
  });

  it("in parts has the media types that its encoding says", async () => {
    const schema = object(["image", "page"], { image: file, page: { ...text, example: "<p>" } });
    const encoding = { image: { contentType: "image/png, image/jpeg" }, page: { contentType: "text/html" } };
    expect(await form(schema, encoding)).toEqual([
      "-F",
      "image=@file;type=image/png",
      "-F",
      'page="<p>";type=text/html',
    ]);
  });

  it("is not sent without any part", async () => {
    expect(await form(object([], { a: text }))).toEqual(["--form-string", "a=string"]);
  });

  it("that is written like a query follows its encoding", async () => {
    const schema = object(["csv", "all", "deep", "json"], {
      csv: { type: "array", items: text, example: ["a", "b"] },
      all: { type: "array", items: text, example: ["a", "b"] },
      deep: { type: "object", example: { a: { b: ["c"] } } },
      json: { type: "object", example: { a: 1 } },
    });
    const encoding = { csv: { style: "form", explode: false }, json: { contentType: "application/json" } };
    const words = await sentBy({ "application/x-www-form-urlencoded": { schema, encoding } });
    expect(words.filter((word) => word !== "--data-urlencode")).toEqual(
      'csv=a,b all=a all=b deep%5Ba%5D%5Bb%5D%5B%5D=c json={"a":1}'.split(" "),
    );
  });
});

it("XML is in the element that its schema is called after, with attributes and wrapped lists", async () => {
  const Pet = object(["id", "tags"], {
    id: { type: "integer", xml: { attribute: true } },
    tags: { type: "array", xml: { wrapped: true, name: "tags" }, items: { type: "string", xml: { name: "tag" } } },
  });
  const words = await sentBy(
    { "application/xml": { schema: { $ref: "#/components/schemas/Pet" } } },
    { components: { schemas: { Pet } } },
  );
  expect(words[3]?.replace(/\s+/g, " ")).toBe('<Pet id="0"> <tags> <tag>string</tag> </tags> </Pet>');
});
