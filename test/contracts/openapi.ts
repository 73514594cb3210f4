import { describe, expect, it, onTestFinished } from "vitest";
import { formOf } from "../support/form.ts";
import { adminKey, type LecternProcess } from "../support/lectern-process.ts";
import { refreshedRun } from "../support/refreshing.ts";
import { startSite } from "../support/site.ts";

/** The calls that a test makes to a running Lectern. */
type Caller = Pick<LecternProcess, "call" | "settled" | "url">;

/** A description with an operation for each name. */
export function description(...names: readonly string[]): string {
  const paths = names.map((name) => [
    `/v1/${name}s`,
    {
      post: {
        operationId: `create_${name}`,
        summary: `Create a ${name}`,
        description: `Adds a ${name} to the shop, which customers find at once.`,
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
        },
        responses: { 201: { description: `The ${name}.` }, 409: { description: `There is such a ${name}.` } },
      },
    },
  ]);
  const properties = { name: { type: "string", example: "Ada" }, id: { type: "integer", readOnly: true } };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Shop", version: "1.0.0", description: "Everything that a shop needs, as an API." },
    servers: [{ url: "https://api.shop.example" }],
    paths: Object.fromEntries(paths) as object,
    components: { schemas: { Thing: { type: "object", required: ["name"], properties } } },
  });
}

/** Uploads a description. */
export async function upload(
  server: Pick<LecternProcess, "url">,
  text: string,
  fields: Readonly<Record<string, string>> = {},
) {
  const { bytes, type } = await formOf("openapiFile", { name: "shop.json", text }, fields);
  const response = await fetch(`${server.url}/api/v2/add/openapi-upload`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": type },
    body: Buffer.from(bytes),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** OpenAPI descriptions as a source, from submission to refreshes, over HTTP. `open` gives a server that may fetch from loopback. */
export function describeOpenApi(engine: string, open: () => Promise<Caller>): void {
  describe(`an OpenAPI description on ${engine}`, () => {
    const ask = async (server: Caller, libraryId: string, query: string) => {
      const { status, body } = await server.call(
        "GET",
        `/v2/context?${new URLSearchParams({ libraryId, query, type: "json" }).toString()}`,
      );
      return { status, text: JSON.stringify(body) };
    };

    it("is read from its address, and published again only if its content changes", async () => {
      const server = await open();
      const site = await startSite({ "/v1/openapi.json": description("customer", "order") }, { etags: true });
      onTestFinished(() => site.close());
      const libraryName = `/openapi/shop-${site.host.split(":")[1] ?? ""}`;
      const openApiUrl = `${site.origin}/v1/openapi.json`;
      expect(await server.call("POST", "/v2/add/openapi", { openApiUrl, libraryName })).toMatchObject({ status: 200 });
      expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", title: "Shop" });
      const created = await ask(server, libraryName, "create a customer");
      expect(created.text).toContain("https://api.shop.example/v1/customers");

      const refresh = async (): Promise<unknown> => (await refreshedRun(server, libraryName))?.["outcome"];
      expect(await refresh()).toBe("unchanged");
      expect(site.requests.at(-1)).toMatchObject({ status: 304 });
      // Only the formatting differs.
      site.pages.set("/v1/openapi.json", JSON.stringify(JSON.parse(description("customer", "order")), null, 2));
      expect(await refresh()).toBe("unchanged");
      site.pages.set("/v1/openapi.json", description("customer", "invoice"));
      expect(await refresh()).toBe("published");
      expect((await ask(server, libraryName, "create an invoice")).text).toContain("/v1/invoices");
      expect((await ask(server, libraryName, "create an order")).text).not.toContain("/v1/orders");
      site.pages.set("/v1/openapi.json", "openapi: 3.1.0\npaths: [unclosed");
      expect(await refresh()).toBe("failed");
      const { state, runs } = (await server.settled(libraryName)) as { state: string; runs: unknown[] };
      expect(state).toBe("finalized");
      expect(runs[0]).toMatchObject({
        failure: { error: "source_invalid", message: expect.stringMatching(/openapi\.json.* line 2/) as unknown },
      });
    });

    it("is uploaded, replaced only with force, and cannot be refreshed", async () => {
      const server = await open();
      const fields = { libraryTitle: `Shop of ${engine}` };
      const { body } = await upload(server, description("customer"), fields);
      const libraryName = String(body["libraryName"]);
      expect(libraryName).toMatch(/^\/docs\/shop-of-/);
      expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", source: "shop.json" });
      expect((await ask(server, libraryName, "create a customer")).text).toContain("/v1/customers");
      expect(await upload(server, description("order"), fields)).toMatchObject({
        status: 409,
        body: { error: "duplicate_library" },
      });
      expect(await upload(server, description("order"), { ...fields, force: "true" })).toMatchObject({ status: 200 });
      expect(await server.settled(libraryName)).toMatchObject({ runs: [{ outcome: "published" }, {}] });
      expect((await ask(server, libraryName, "create an order")).text).toContain("/v1/orders");
      expect(await server.call("POST", "/v1/refresh", { libraryName })).toMatchObject({
        status: 400,
        body: { error: "validation_error", message: expect.stringContaining("force=true") as unknown },
      });
      expect(await server.call("DELETE", `/v2/libs?libraryId=${libraryName}`)).toMatchObject({ status: 200 });
    });

    it("that is not valid is read, and its preview and status list each finding with its place", async () => {
      const server = await open();
      const odd = { ...(JSON.parse(description("customer")) as object), servers: "none", tags: [{}] };
      const site = await startSite({ "/v1/openapi.json": JSON.stringify(odd) }, { etags: true });
      onTestFinished(() => site.close());
      const libraryName = `/openapi/odd-${site.host.split(":")[1] ?? ""}`;
      const openApiUrl = `${site.origin}/v1/openapi.json`;
      const findings = [
        `${openApiUrl} is not valid OpenAPI 3.1 at #/servers: must be array.`,
        `${openApiUrl} is not valid OpenAPI 3.1 at #/tags/0: must have required property 'name'.`,
      ];
      const notes = expect.arrayContaining(findings) as unknown;
      expect(await server.call("POST", "/v2/preview", { openApiUrl })).toMatchObject({ status: 200, body: { notes } });
      await server.call("POST", "/v2/add/openapi", { openApiUrl, libraryName });
      expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", notes });
      await server.call("POST", "/v1/refresh", { libraryName });
      expect(await server.settled(libraryName)).toMatchObject({ runs: [{ outcome: "unchanged" }, {}], notes });
    });

    it("that cannot be read is a failure that says where", async () => {
      const server = await open();
      const { body } = await upload(server, '{"openapi": "3.1.0",\n "paths": ', {
        libraryTitle: `Broken on ${engine}`,
      });
      expect(await server.settled(String(body["libraryName"]))).toMatchObject({
        state: "error",
        runs: [{ failure: { error: "source_invalid", message: expect.stringContaining("shop.json") as unknown } }],
      });
    });
  });
}
