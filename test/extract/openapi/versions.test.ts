import { describe, expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf, root } from "./cutting.ts";

/** The same API in each version. */
const versions = {
  "2.0": {
    swagger: "2.0",
    info: { title: "Acme API", version: "1" },
    host: "api.acme.dev",
    basePath: "/v1",
    schemes: ["http", "https"],
    consumes: ["application/json"],
    produces: ["application/json"],
    securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } },
    security: [{ key: [] }],
    paths: {
      "/customers/{id}": {
        put: {
          summary: "Change a customer",
          operationId: "changeCustomer",
          tags: ["Customers"],
          parameters: [
            {
              name: "id",
              in: "path",
              required: true,
              type: "integer",
              minimum: 1,
              description: "Number of the customer.",
            },
            { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Customer" } },
          ],
          responses: { 200: { description: "The customer.", schema: { $ref: "#/definitions/Customer" } } },
        },
      },
    },
    definitions: { Customer: customer() },
  },
  "3.0.3": modern("3.0.3"),
  "3.1.1": modern("3.1.1"),
  "3.2.0": modern("3.2.0"),
};

function customer(): object {
  return {
    type: "object",
    required: ["id", "email"],
    properties: {
      id: { type: "integer", readOnly: true },
      email: { type: "string", format: "email", description: "Where invoices go." },
      status: { type: "string", enum: ["active", "gone"], default: "active" },
    },
  };
}

function modern(openapi: string): object {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Customer" } } };
  return {
    openapi,
    info: { title: "Acme API", version: "1" },
    servers: [{ url: "https://{place}.acme.dev/v1", variables: { place: { default: "api", enum: ["api", "eu"] } } }],
    security: [{ key: [] }],
    paths: {
      "/customers/{id}": {
        parameters: [{ $ref: "#/components/parameters/Id" }],
        put: {
          summary: "Change a customer",
          operationId: "changeCustomer",
          tags: ["Customers"],
          requestBody: { required: true, content },
          responses: { 200: { $ref: "#/components/responses/Customer" } },
        },
      },
    },
    components: {
      parameters: {
        Id: {
          name: "id",
          in: "path",
          required: true,
          schema: { type: "integer", minimum: 1 },
          description: "Number of the customer.",
        },
      },
      responses: { Customer: { description: "The customer.", content } },
      schemas: { Customer: customer() },
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } },
    },
  };
}

const place = "#/paths/~1customers~1{id}/put";

describe.each(Object.entries(versions))("an operation of version %s", (version, description) => {
  it("is one section with all that it takes and gives", async () => {
    const page = await pageOf(description, place);
    expect(page.url).toBe(`${root}#/paths/~1customers~1%7Bid%7D/put`);
    expect(page.passages.map(({ breadcrumb, blocks }) => [breadcrumb, blocks.map(({ type }) => type)])).toEqual([
      [
        ["Acme API", "PUT /customers/{id}", "Change a customer"],
        ["prose", "code", "prose"],
      ],
    ]);
    expect(page.prose).toBe(`\`PUT /customers/{id}\`, operation \`changeCustomer\`. Tag: Customers.

**Required**: \`id\` (path, integer), \`email\` (body, string (email)).

**Authentication**: API key in header \`X-Api-Key\` (\`key\`).
**Parameters**

- \`id\` (path, integer, required, at least 1): Number of the customer.

**Request body**: \`application/json\`, Customer, required.

- \`email\` (string (email), required): Where invoices go.
- \`status\` (string, default \`active\`, one of \`active\`, \`gone\`)

**Response 200**

The customer.

Body: \`application/json\`, Customer.

- \`id\` (integer, required, read-only)
- \`email\` (string (email), required): Where invoices go.
- \`status\` (string, default \`active\`, one of \`active\`, \`gone\`)`);
  });

  it("has code with the place that it was made from", async () => {
    const { codes, examples } = await pageOf(description, place);
    expect(codes).toEqual([
      {
        language: "bash",
        code: `curl -X PUT "https://api.acme.dev/v1/customers/$ID" \\
  -H "X-Api-Key: $X_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "email": "user@example.com",
  "status": "active"
}'`,
        label: "curl",
        madeFrom: `${root}#/paths/~1customers~1%7Bid%7D/put`,
      },
      {
        language: "json",
        label: "response 200",
        code: '{\n  "id": 0,\n  "email": "user@example.com",\n  "status": "active"\n}',
        madeFrom:
          version === "2.0"
            ? `${root}#/paths/~1customers~1%7Bid%7D/put/responses/200`
            : `${root}#/components/responses/Customer/content/application~1json`,
      },
    ]);
    expect(examples.at(-1)?.description).toBe(
      "Change a customer. Operation `changeCustomer`, requires `id`, `email`, authenticates by API key in header `X-Api-Key` (`key`). For curl and response 200.",
    );
  });

  it("comes with pages of the API, its servers, authentication and tags", async () => {
    const pages = await extractAll(filesOf(description));
    const authentication = version === "2.0" ? "#/securityDefinitions" : "#/components/securitySchemes";
    expect(pages.map(({ key }) => key)).toEqual(["#/info", "#/servers", authentication, "#/tags/Customers", place]);
    const [, servers, schemes, tag] = pages;
    expect(servers?.prose).toContain("`https://api.acme.dev/v1`");
    expect(schemes?.prose).toContain("**`key`**: API key, sent as header `X-Api-Key`.");
    expect(tag?.prose).toContain("- Change a customer");
  });
});

describe("what versions have of their own", () => {
  it("3.2: methods beyond HTTP's usual ones, bodies in items, and examples as data", async () => {
    const description = describing(
      {
        "/events": {
          query: { summary: "Ask for events", responses: {} },
          additionalOperations: { PURGE: { summary: "Forget events", responses: {} } },
          get: {
            summary: "Follow events",
            responses: {
              200: {
                description: "Events as they come.",
                content: {
                  "application/jsonl": {
                    itemSchema: { type: "object", properties: { at: { type: "string", format: "date-time" } } },
                  },
                },
              },
            },
          },
          put: {
            requestBody: {
              content: {
                "application/json": {
                  examples: { one: { dataValue: { at: "now" } }, two: { serializedValue: "[1]" } },
                },
              },
            },
          },
        },
      },
      { openapi: "3.2.0" },
    );
    const codes = async (method: string) => (await pageOf(description, `#/paths/~1events/${method}`)).codes;
    expect((await codes("query"))[0]?.code).toBe("curl -X QUERY https://api.acme.dev/v1/events");
    expect((await codes("PURGE"))[0]?.code).toBe("curl -X PURGE https://api.acme.dev/v1/events");
    expect((await codes("get"))[1]?.code).toBe('{"at":"2019-08-24T14:15:22Z"}');
    expect((await codes("put")).slice(1).map(({ code }) => code)).toEqual(['{\n  "at": "now"\n}', "[1]"]);
  });

  it.each(["3.0.3", "3.1.0", "3.2.0"])("a description of %s without paths is read for its schemas", async (openapi) => {
    const schemas = {
      Money: { type: "object", description: "An amount.", properties: { amount: { type: "integer" } } },
      Currency: { type: "string", enum: ["EUR", "USD"], description: "Three letters for a currency." },
    };
    const pages = await extractAll(
      filesOf({ openapi, info: { title: "Shapes", version: "1" }, components: { schemas } }),
    );
    expect(pages.map(({ key }) => key)).toEqual([
      "#/info",
      "#/components/schemas/Money",
      "#/components/schemas/Currency",
    ]);
    expect(pages[1]?.codes).toEqual([
      { language: "json", code: '{\n  "amount": 0\n}', madeFrom: `${root}#/components/schemas/Money` },
    ]);
  });

  it("names may begin as extensions do, except where there are extensions", async () => {
    const description = describing(
      {
        "/a": {
          get: {
            responses: {
              200: { description: "OK", headers: { "x-rate-limit": { schema: { type: "integer" } } } },
              "x-500": { description: "An extension." },
            },
          },
        },
        "x-path": { get: { responses: {} } },
      },
      {
        security: [{ missing: [] }, { "x-api-key": [] }],
        components: { securitySchemes: { "x-api-key": { type: "apiKey", in: "header", name: "x-api-key" } } },
      },
    );
    const pages = await extractAll(filesOf(description));
    expect(pages.map(({ key }) => key)).toEqual([
      "#/info",
      "#/servers",
      "#/components/securitySchemes",
      "#/paths/~1a/get",
    ]);
    const { prose, codes } = pages[3] ?? { prose: "", codes: [] };
    expect(prose).toContain("Headers:\n\n- `x-rate-limit` (integer)");
    expect(prose).not.toContain("An extension.");
    expect(codes[0]?.code).toBe('curl https://api.acme.dev/v1/a \\\n  -H "x-api-key: $X_API_KEY"');
  });

  it("a description of nothing is a failure", () => {
    const nothing = filesOf({ openapi: "3.1.0", info: {} });
    return expect(extractAll(nothing)).rejects.toMatchObject({
      code: "no_code_found",
      message: expect.stringMatching(/\.$/) as unknown,
    });
  });

  it("webhooks and callbacks are operations that the API calls", async () => {
    const description = describing(
      {
        "/subscriptions": {
          post: {
            operationId: "subscribe",
            responses: {},
            callbacks: {
              delivered: {
                "{$request.body#/url}": {
                  post: {
                    summary: "A parcel arrived",
                    requestBody: {
                      content: {
                        "application/json": { schema: { type: "object", properties: { id: { type: "integer" } } } },
                      },
                    },
                    responses: { 204: { description: "Thanks." } },
                  },
                },
              },
            },
          },
        },
      },
      { webhooks: { lost: { post: { summary: "A parcel is lost", responses: {} } } } },
    );
    const pages = await extractAll(filesOf(description));
    const callback = pages.find(({ key }) => key.endsWith("/callbacks/delivered/{$request.body#~1url}/post"));
    expect(callback?.passages[0]?.breadcrumb.slice(1)).toEqual([
      "Callback delivered of POST /subscriptions (POST {$request.body#/url})",
      "A parcel arrived",
    ]);
    expect(callback?.prose).toContain("The API sends this request to your server.");
    expect(callback?.codes[0]?.code).toBe(
      `curl -X POST "$CALLBACK_URL" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\n  "id": 0\n}'`,
    );
    const webhook = pages.find(({ key }) => key === "#/webhooks/lost/post");
    expect(webhook?.passages[0]?.breadcrumb.slice(1)).toEqual(["Webhook lost (POST)", "A parcel is lost"]);
    expect(webhook?.codes[0]?.code).toBe('curl -X POST "$WEBHOOK_URL"');
  });
});
