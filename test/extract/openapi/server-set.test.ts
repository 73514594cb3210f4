import { expect, it } from "vitest";
import { describing, pageOf } from "./cutting.ts";

/** The request and the response sample of an operation with one schema for both. */
async function bodiesOf(schema: object): Promise<readonly unknown[]> {
  const content = { "application/json": { schema } };
  const page = await pageOf(
    describing({ "/a": { post: { requestBody: { content }, responses: { 200: { description: "", content } } } } }),
    "#/paths/~1a/post",
  );
  return page.codes.map(({ code }) => JSON.parse(/\{[\s\S]*\}/.exec(code)?.[0] ?? "{}") as unknown);
}

const text = { type: "string" };
const time = { type: "string", format: "date-time" };

it.each<[string, Record<string, object>, readonly string[]]>([
  [
    "times, and what comes with them",
    {
      id: text,
      uuid: text,
      links: { type: "object", properties: { self: text } },
      created_on: time,
      updatedAt: time,
      name: text,
    },
    ["name"],
  ],
  [
    "times that may be null, or are numbers",
    { created_at: { type: ["string", "null"] }, last_modified_date: { type: "integer" }, name: text },
    ["name"],
  ],
  [
    "what is said to be output",
    {
      kind: { ...text, description: "[Output Only] Type of the resource." },
      state: { ...text, description: "Output only. The state." },
      name: text,
    },
    ["name"],
  ],
  [
    "what is said to be read-only",
    { status: { ...text, description: "**Read-only**: the status" }, id: text, name: text },
    ["name"],
  ],
  ["an id beside what is marked", { id: text, state: { ...text, readOnly: true }, name: text }, ["name"]],
  ["an id that the caller chooses", { id: text, role: text }, ["id", "role"]],
  [
    "a field that says what is read-only",
    { mode: { type: "boolean", description: "Whether the share is read-only." }, due_at: time },
    ["mode", "due_at"],
  ],
  ["a filter by time", { created_at: { type: "object", properties: { after: time } } }, ["created_at"]],
])("a request is made without what only the server sets: %s", async (_, properties, sent) => {
  const [request, response] = await bodiesOf({ type: "object", properties });
  expect(Object.keys(request as object)).toEqual(sent);
  expect(Object.keys(response as object)).toEqual(Object.keys(properties));
});

it("ids further in are references, and stay", async () => {
  const owner = { type: "object", properties: { id: text, created_at: time } };
  const [request] = await bodiesOf({ type: "object", properties: { id: text, created_at: time, owner } });
  expect(request).toEqual({ owner: { id: "string" } });
});

it.each([
  ["one thing", { payment: { type: "object", properties: { id: text, created_at: time, note: text } } }],
  [
    "many",
    {
      payments: { type: "array", items: { type: "object", properties: { uuid: text, updated_at: time, note: text } } },
    },
  ],
])("what wraps %s is made without its id", async (_, wrapped) => {
  const [request] = await bodiesOf({ type: "object", properties: { idempotency_key: text, ...wrapped } });
  const [thing] = [Object.values(request as object)[1] as unknown].flat();
  expect(thing).toEqual({ note: "string" });
});

it("an id called after its schema is one of its own; what the body only refers to keeps its id", async () => {
  const Invoice = { type: "object", properties: { InvoiceID: text, updated_at: time, Total: text } };
  const body = {
    type: "object",
    properties: { Invoices: { type: "array", items: { $ref: "#/components/schemas/Invoice" } } },
  };
  const content = { "application/json": { schema: body } };
  const api = describing(
    { "/a": { post: { requestBody: { content }, responses: {} } } },
    { components: { schemas: { Invoice } } },
  );
  const { codes } = await pageOf(api, "#/paths/~1a/post");
  expect(codes[0]?.code).not.toContain("InvoiceID");
  const [request] = await bodiesOf({
    type: "object",
    properties: { note: text, customer: { type: "object", properties: { id: text, name: text } } },
  });
  expect(request).toEqual({ note: "string", customer: { id: "string", name: "string" } });
});

it("what is required stays", async () => {
  const [request] = await bodiesOf({
    type: "object",
    required: ["id", "created_at"],
    properties: { id: text, created_at: { type: "string" }, updated_at: time, name: text },
  });
  expect(request).toEqual({ id: "string", created_at: "string", name: "string" });
});

it("objects that count their properties keep them", async () => {
  const [request] = await bodiesOf({ type: "object", minProperties: 2, properties: { created_at: text, name: text } });
  expect(request).toEqual({ created_at: "string", name: "string" });
});
