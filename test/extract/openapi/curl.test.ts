import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoted, variableFor } from "../../../extract/openapi/shell.ts";
import { curlArguments } from "../../support/shell.ts";
import { describing, pageOf } from "./cutting.ts";

const special = "'\"$`\\!*?[]{}()<>|&;#~ \t\nab=1@%-".split("");

describe("words of a command", () => {
  it("are read back by a shell as they are, whatever is in them", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.toWellFormed().replaceAll("\u0001", "")),
      fc.string({ unit: fc.constantFrom(...special) }),
      fc.constant({ variable: "NAME" }),
    );
    const words = fc.sample(fc.array(piece, { maxLength: 5 }), { numRuns: 500, seed: 1 });
    const commands = words.map((word) => `curl x${quoted(word)}`);
    const value = "va'l\"u$e `x` \\";
    expect(curlArguments(commands, { NAME: value })).toEqual(
      words.map((word) => [
        `x${word.map((one) => (typeof one === "string" ? one.replaceAll("\0", "") : value)).join("")}`,
      ]),
    );
  });

  it.each([
    ["customerId", "CUSTOMER_ID"],
    ["X-Api-Key", "X_API_KEY"],
    ["2nd", "_2ND"],
    ["名前", "VALUE"],
    ["", "VALUE"],
    ["path", "PATH_VALUE"],
    ["a$(rm -rf)b", "A_RM_RF_B"],
  ])("a variable for %s is %s", (name, variable) => {
    expect(variableFor(name)).toEqual({ variable });
  });
});

const key = "#/paths/~1a/post";

async function argumentsOf(operation: object, others: object = {}, path = "/a"): Promise<string[] | undefined> {
  const page = await pageOf(
    describing({ [path]: { post: { responses: {}, ...operation } } }, others),
    key.replace("~1a", path.replaceAll("/", "~1")),
  );
  const [command = ""] = page.codes.map(({ code }) => code);
  const names = [...command.matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => [name, `<${name}>`] as const);
  return curlArguments([command], Object.fromEntries(names))[0];
}

function withBody(mediaType: string, media: object): object {
  return { requestBody: { content: { [mediaType]: media } } };
}

function secured(scheme: object): [object, object] {
  return [{}, { components: { securitySchemes: { it: scheme } }, security: [{ it: [] }] }];
}

const post = ["-X", "POST", "https://api.acme.dev/v1/a"];

it.each<[string, object, object, readonly string[]]>([
  [
    "a bearer token",
    ...secured({ type: "http", scheme: "bearer" }),
    [...post, "-H", "Authorization: Bearer <ACCESS_TOKEN>"],
  ],
  ["a user and password", ...secured({ type: "http", scheme: "basic" }), [...post, "-u", "<API_USER>:<API_PASSWORD>"]],
  ["digest", ...secured({ type: "http", scheme: "digest" }), [...post, "--digest", "-u", "<API_USER>:<API_PASSWORD>"]],
  [
    "a scheme of its own",
    ...secured({ type: "http", scheme: "HMAC" }),
    [...post, "-H", "Authorization: HMAC <CREDENTIALS>"],
  ],
  [
    "an API key in a header",
    ...secured({ type: "apiKey", in: "header", name: "X-Key" }),
    [...post, "-H", "X-Key: <X_KEY>"],
  ],
  [
    "an API key in a cookie",
    ...secured({ type: "apiKey", in: "cookie", name: "sid" }),
    [...post, "-b", "sid=<SID_KEY>"],
  ],
  [
    "an API key in the address",
    ...secured({ type: "apiKey", in: "query", name: "api key" }),
    ["-X", "POST", "https://api.acme.dev/v1/a?api%20key=<API_KEY>"],
  ],
  ["OAuth 2", ...secured({ type: "oauth2", flows: {} }), [...post, "-H", "Authorization: Bearer <ACCESS_TOKEN>"]],
  ["a client certificate", ...secured({ type: "mutualTLS" }), [...post, "--cert", "client.pem", "--key", "client.key"]],
  [
    "JSON with an apostrophe",
    withBody("application/json", { example: { name: "O'Hara $HOME" } }),
    {},
    [...post, "-H", "Content-Type: application/json", "-d", '{\n  "name": "O\'Hara $HOME"\n}'],
  ],
  [
    "a form",
    withBody("application/x-www-form-urlencoded", { example: { "a b": "c&d", list: [1, 2], address: { city: "X" } } }),
    {},
    [
      ...post,
      ...["a%20b=c&d", "list=1", "list=2", "address%5Bcity%5D=X"].flatMap((field) => ["--data-urlencode", field]),
    ],
  ],
  [
    "a file and a text that begins with an at sign",
    withBody("multipart/form-data", {
      schema: {
        required: ["file", "note"],
        properties: {
          file: { type: "string", format: "binary" },
          note: { type: "string", example: "@home" },
          more: {},
        },
      },
    }),
    {},
    [...post, "-F", "file=@file", "--form-string", "note=@home"],
  ],
  [
    "bytes",
    withBody("application/octet-stream", {}),
    {},
    [...post, "-H", "Content-Type: application/octet-stream", "--data-binary", "@file"],
  ],
  [
    "text",
    withBody("text/plain", { example: "@x" }),
    {},
    [...post, "-H", "Content-Type: text/plain", "--data-raw", "@x"],
  ],
  [
    "XML",
    withBody("application/xml", {
      schema: { type: "object", xml: { name: "thing" }, properties: { id: { type: "integer", default: 0 } } },
    }),
    {},
    [...post, "-H", "Content-Type: application/xml", "--data-raw", "<thing>\n  <id>0</id>\n</thing>"],
  ],
  [
    "parameters of all kinds",
    {
      parameters: [
        { name: "ids", in: "query", required: true, schema: { type: "array" }, example: [1, 2] },
        { name: "csv", in: "query", required: true, explode: false, schema: {}, example: ["a", "b c"] },
        { name: "deep", in: "query", required: true, style: "deepObject", schema: {}, example: { a: 1, b: "é" } },
        { name: "X-Trace", in: "header", required: true, schema: { enum: ["on", "off"] } },
        { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
        { name: "theme", in: "cookie", required: true, schema: { default: "dark" } },
        { name: "page", in: "query", schema: { type: "integer", default: 1 } },
      ],
    },
    {},
    "-X POST https://api.acme.dev/v1/a?ids=1&ids=2&csv=a,b%20c&deep%5Ba%5D=1&deep%5Bb%5D=%C3%A9 -H X-Trace:~on -b theme=dark"
      .split(" ")
      .map((word) => word.replace("~", " ")),
  ],
])("a request with %s is what a shell accepts", async (_, operation, others, words) => {
  expect(await argumentsOf(operation, others)).toEqual(words);
});

it("what only the reader knows is a variable, and no text of the description is run", async () => {
  const path = "/a/{customerId}/$(touch x)/{b};`id`";
  const parameters = [{ name: "b", in: "path", required: true, schema: { type: "string" }, example: "$(id) `id`" }];
  const words = await argumentsOf({ parameters }, { servers: [{ url: "https://{host}.acme.dev/" }] }, path);
  expect(words?.[2]).toBe("https://<HOST>.acme.dev/a/<CUSTOMER_ID>/$(touch%20x)/%24(id)%20%60id%60;`id`");
});

it("a relative server is where the description came from, and without any it is the reader's to say", async () => {
  const relative = await argumentsOf({}, { servers: [{ url: "../v2" }] });
  expect(relative?.[2]).toBe("https://acme.dev/v2/a");
  const none = await argumentsOf({}, { servers: undefined });
  expect(none?.[2]).toBe("<BASE_URL>/a");
});
