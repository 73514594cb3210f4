import { expect, it } from "vitest";
import { describing, pageOf } from "./cutting.ts";

const text = { type: "string" };
const json = (schema: object): object => ({ "application/json": { schema } });

async function read(operation: object, others: object = {}) {
  return pageOf(describing({ "/a": { post: { summary: "Do", ...operation } } }, others), "#/paths/~1a/post");
}

it("a response has the fields of its body with all that is said of them, nested as they are", async () => {
  const state = { ...text, enum: ["placed", "lost"], description: "How far it is" };
  const item = { type: "object", properties: { price: { type: "number", minimum: 0, description: "In euro" } } };
  const order = {
    type: "object",
    description: "An order.",
    properties: { state, items: { type: "array", items: item } },
  };
  const { prose } = await read({ responses: { 200: { description: "The order", content: json(order) } } });
  expect(prose).toContain("**Response 200**\n\nThe order\n\nBody: `application/json`, object.\n\nAn order.");
  expect(prose).toContain("- `state` (string, one of `placed`, `lost`): How far it is");
  expect(prose).toContain("- `items[].price` (number, at least 0): In euro");
});

it("a response has its headers and the operations that it leads to", async () => {
  const headers = { "X-Left": { description: "Requests left", schema: { type: "integer", minimum: 1 } } };
  const links = {
    next: { operationId: "readOrder", parameters: { id: "$response.body#/id" }, description: "Reads it." },
  };
  const { prose } = await read({ responses: { 201: { description: "Made", headers, links } } });
  expect(prose).toContain("Headers:\n\n- `X-Left` (integer, at least 1): Requests left");
  expect(prose).toContain("- `next` (operation `readOrder` with `id` = `$response.body#/id`): Reads it.");
});

it("errors come after the response, with their meaning and the fields of each type once", async () => {
  const problem = { type: "object", properties: { code: { ...text, description: "What went wrong" } } };
  const content = json({ $ref: "#/components/schemas/Problem" });
  const responses = {
    404: { description: "There is none", content },
    200: { description: "Done" },
    default: { description: "Anything else", content },
  };
  const { prose } = await read({ responses }, { components: { schemas: { Problem: problem } } });
  expect(prose).toMatch(
    /\*\*Response 200\*\*\n\nDone\n\n\*\*Errors\*\*\n\n- `404`: There is none\n {2}Body: `application\/json`, Problem\./,
  );
  expect(prose).toContain("- `default`: Anything else");
  expect(prose.split("What went wrong")).toHaveLength(2);
});

it("a body is described in every media type", async () => {
  const requestBody = {
    content: {
      ...json({ type: "object", properties: { name: { ...text, description: "Its name" } } }),
      "application/xml": { schema: { type: "object", properties: { name: { ...text, description: "Its name" } } } },
      "multipart/form-data": {
        schema: { type: "object", properties: { scan: { ...text, format: "binary", description: "The receipt" } } },
        encoding: { scan: { contentType: "image/png" } },
      },
    },
  };
  const { prose } = await read({ requestBody, responses: {} });
  expect(prose).toContain("**Request body**: `application/json` or `application/xml`, object, optional.");
  expect(prose).toContain("Or `multipart/form-data`, object:\n\n- `scan` (string (binary)): The receipt");
  expect(prose).toContain("- `scan` is sent as `image/png`.");
});

it("an operation names the requests that the API sends because of it", async () => {
  const callbacks = { paid: { "{$request.body#/url}": { post: { summary: "Money came in", responses: {} } } } };
  const { prose } = await read({ callbacks, responses: {} });
  expect(prose).toContain("- `paid` (`POST {$request.body#/url}`): Money came in");
});

it("optional parameters are a table, and those with much to say a list below it", async () => {
  const parameters = [
    { name: "limit", in: "query", description: "At most | so many", schema: { type: "integer", default: 10 } },
    {
      name: "filter",
      in: "query",
      style: "deepObject",
      schema: {
        type: "object",
        properties: { made: { type: "object", properties: { after: { ...text, description: "A day" } } } },
      },
    },
    { name: "id", in: "query", required: true, schema: text },
  ];
  const { prose } = await read({ parameters, responses: {} });
  expect(prose).toContain(
    "- `id` (query, string, required)\n\n| Optional parameter | In | Type | Meaning |\n|---|---|---|---|\n| `limit` | query | integer, default `10` | At most \\| so many |",
  );
  expect(prose).toContain("- `filter[made]` (query, object)\n- `filter[made].after` (string): A day");
});

it("a long example is a passage of its own", async () => {
  const example = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`field_${at}`, `A value of some length, number ${at}`]),
  );
  const responses = {
    200: {
      description: "Done",
      content: {
        "application/json": {
          schema: { type: "object", properties: { a: { ...text, description: "What a is" } } },
          example,
        },
      },
    },
  };
  const source = "client.do()\n".repeat(200);
  const samples = [
    { lang: "Python", source },
    { lang: "Ruby", source },
  ];
  const { passages } = await read({ responses, "x-codeSamples": samples });
  const codes = passages.map(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "code" ? block.codes.map(({ label }) => label) : [])),
  );
  expect(codes.filter((labels) => labels.length > 0)).toEqual([["curl"], ["response 200"], ["Python"], ["Ruby"]]);
});
