import { describe, expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf } from "./cutting.ts";

const taking = (schema: unknown) => ({
  "/users": {
    post: { requestBody: { content: { "application/json": { schema } } }, responses: { 201: { description: "Made" } } },
  },
});
const user = {
  $anchor: "user",
  type: "object",
  properties: { login: { type: "string", description: "Name at the door" } },
};

describe("references by name (JSON Schema 2020-12)", () => {
  it.each([["#user"], ["#/components/schemas/User"], ["./openapi.json#user"]])(
    "%s leads to the schema",
    async ($ref) => {
      const api = { openapi: "3.1.0", ...describing(taking({ $ref }), { components: { schemas: { User: user } } }) };
      const { prose, notes } = await pageOf(api, "#/paths/~1users/post");
      expect(prose).toContain("Name at the door");
      expect(notes).toEqual([]);
    },
  );

  it("lead into other files", async () => {
    const api = { ...describing(taking({ $ref: "schemas.json#user" })), openapi: "3.1.0" };
    const { prose } = await pageOf(api, "#/paths/~1users/post", { "schemas.json": { $defs: { User: user } } });
    expect(prose).toContain("Name at the door");
  });

  it("that are dynamic lead to the anchor of their own schema, and recursive ones end", async () => {
    const node = {
      $dynamicAnchor: "node",
      type: "object",
      properties: {
        name: { type: "string", description: "What it is called" },
        children: { type: "array", items: { $dynamicRef: "#node" } },
      },
    };
    const other = { $dynamicAnchor: "node", type: "object", properties: { wrong: { type: "string" } } };
    const api = {
      ...describing(taking({ $ref: "#/components/schemas/Tree" }), {
        components: { schemas: { Other: other, Tree: node } },
      }),
      openapi: "3.1.0",
    };
    const { prose, codes } = await pageOf(api, "#/paths/~1users/post");
    expect(prose).toContain("What it is called");
    expect(prose).toContain("`children` (array");
    expect(`${prose}${JSON.stringify(codes)}`).not.toContain("wrong");
  });

  it.each([
    ["Users", "login", "price"],
    ["Orders", "price", "login"],
  ])("that are dynamic mean what the schema says that they are met through: %s", async (name, own, other) => {
    const field = (called: string) => ({
      type: "object",
      required: [called],
      properties: { [called]: { type: "string" } },
    });
    const filled = (schema: string) => ({
      $ref: "#/components/schemas/Page",
      $defs: { item: { $dynamicAnchor: "item", $ref: `#/components/schemas/${schema}` } },
    });
    const schemas = {
      User: field("login"),
      Order: field("price"),
      Users: filled("User"),
      Orders: filled("Order"),
      Page: {
        type: "object",
        $defs: { item: { $dynamicAnchor: "item" } },
        required: ["items"],
        properties: { items: { type: "array", items: { $dynamicRef: "#item" } } },
      },
    };
    const taken = taking({ $ref: `#/components/schemas/${name}` });
    const api = { ...describing(taken, { components: { schemas } }), openapi: "3.1.0" };
    const { prose, codes } = await pageOf(api, "#/paths/~1users/post");
    expect(prose).toContain(`\`items[].${own}\``);
    expect(codes[0]?.code).toContain(`"${own}": "string"`);
    expect(`${prose}${JSON.stringify(codes)}`).not.toContain(other);
  });

  it("that are broken are a note, and names in examples are no anchors", async () => {
    const schemas = { User: { type: "object", example: { $anchor: "user", secret: "no" } } };
    const api = { ...describing(taking({ $ref: "#user" }), { components: { schemas } }), openapi: "3.1.0" };
    const pages = await extractAll(filesOf(api));
    expect(JSON.stringify(pages.find(({ key }) => key === "#/paths/~1users/post"))).not.toContain("secret");
    expect(pages.flatMap(({ notes }) => notes).join()).toContain("#user");
  });
});
