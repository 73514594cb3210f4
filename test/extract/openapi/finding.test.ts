import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { LlmsTxtSourceSpec } from "../../../domain/kinds/index.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { cutDescription } from "../../../extract/openapi/cut.ts";
import { toLines } from "../../../extract/passage-lines.ts";
import { analyseQuestion } from "../../../search/ranking/analyse-question.ts";
import { rank } from "../../../search/ranking/rank.ts";
import { createSqlitePassageIndex } from "../../../search/sqlite/passage-index.ts";
import { ask, control } from "../../contracts/passage-index-asking.ts";
import { describing, filesOf, root } from "./cutting.ts";

const things = ["customer", "charge", "invoice", "refund", "coupon", "dispute"];

/** An API that creates, lists, reads, changes and deletes all its resources in the same words. */
function paths(): object {
  const json = (name: string) => ({
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const entries = things.flatMap((thing) => {
    const id = { name: `${thing}_id`, in: "path", required: true, schema: { type: "string" } };
    const operation = (summary: string, operationId: string, more: object = {}) => ({
      summary,
      operationId,
      tags: [`${thing}s`],
      responses: { 200: { description: "OK", ...json(thing) } },
      ...more,
    });
    return [
      [
        `/v1/${thing}s`,
        {
          post: operation(`Create a ${thing}`, `${thing}s_create`, { requestBody: json(thing) }),
          get: operation(`List all ${thing}s`, `${thing}s_list`),
        },
      ],
      [
        `/v1/${thing}s/{${thing}_id}`,
        {
          parameters: [id],
          get: operation(`Get a ${thing}`, `${thing}s_get`),
          delete: operation(`Delete a ${thing}`, `${thing}s_delete`, {
            responses: { 423: { description: `The ${thing} is locked by an audit.` } },
          }),
        },
      ],
    ];
  });
  return Object.fromEntries(entries) as object;
}

function schemas(): object {
  return Object.fromEntries(
    things.map((thing) => {
      const own = Array.from({ length: 12 }, (_, at) => [`${thing}_field_${at}`, { type: "string" }]);
      return [thing, { type: "object", required: [`${thing}_field_0`], properties: Object.fromEntries(own) as object }];
    }),
  );
}

/** The passages that a question finds in a description, in order, by page and text. */
async function finderFor(description: object) {
  const spec: LlmsTxtSourceSpec = { kind: "llmstxt", url: root, otherHosts: false };
  const format = await formatOf(openApiPartType);
  const lines = cutDescription(filesOf(description)).pages.flatMap(({ key, url, bytes }) => {
    const result = extractPage({ path: key, mediaType: openApiPartType, bytes }, format);
    return toLines({ path: key, url }, result, { spec, revision: "r" }).map(({ line }) => `${line}\n`);
  });
  const folder = await mkdtemp(join(tmpdir(), "lectern-openapi-"));
  const index = createSqlitePassageIndex({ folder });
  onTestFinished(async () => {
    await index.close();
    await rm(folder, { recursive: true });
  });
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines.join(""));
  }
  await index.load("g", parts(), control());
  return async (query: string) => {
    const candidates = await ask(index, "g", query);
    const ranked = rank(analyseQuestion(query), candidates, { limit: 50, tokens: 5000 });
    const passages = await candidates.read(ranked.map(({ candidate }) => candidate.id));
    return passages.map(({ page, blocks }) => ({
      page: decodeURIComponent(page.url.replace(root, "")),
      text: JSON.stringify(blocks),
    }));
  };
}

it("operations are found by what they do, path, id, parameters, schema and status", async () => {
  const find = await finderFor(describing(paths(), { components: { schemas: schemas() } }));
  const best = async (query: string): Promise<string> => (await find(query))[0]?.page ?? "";

  expect(await best("create a customer")).toBe("#/paths/~1v1~1customers/post");
  expect(await best("How do I list all invoices?")).toBe("#/paths/~1v1~1invoices/get");
  expect(await best("remove a coupon")).toBe("#/paths/~1v1~1coupons~1{coupon_id}/delete");
  expect(await best("how can I add a new dispute")).toBe("#/paths/~1v1~1disputes/post");
  expect(await best("register a coupon")).toBe("#/paths/~1v1~1coupons/post");
  expect(await best("find a refund")).toBe("#/paths/~1v1~1refunds~1{refund_id}/get");
  expect(await best("POST /v1/refunds")).toBe("#/paths/~1v1~1refunds/post");
  expect(await best("DELETE /v1/coupons/{coupon_id}")).toBe("#/paths/~1v1~1coupons~1{coupon_id}/delete");
  expect(await best("disputes_get")).toBe("#/paths/~1v1~1disputes~1{dispute_id}/get");
  expect(await best("423 charge locked")).toBe("#/paths/~1v1~1charges~1{charge_id}/delete");
  expect(await best("invoice_field_7")).toMatch(
    /^#\/(?:components\/schemas\/invoice|paths\/~1v1~1invoices(?:~1\{invoice_id\})?\/)/,
  );
  expect(await best("refund schema")).toBe("#/components/schemas/refund");
});

it("the request of a large operation comes before all else of it, wherever the operation is in an answer", async () => {
  const fields = (about: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `${about}_${at}`,
        { type: "string", description: `The ${about} that a payment has, told at some length for number ${at}.` },
      ]),
    );
  const taking = (summary: string, about: string) => {
    const schema = {
      type: "object",
      required: ["amount"],
      properties: { ...fields(about), amount: { type: "integer" } },
    };
    const content = { "application/json": { schema } };
    return { summary, requestBody: { content }, responses: { 200: { description: "OK", content } } };
  };
  const find = await finderFor(
    describing({
      "/payments": { post: taking("Create a payment", "card payment") },
      "/payments/{id}": { put: taking("Change a payment", "payment card") },
      "/cards": { post: taking("Create a card", "card") },
    }),
  );
  const found = await find("create a card payment");
  const pages = Map.groupBy(found, ({ page }) => page);
  expect(pages.size).toBe(3);
  expect([...pages.values()].some((passages) => passages.length > 1)).toBe(true);
  for (const [{ text } = { text: "" }] of pages.values()) {
    expect(text).toContain("curl -X");
    expect(text).toContain("**Required**: ");
    expect(text).toContain("`amount` (body, integer)");
  }
});

it.each([
  ["the keyword", { deprecated: true }],
  ["an extension", { "x-is-deprecated": true }],
  ["an extension's value", { "x-release-status": "DEPRECATED" }],
  ["the summary", { summary: "[Deprecated] List the payments" }],
  ["the description", { description: "**Deprecated.** Use the other one." }],
  ["a sentence", { description: "Lists all. This endpoint is deprecated since spring." }],
])("what is deprecated by %s comes after its replacement", async (_, how) => {
  const operation = { summary: "List the payments", responses: { 200: { description: "OK" } } };
  const find = await finderFor(
    describing({ "/payments": { get: { ...operation, ...how } }, "/v2/payments": { get: operation } }),
  );
  expect((await find("list payments"))[0]?.page).toBe("#/paths/~1v2~1payments/get");
});

it("an operation with a deprecated field is not deprecated", async () => {
  const find = await finderFor(
    describing({
      "/a": {
        get: { summary: "List", description: "The field `old` is deprecated.", "x-deprecated": false, responses: {} },
      },
    }),
  );
  expect((await find("list"))[0]?.text).not.toContain("**Deprecated.**");
});

it("a task of several steps leads to the operation of each", async () => {
  const find = await finderFor(describing(paths()));
  const pages = async (query: string) => [...new Set((await find(query)).map(({ page }) => page))];
  expect((await pages("create a customer and then list all invoices")).slice(0, 2)).toEqual([
    "#/paths/~1v1~1customers/post",
    "#/paths/~1v1~1invoices/get",
  ]);
  const [first, second] = await pages("Delete a coupon, add a charge");
  expect([first, second]).toEqual(["#/paths/~1v1~1coupons~1{coupon_id}/delete", "#/paths/~1v1~1charges/post"]);
});

it("a resource comes before what others have of its kind", async () => {
  const create = { summary: "Create a note", responses: { 200: { description: "OK" } } };
  const find = await finderFor(
    describing({
      "/accounts/{account_id}/invoices/{invoice_id}/notes": { post: create },
      "/notes": { post: create },
      "/invoices/{id}/notes": { post: create },
    }),
  );
  const found = (await find("create a note")).map(({ page }) => page.match(/~1/g)?.length);
  expect([...new Set(found)]).toEqual([1, 3, 5]);
});

it("webhooks, tags and schemas come after all operations, unless they are asked for", async () => {
  const payment = {
    type: "object",
    description: "A failed payment.",
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`payment_${at}`, { type: "string" }]),
    ) as object,
  };
  const find = await finderFor(
    describing(
      {
        "/payments": {
          get: { summary: "List payments", tags: ["Payments"], responses: { 200: { description: "OK" } } },
        },
      },
      {
        openapi: "3.1.0",
        tags: [{ name: "Payments", description: "Payments that failed, and others." }],
        webhooks: {
          "payment.failed": { post: { summary: "A payment failed", responses: { 200: { description: "OK" } } } },
        },
        components: { schemas: { payment } },
      },
    ),
  );
  const first = async (query: string) => (await find(query))[0]?.page;
  expect(await first("which payments failed")).toBe("#/paths/~1payments/get");
  expect(await first("webhook for a failed payment")).toBe("#/webhooks/payment.failed/post");
  expect(await first("get notified when a payment failed")).toBe("#/webhooks/payment.failed/post");
  expect(await first("payment schema")).toBe("#/components/schemas/payment");
});
