import { describe, expect, it } from "vitest";
import type { Located } from "../../../extract/openapi/located.ts";
import {
  addChildren,
  addKeywords,
  addMerged,
  allowNull,
  emptySchema,
  isPlainKeyword,
  labelOf,
  setDiscriminator,
  toFlatSchema,
} from "../../../extract/openapi/merged-schema.ts";

const locate = (value: unknown): Located => ({ value, file: "api.json", pointer: "" });
const text = { type: "string" };

describe("keywords", () => {
  it("are plain unless schemas are in them, or they are extensions", () => {
    expect(["type", "enum", "pattern", "description"].every(isPlainKeyword)).toBe(true);
    expect(["$ref", "properties", "allOf", "discriminator", "x-order"].some(isPlainKeyword)).toBe(false);
  });

  it("that were added first stay, and a map of schemas is no keyword", () => {
    const into = emptySchema();
    addKeywords(into, { type: "object", title: "A", properties: { id: text } });
    addKeywords(into, { title: "B", minProperties: 1 });
    expect(into.keywords).toEqual({ type: "object", title: "A", minProperties: 1 });
  });

  it("have `nullable` for the extension that means it, and the discriminator apart", () => {
    const into = emptySchema();
    addKeywords(into, { "x-nullable": true, discriminator: { propertyName: "kind" } });
    expect(into).toMatchObject({ keywords: { nullable: true }, discriminator: { propertyName: "kind" } });
  });
});

describe("what is in an object or array", () => {
  it("is its properties, each once, and which of them are required", () => {
    const into = emptySchema();
    addChildren(into, { properties: { id: text, name: text }, required: ["id", 1] }, locate);
    addChildren(into, { properties: { id: { type: "integer" } }, required: ["name"] }, locate);
    expect([...into.properties]).toEqual([
      ["id", locate(text)],
      ["name", locate(text)],
    ]);
    expect([...into.required]).toEqual(["id", "name"]);
  });

  it.each([
    [{ items: text }, text],
    [{ items: [text, { type: "integer" }] }, text],
    [{ prefixItems: [text] }, text],
  ])("is the schema of its items: %j", (schema, items) => {
    const into = emptySchema();
    addChildren(into, schema, locate);
    expect(into.items).toEqual(locate(items));
  });

  it("is the schema of other properties, or that there are none", () => {
    const [open, closed] = [emptySchema(), emptySchema()];
    addChildren(open, { additionalProperties: text, propertyNames: { pattern: "^x-" } }, locate);
    addChildren(closed, { additionalProperties: false }, locate);
    expect(open).toMatchObject({ additional: locate(text), isClosed: false, names: { pattern: "^x-" } });
    expect(closed).toMatchObject({ additional: undefined, isClosed: true, names: undefined });
  });

  it("is never a property that would change its prototype, and not more than a page can show", () => {
    const into = emptySchema();
    addChildren(
      into,
      JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }') as Record<string, unknown>,
      locate,
    );
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, text]));
    addChildren(into, { properties: many }, locate);
    expect(into.properties.size).toBe(1000);
    expect(into.properties.has("__proto__")).toBe(false);
  });
});

it("a merged schema adds only missing keywords, and each of its parts once", () => {
  const [into, from] = [emptySchema(), emptySchema()];
  const [shared, own] = [{}, {}];
  into.parts.push(shared);
  from.parts.push(shared, own);
  addKeywords(into, { title: "A" });
  addKeywords(from, { title: "B", description: "What it is" });
  addChildren(from, { properties: { id: text }, required: ["id"], items: text, additionalProperties: false }, locate);
  from.name = "Other";
  addMerged(into, from);
  expect(into).toMatchObject({ name: "Other", keywords: { title: "A", description: "What it is" }, isClosed: true });
  expect([[...into.properties.keys()], [...into.required], into.items]).toEqual([["id"], ["id"], locate(text)]);
  expect(into.parts).toEqual([shared, own]);
});

it("a type `null` among alternatives makes a value nullable; any other type stays", () => {
  const [none, other] = [emptySchema(), emptySchema()];
  addKeywords(none, { type: "null" });
  addKeywords(other, { type: "object" });
  allowNull(none);
  allowNull(other);
  expect([none.keywords, other.keywords]).toEqual([{ nullable: true }, { type: "object" }]);
});

describe("a discriminator", () => {
  const place = locate({});

  it.each([
    [{ propertyName: "kind", mapping: { feline: "#/components/schemas/Cat" } }, "feline"],
    [{ propertyName: "kind" }, "Cat"],
  ])("%j gives its property the value of the chosen alternative", (discriminator, example) => {
    const into = emptySchema();
    setDiscriminator(into, discriminator, "Cat", place);
    expect(into.properties.get("kind")?.value).toEqual({ type: "string", example });
  });

  it("leaves a property alone that has a value of its own", () => {
    const into = emptySchema();
    addChildren(into, { properties: { kind: { const: "cat" } } }, locate);
    setDiscriminator(into, { propertyName: "kind" }, "Cat", place);
    expect(into.properties.get("kind")?.value).toEqual({ const: "cat" });
  });
});

it.each([
  [{ $ref: "#/components/schemas/Cat" }, "Cat"],
  [{ title: "A cat", type: "object" }, "A cat"],
  [{ type: ["string", "null"] }, "string"],
  [{}, ""],
])("readers call the alternative %j %j", (value, label) => {
  expect(labelOf(locate(value))).toBe(label);
});

it.each([
  [{ type: "string" }, "string"],
  [{ type: ["null", "integer"] }, "integer"],
  [{ properties: { id: text } }, "object"],
  [{ additionalProperties: text }, "object"],
  [{ items: text }, "array"],
  [{}, ""],
])("the type of %j is %j", (schema, type) => {
  const merged = emptySchema();
  addKeywords(merged, schema);
  addChildren(merged, schema, locate);
  expect(toFlatSchema(merged, locate(schema)).type).toBe(type);
});

it("properties that are required without being described may be anything", () => {
  const merged = emptySchema();
  addChildren(merged, { properties: { id: text }, required: ["name"] }, locate);
  expect([...toFlatSchema(merged, locate({})).properties]).toEqual([
    ["id", { ...locate(text), required: false }],
    ["name", { ...locate({}), required: true }],
  ]);
});
