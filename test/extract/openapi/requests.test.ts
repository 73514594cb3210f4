import { expect, it } from "vitest";
import { extractAll } from "./cutting.ts";
import type { DescriptionFiles } from "../../../extract/openapi/cut.ts";

/** The request of the only operation of a description that was uploaded, and so has no address. */
async function requestOf(description: object): Promise<string> {
  const name = "api.json";
  const files: DescriptionFiles = {
    root: name,
    base: name,
    files: new Map([[name, new TextEncoder().encode(JSON.stringify(description))]]),
  };
  const pages = await extractAll(files);
  return pages.find(({ key }) => key.includes("/paths/"))?.codes[0]?.code ?? "";
}

const old = (operation: object, others: object = {}) => ({
  swagger: "2.0",
  paths: { "/a": { post: { responses: {}, ...operation } } },
  ...others,
});
const modern = (operation: object, others: object = {}) => ({
  openapi: "3.0.3",
  paths: { "/a": { post: { responses: {}, ...operation } } },
  ...others,
});
const header = (name: string, more: object = {}) => ({ name, in: "header", required: true, ...more });

it.each<[string, object, string]>([
  ["a relative server", modern({}, { servers: [{ url: "/api/v3" }] }), 'curl -X POST "$BASE_URL/api/v3/a"'],
  ["a server relative to its folder", modern({}, { servers: [{ url: "./v3/" }] }), 'curl -X POST "$BASE_URL/v3/a"'],
  ["no server", modern({}), 'curl -X POST "$BASE_URL/a"'],
  [
    "a server that begins with a variable",
    modern({}, { servers: [{ url: "{endpoint}/v3" }] }),
    'curl -X POST "$ENDPOINT/v3/a"',
  ],
  ["a base path of 2.0 without a host", old({}, { basePath: "/api/v1" }), 'curl -X POST "$BASE_URL/api/v1/a"'],
  [
    "a file of 2.0",
    old({
      consumes: ["multipart/form-data"],
      parameters: [{ name: "upload", in: "formData", type: "file", required: true }],
    }),
    'curl -X POST "$BASE_URL/a" \\\n  -F upload=@file',
  ],
  [
    "a file of 2.0 as the body's only optional field",
    old({ parameters: [{ name: "upload", in: "formData", type: "file" }] }),
    'curl -X POST "$BASE_URL/a" \\\n  -F upload=@file',
  ],
  [
    "headers that 2.0 allows",
    old({
      parameters: [
        header("Accept", { type: "string", enum: ["application/vnd.acme.v2+json"] }),
        header("Authorization", { type: "string" }),
      ],
    }),
    'curl -X POST "$BASE_URL/a" \\\n  -H \'Accept: application/vnd.acme.v2+json\' \\\n  -H "Authorization: $AUTHORIZATION"',
  ],
  [
    "the header of its authentication among its parameters",
    old(
      { parameters: [header("Authorization", { type: "string" })], security: [{ basic: [] }] },
      { securityDefinitions: { basic: { type: "basic" } } },
    ),
    'curl -X POST "$BASE_URL/a" \\\n  -u "$API_USER:$API_PASSWORD"',
  ],
  [
    "an Accept that it requires, once",
    modern({
      parameters: [header("Accept", { schema: { type: "string", example: "application/xml" } })],
      responses: { 200: { description: "", content: { "application/xml": {} } } },
    }),
    "curl -X POST \"$BASE_URL/a\" \\\n  -H 'Accept: application/xml'",
  ],
  [
    "an Accept that it does not require",
    modern({ parameters: [{ name: "Accept", in: "header", schema: { type: "string", example: "text/csv" } }] }),
    'curl -X POST "$BASE_URL/a"',
  ],
  [
    "an example in the content of a parameter",
    modern({
      parameters: [
        {
          name: "filter",
          in: "query",
          required: true,
          content: { "application/json": { schema: { type: "object" }, example: { a: ["b"] } } },
        },
      ],
    }),
    'curl -X POST "$BASE_URL/a?filter=%7B%22a%22%3A%5B%22b%22%5D%7D"',
  ],
])("a request of an uploaded description with %s", async (_, description, request) => {
  expect(await requestOf(description)).toBe(request);
});

it("names with lone surrogates are replaced in addresses", async () => {
  const name = "\ud800";
  const operation = {
    tags: [name],
    callbacks: { [name]: { [name]: { post: { responses: {} } } } },
    parameters: [{ name, in: "path", required: true, schema: { type: "string" } }],
    responses: {},
  };
  const description = {
    openapi: "3.2.0",
    paths: { [`/{${name}}`]: { get: operation, additionalOperations: { [name]: { responses: {} } } } },
    components: {
      schemas: { [name]: { type: "object", properties: { a: { type: "string" } } } },
      securitySchemes: { key: { type: "apiKey", in: "query", name } },
    },
    security: [{ key: [] }],
  };
  expect(await requestOf(description)).toContain("?%EF%BF%BD=");
});

it("a request has the first example that the API would accept, or else a sample", async () => {
  const schema = { type: "object", required: ["age"], properties: { age: { type: "integer" } } };
  const sending = (examples: object) =>
    requestOf(modern({ requestBody: { content: { "application/json": { schema, examples } } } }));
  const old = { value: { age: "old" } };
  expect(await sending({ old, young: { value: { age: 3 } } })).toContain('"age":3');
  expect(await sending({ old })).toContain('"age": 0');
  expect(await sending({ text: { value: '{"age": 4}' } })).toContain('{"age": 4}');
});

it.each([
  ["image/*", "image/png"],
  ["*/*", "application/json"],
  ["text/*", "text/plain"],
])("a body of %s is sent as %s", async (range, type) => {
  const schema = { type: "string", format: "binary" };
  expect(await requestOf(modern({ requestBody: { content: { [range]: { schema } } } }))).toContain(
    `Content-Type: ${type}`,
  );
});
