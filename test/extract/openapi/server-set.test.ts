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

const text = { type: "string", example: "x" };

it.each<[string, Record<string, object>, readonly string[]]>([
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
    { status: { ...text, description: "**Read-only**: the status" }, name: text },
    ["name"],
  ],
  ["what is marked", { id: { ...text, readOnly: true }, name: text }, ["name"]],
  [
    "a field that says what is read-only",
    { mode: { type: "boolean", default: false, description: "Whether the share is read-only." } },
    ["mode"],
  ],
])("a request is made without what only the server sets: %s", async (_, properties, sent) => {
  const [request, response] = await bodiesOf({ type: "object", properties });
  expect(Object.keys(request as object)).toEqual(sent);
  expect(Object.keys(response as object)).toEqual(Object.keys(properties));
});

it("what is required stays though its description calls it read-only, and what is marked does not", async () => {
  const [request, response] = await bodiesOf({
    type: "object",
    required: ["id", "created_at"],
    properties: { id: { ...text, description: "Read-only id" }, created_at: { ...text, readOnly: true } },
  });
  expect(request).toEqual({ id: "x" });
  expect(response).toEqual({ id: "x", created_at: "x" });
});
