import { expect, it } from "vitest";
import { curlArguments } from "../../support/shell.ts";
import { describing, pageOf } from "./cutting.ts";

/** The arguments of the request of an operation. Shell variables are their names in angle brackets. */
async function argumentsOf(operation: object, path = "/a", others: object = {}): Promise<readonly string[]> {
  const description = describing({ [path]: { get: { responses: {}, ...operation } } }, others);
  const { codes } = await pageOf(description, `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/get`);
  const command = codes[0]?.code ?? "";
  const names = [...command.matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => [name, `<${name}>`] as const);
  return curlArguments([command], Object.fromEntries(names))[0] ?? [];
}

const list = { schema: { type: "array", items: { type: "string" } }, example: ["a", "b c"] };
const map = { schema: { type: "object" }, example: { x: "1", y: "2" } };

it.each<[string, object, string]>([
  ["form", list, "p=a&p=b%20c"],
  ["form", { ...list, explode: false }, "p=a,b%20c"],
  ["spaceDelimited", list, "p=a%20b%20c"],
  ["pipeDelimited", list, "p=a%7Cb%20c"],
  ["pipeDelimited", { ...list, explode: true }, "p=a&p=b%20c"],
  ["form", map, "x=1&y=2"],
  ["form", { ...map, explode: false }, "p=x,1,y,2"],
  ["deepObject", map, "p%5Bx%5D=1&p%5By%5D=2"],
  ["deepObject", { ...map, example: { a: { b: "c" } } }, "p%5Ba%5D%5Bb%5D=c"],
  ["form", { schema: { type: "string" }, example: "a/b:c#d&e", allowReserved: true }, "p=a/b:c%23d%26e"],
  ["form", { schema: { type: "array", items: { enum: ["x"] }, minItems: 1 } }, "p=x"],
  [
    "form",
    { schema: { type: "object", required: ["a"], properties: { a: { type: "integer" } } }, explode: false },
    "p=a,0",
  ],
])("a query in the style %s: %o", async (style, parameter, query) => {
  const [url] = await argumentsOf({ parameters: [{ name: "p", in: "query", required: true, style, ...parameter }] });
  expect(url).toBe(`https://api.acme.dev/v1/a?${query}`);
});

it.each<[string, object, string]>([
  ["simple", list, "a,b%20c"],
  ["simple", { ...map, explode: true }, "x=1,y=2"],
  ["label", list, ".a,b%20c"],
  ["label", { ...list, explode: true }, ".a.b%20c"],
  ["matrix", list, ";p=a,b%20c"],
  ["matrix", { ...list, explode: true }, ";p=a;p=b%20c"],
  ["matrix", { ...map, explode: true }, ";x=1;y=2"],
  ["matrix", { schema: { type: "string" } }, ";p=<P>"],
])("a path in the style %s: %o", async (style, parameter, path) => {
  const [url] = await argumentsOf(
    { parameters: [{ name: "p", in: "path", required: true, style, ...parameter }] },
    "/a/{p}",
  );
  expect(url).toBe(`https://api.acme.dev/v1/a/${path}`);
});

it("a fragment that tells operations apart is not sent, and the query is", async () => {
  const parameters = [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    { name: "fields", in: "query", required: true, schema: { type: "string" }, example: "link" },
  ];
  const [url] = await argumentsOf({ parameters }, "/folders/{id}#add_link");
  expect(url).toBe("https://api.acme.dev/v1/folders/<ID>?fields=link");
});

it("parameters with a media type are JSON, in headers and cookies too", async () => {
  const content = {
    "application/json": { schema: { type: "object", required: ["a"], properties: { a: { enum: [1] } } } },
  };
  const parameters = ["query", "header", "cookie"].map((place) => ({ name: "p", in: place, required: true, content }));
  expect((await argumentsOf({ parameters })).join(" ")).toBe(
    'https://api.acme.dev/v1/a?p=%7B%22a%22%3A1%7D -H p: {"a":1} -b p=%7B%22a%22%3A1%7D',
  );
});

it("a query that is one parameter is its properties", async () => {
  const content = { "application/x-www-form-urlencoded": { schema: { type: "object" }, example: { a: 1, "b c": 2 } } };
  const parameters = [{ name: "q", in: "querystring", required: true, content }];
  const [url] = await argumentsOf({ parameters }, "/a", { openapi: "3.2.0" });
  expect(url).toBe("https://api.acme.dev/v1/a?a=1&b%20c=2");
});

it("values that the schema does not allow are not shown", async () => {
  const schema = { type: "string", format: "date" };
  const parameters = [{ name: "on", in: "query", required: true, schema, example: "2025-10-15T13:53:59Z" }];
  expect((await argumentsOf({ parameters }))[0]).toBe("https://api.acme.dev/v1/a?on=<ON>");
  const kinds = [{ name: "kind", in: "query", required: true, schema: { type: "integer", enum: [2, 3] }, example: 1 }];
  expect((await argumentsOf({ parameters: kinds }))[0]).toBe("https://api.acme.dev/v1/a?kind=2");
});

it("parameters of the path are sent, and those of the operation come before them", async () => {
  const parameters = (example: string) => [
    { name: "v", in: "query", required: true, schema: { type: "string" }, example },
  ];
  const description = describing({
    "/a": { parameters: parameters("1"), get: { responses: {}, parameters: parameters("2") }, head: { responses: {} } },
  });
  const code = async (method: string) => (await pageOf(description, `#/paths/~1a/${method}`)).codes[0]?.code;
  expect(await code("get")).toContain("?v=2");
  expect(await code("head")).toContain("?v=1");
});

it("the first server is used, that of the operation before that of its path, with variables filled in", async () => {
  const servers = (url: string) => [{ url }, { url: "https://sandbox.acme.dev" }];
  expect((await argumentsOf({}, "/a", { servers: servers("https://live.acme.dev") }))[0]).toBe(
    "https://live.acme.dev/a",
  );
  expect((await argumentsOf({ servers: servers("https://up.acme.dev") }))[0]).toBe("https://up.acme.dev/a");
  const variables = { region: { enum: ["eu", "us"] }, port: { default: "8443" } };
  const others = { servers: [{ url: "https://{region}.acme.dev:{port}", variables }] };
  expect((await argumentsOf({}, "/a", others))[0]).toBe("https://eu.acme.dev:8443/a");
});

it("schemes that are needed together are all sent, of the first choice", async () => {
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Key" },
    secret: { type: "apiKey", in: "cookie", name: "secret" },
    token: { type: "http", scheme: "bearer" },
  };
  const security = [{ key: [], secret: [] }, { token: [] }, {}];
  const words = await argumentsOf({ security }, "/a", { components: { securitySchemes } });
  expect(words.slice(1)).toEqual(["-H", "X-Key: <X_KEY>", "-b", "secret=<SECRET>"]);
});

it("a header is a variable if its example cannot be sent", async () => {
  const parameters = [
    { name: "X-Signature", in: "header", required: true, schema: { type: "string" }, example: "Ap\u00b6\u001f" },
  ];
  expect((await argumentsOf({ parameters })).slice(1)).toEqual(["-H", "X-Signature: <X_SIGNATURE>"]);
});

it("what the API sends itself has no credentials of the reader", async () => {
  const securitySchemes = { token: { type: "http", scheme: "bearer" } };
  const webhooks = { sold: { post: { responses: {} } } };
  const others = { webhooks, components: { securitySchemes }, security: [{ token: [] }] };
  const { codes } = await pageOf(describing({}, others), "#/webhooks/sold/post");
  expect(codes[0]?.code).toBe('curl -X POST "$WEBHOOK_URL"');
});
