import { expect, it } from "vitest";
import { describing, pageOf } from "./cutting.ts";

const search = {
  type: "object",
  required: ["q"],
  properties: {
    q: { type: "string", description: "What to look for" },
    per_page: { type: "integer", description: "Results of a page", default: 10 },
    sort: { type: "string", enum: ["asc", "desc"] },
  },
};
const asking = (parameter: object) =>
  describing(
    {
      "/search": {
        get: {
          parameters: [{ in: "query", required: true, ...parameter }],
          responses: { 200: { description: "Found" } },
        },
      },
    },
    { components: { schemas: { Search: search } }, servers: [{ url: "https://api.acme.dev" }] },
  );
const schema = { $ref: "#/components/schemas/Search" };
const read = async (parameter: object) => {
  const { prose, codes } = await pageOf(asking(parameter), "#/paths/~1search/get");
  return { prose, request: codes.find(({ language }) => language === "bash")?.code ?? "" };
};

it("an object in the query is its properties, each a parameter of its own", async () => {
  const { prose, request } = await read({ name: "parameters", schema });
  expect(prose).toContain("- `q` (query, string, required): What to look for");
  expect(prose).toContain("| `per_page` | query | integer, default `10` | Results of a page |");
  expect(prose).toContain("| `sort` | query | string, one of `asc`, `desc` |");
  expect(request).toBe('curl "https://api.acme.dev/search?q=$Q"');
  const { request: none, prose: optional } = await read({ name: "parameters", required: false, schema });
  expect(none).toBe("curl https://api.acme.dev/search");
  expect(optional).toContain("| `q` | query | string | What to look for |");
});

it("a required object without required properties is sent with one of them", async () => {
  const properties = { q: { type: "string" }, page: { type: "integer", default: 1 } };
  expect((await read({ name: "p", schema: { type: "object", properties } })).request).toMatch(/\?page=1'$/);
  const { q } = properties;
  expect((await read({ name: "p", schema: { type: "object", properties: { q } } })).request).toMatch(/\?q=string'$/);
});

it("with the style deepObject its properties are in brackets after its name", async () => {
  const { prose, request } = await read({ name: "f", style: "deepObject", schema });
  expect(prose).toContain("- `f[q]` (query, string, required)");
  expect(request).toMatch(/\?f%5Bq%5D=\$\w+"$/);
});

it("one with an example, a media type or another style stays one parameter", async () => {
  const { prose, request } = await read({ name: "p", schema, example: { q: "anvils" } });
  expect(prose).toContain("- `p` (query, Search, required");
  expect(request).toContain("?q=anvils");
  expect((await read({ name: "p", schema, explode: false })).prose).toContain("- `p` (query, Search, required");
  const json = await read({ name: "p", content: { "application/json": { schema } } });
  expect(json.request).toContain(`?p=${encodeURIComponent(JSON.stringify({ q: "string", per_page: 10 }))}`);
});

it("what it is for stands above its properties", async () => {
  const { prose } = await read({
    name: "made",
    required: false,
    style: "deepObject",
    description: "When it was made.",
    schema,
  });
  const lines = prose.split("\n").filter((line) => line.startsWith("| `"));
  expect(lines[0]).toBe("| `made` | query | Search | When it was made. |");
  expect(lines[1]).toBe("| `made[q]` | query | string | What to look for |");
});

it("examples with their purpose are named", async () => {
  const examples = {
    new: { value: "age lt 2", summary: "New ones", description: "Of the last two days" },
    old: { value: "age gt 9" },
  };
  const { prose } = await read({ name: "filter", schema: { type: "string" }, examples });
  expect(prose).toContain("Examples: `age lt 2` (New ones: Of the last two days); `age gt 9` (old).");
});
