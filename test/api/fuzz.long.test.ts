import fc from "fast-check";
import { readFileSync } from "node:fs";
import { request as ask } from "undici";
import { expect, it } from "vitest";

import { createApp } from "../../api/app.ts";
import { formOf } from "../support/form.ts";
import { problemsOf } from "../support/described.ts";
import { runs } from "../support/endurance.ts";
import { hostileText, schemaArbitrary, type JsonSchema } from "../support/schema-arbitrary.ts";
import { codePassage, heldPassage, prosePassage } from "./samples.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

/** Requests over all operations. */
const cases = runs({ short: 480, long: 8_000 });
/** Requests per server, as some of them delete its content. */
const casesOfWorld = 100;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The published description. */
const description = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
) as Description;

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

function resolve(ref: string): JsonSchema {
  const at = ref.slice(2).split("/");
  return at.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], description) as JsonSchema;
}

const libraries = [
  "/acme/widgets",
  "/acme/widgets/v1.0",
  "/web/own",
  "/acme/old",
  "/acme/new",
  "/no/such",
  "acme/widgets",
];

/** Values that get further than generated ones. */
const known: Readonly<Record<string, readonly unknown[]>> = {
  libraryId: libraries,
  libraryName: libraries,
  query: ["widget", "how do I make a widget?"],
  owner: ["acme", "web"],
  repo: ["widgets", "own", "old"],
  version: ["v1.0", "latest", "^1"],
  topic: ["widget"],
  teamspace: ["web", "default"],
  id: ["web", "default", "id-000001", "id-000002"],
  docsRepoUrl: ["https://git.example.com/acme/other", "https://github.com/acme/other", "https://gitlab.com/acme/other"],
  openApiUrl: ["https://new.example.com/openapi.json"],
  llmstxtUrl: ["https://new.example.com/llms.txt"],
  websiteUrl: ["https://new.example.com/guide"],
  siteUrl: ["https://new.atlassian.net"],
  spaceKey: ["NEW"],
  path: ["/srv/docs/handbook"],
  redirect: ["/acme/old", "/acme/widgets"],
  passageIds: [[heldPassage.id]],
  jsonrpc: ["2.0"],
  method: ["tools/list", "tools/call", "initialize", "ping", "notifications/initialized"],
  params: [{ name: "query-docs", arguments: { libraryId: "/acme/widgets", query: "widget" } }, {}],
  days: ["30"],
  limit: ["1", "2"],
};

type World = Awaited<ReturnType<typeof prepare>>;

/** Libraries in every state, two teamspaces, and a key for each scope. */
async function prepare() {
  const limits = { rateLimitReads: 1e6, rateLimitSubmissions: 1e6, rateLimitAnonymous: 1e6 };
  const codec = { decode: async () => [], encode: async () => [] };
  const world = await setup(limits, { codec });
  const { submit, finish, fail, send, addKey, options } = world;
  await finish(await submit("/acme/widgets"), [codePassage, prosePassage]);
  await finish(await submit("/acme/old"), [codePassage]);
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/widgets" } });
  await submit("/acme/new");
  await fail(await submit("/acme/broken"), "source_not_found", "It is gone.");
  const web = await addKey(["admin"], { teamspace: "web" });
  const own = { docsRepoUrl: "https://git.example.com/web/own", private: true };
  const { body } = await send("POST", "/v2/add/repo/git", { key: web.key, body: own });
  await finish((body as { runId: string }).runId, [codePassage]);
  const read = await addKey(["read"], { teamspace: "web" });
  const limited = await addKey(["submit"], { libraries: ["/other/*"] });
  const keys = [null, adminKey, web.key, read.key, limited.key, "lct_wrong", "ä b"];
  // Not the checked app of `setup`: answers are checked here, over HTTP.
  const { server } = await serve(createApp(options));
  return { url: server.url, keys, logged: world.logged };
}

/** A generated request. */
interface Sent {
  readonly caller: number;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly type: string | null;
}

/** Requests of an operation, generated from its description. */
function requestsOf({ parameters = [], requestBody }: Operation): fc.Arbitrary<Sent> {
  const of = (place: Parameter["in"]) => {
    const here = parameters.filter((one) => one.in === place);
    const fields = Object.fromEntries(
      here.map(({ name, schema }) => [name, schemaArbitrary(schema, resolve, known, name)]),
    );
    const required = here.filter((one) => one.required).map(({ name }) => name);
    if (place === "path") return fc.record(fields);
    return fc.oneof(
      { weight: 8, arbitrary: fc.record(fields, { requiredKeys: required }) },
      { weight: 1, arbitrary: fc.record({ ...fields, unknown: hostileText }, { requiredKeys: [] }) },
    );
  };
  const [content] = Object.entries(requestBody?.content ?? {});
  const body = content ? schemaArbitrary(content[1].schema, resolve, known) : fc.constant(undefined);
  const types = [
    content?.[0] ?? null,
    "application/json",
    "text/plain",
    "multipart/form-data; boundary=x",
    "a/b;;",
    null,
  ];
  return fc.record({
    caller: fc.nat({ max: 6 }),
    path: of("path"),
    query: of("query"),
    headers: of("header"),
    body: fc.oneof({ weight: 8, arbitrary: body }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }),
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant(content?.[0] ?? null) },
      { weight: 1, arbitrary: fc.constantFrom(...types) },
    ),
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A valid header value: the client refuses others. */
const headerOf = (value: unknown): string => textOf(value).replace(/[^\t\x20-\x7E\x80-\xFF]/g, "?");

async function bodyOf(sent: Sent): Promise<{ readonly bytes?: Uint8Array; readonly type: string | null }> {
  if (sent.body === undefined) return { type: null };
  if (sent.type !== "multipart/form-data") return { bytes: Buffer.from(JSON.stringify(sent.body)), type: sent.type };
  const { openapiFile, ...fields } = Object(sent.body) as Record<string, unknown>;
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOf(value)]));
  return formOf("openapiFile", { name: "api.json", text: textOf(openapiFile ?? "") }, texts);
}

/** Sends a request; returns the problems of its answer. */
async function problemsWith(world: World, method: string, path: string, sent: Sent): Promise<readonly string[]> {
  const inPath = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(wellFormed(sent.path[name])) || "-",
  );
  const query = new URLSearchParams(
    Object.entries(sent.query).map(([name, value]): [string, string] => [name, textOf(value)]),
  );
  const key = world.keys[sent.caller % world.keys.length];
  const { bytes, type } = await bodyOf(sent);
  const abort = new AbortController();
  const answer = await ask(`${world.url}/api${inPath}?${query.toString()}`, {
    method: method as "GET",
    headers: {
      ...Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name, headerOf(value)])),
      ...(typeof key === "string" && { authorization: `Bearer ${key}` }),
      ...(type !== null && { "content-type": type }),
    },
    ...(bytes && { body: bytes }),
    signal: abort.signal,
  });
  const contentType = String(answer.headers["content-type"] ?? "");
  const isStream = contentType.startsWith("text/event-stream");
  const text = isStream ? "" : await answer.body.text();
  if (isStream) {
    answer.body.on("error", () => undefined);
    abort.abort();
  }
  const status = answer.statusCode;
  const body: unknown = contentType.startsWith("application/json") ? JSON.parse(text) : text;
  const requested = new URL(`http://a/api${inPath}`).pathname;
  const wrong = problemsOf(method, requested, { status, type: contentType === "" ? null : contentType, body });
  const isFault = status >= 500 && status !== 503 && status !== 504;
  return [
    ...wrong,
    ...(isFault ? [`${status}: ${world.logged.findLast((line) => line.includes('"level":50')) ?? ""}`] : []),
  ].map((one) => `${method} ${inPath}?${query.toString()} ${status} ${text.slice(0, 300)}: ${one}`);
}

function wellFormed(value: unknown): string {
  return textOf(value).toWellFormed();
}

it.each(operations)(
  "$method $path gives described answers without internal errors to any request",
  async ({ method, path, operation }) => {
    const total = Math.ceil(cases / operations.length);
    for (let done = 0; done < total; done += casesOfWorld) {
      const world = await prepare();
      await fc.assert(
        fc.asyncProperty(requestsOf(operation), async (sent) => {
          expect(await problemsWith(world, method, path, sent)).toEqual([]);
        }),
        { numRuns: Math.min(casesOfWorld, total - done) },
      );
    }
  },
);
