import { expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import { describeRoutes } from "../../api/openapi.ts";
import type { ApiAnswer } from "../../api/answers.ts";
import { sampleCredential } from "../contracts/catalog-samples.ts";
import { codePassage, heldPassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";
import { uploadRequest } from "./upload.ts";

/**
 * Two servers that differ only in hidden data: a teamspace with keys, a credential and a private library, or a public
 * library outside of the key's patterns. For every request both give the same answer (status; headers with entity tags,
 * locations and limits; body with counts, cursors and messages) and do the same catalog queries, so that time reveals nothing.
 */

type World = Awaited<ReturnType<typeof prepare>>;

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: {
            readonly properties?: Readonly<Record<string, Property>>;
            readonly required?: readonly string[];
          };
        }
      >
    >;
  };
}

const { paths } = describeRoutes(routes) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    // A stream, whose first event is the status.
    .filter(() => path !== "/v2/libs/status/stream")
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const hiddenId = "/web/secret";

async function prepare({ hidden }: { readonly hidden: boolean }) {
  const codec = { decode: async () => [], encode: async () => [] };
  const world = await setup({ rateLimitReads: 1e6, rateLimitSubmissions: 1e6, rateLimitAnonymous: 1e6 }, { codec });
  const { submit, finish, send, addKey, catalog, own } = world;
  const { secrets } = world.options.ports;
  for (const id of ["/acme/widgets", "/acme/other", "/web/open"])
    await finish(await submit(id), [codePassage, prosePassage]);
  const callers: Record<string, string | null> = {
    none: null,
    reader: (await addKey(["read"], { teamspace: "mobile" })).key,
    submitter: (await addKey(["submit"], { teamspace: "mobile" })).key,
    administrator: (await addKey(["admin"], { teamspace: "mobile" })).key,
    // Its patterns exclude the hidden library.
    limited: (await addKey(["admin"], { teamspace: "mobile", libraries: ["/acme/*", "/web/open"] })).key,
  };
  // Last, so that both servers generate the same IDs before.
  if (hidden) {
    const web = await addKey(["admin"], { teamspace: "web" });
    await catalog.credentials.add(sampleCredential("web-secret", { teamspace: "web", sealed: secrets.seal("{}") }));
    const body = { docsRepoUrl: `https://git.example.com${hiddenId}`, private: true };
    const added = await send("POST", "/v2/add/repo/git", { key: web.key, body });
    const { runId } = added.body as { runId: string };
    own(runId, { title: "Secret", description: "widget" } as never);
    await finish(runId, [codePassage]);
    const refreshed = await send("POST", "/v1/refresh", { key: web.key, body: { libraryName: hiddenId } });
    await finish((refreshed.body as { runId: string }).runId, [codePassage, heldPassage], true);
    const { library } = (await catalog.libraries.find(["web", ""], hiddenId, "")) ?? {};
    await catalog.libraries.keepRefs(library?.uid ?? "", [{ kind: "tag", name: "v1.0", revision: "r" }]);
  }
  return { send, callers, takeCalls: watch(catalog) };
}

/** Records the calls of the catalog from now on; the returned function takes them. */
function watch(catalog: object): () => readonly string[] {
  let calls: string[] = [];
  for (const [store, functions] of Object.entries(catalog)) {
    if (typeof functions !== "object" || functions === null) continue;
    for (const [name, method] of Object.entries(functions as Record<string, unknown>)) {
      if (typeof method !== "function") continue;
      (functions as Record<string, unknown>)[name] = (...args: unknown[]) => {
        calls.push(`${store}.${name}`);
        return Reflect.apply(method, functions, args) as unknown;
      };
    }
  }
  return () => {
    const taken = calls;
    calls = [];
    return taken;
  };
}

/** A value for a parameter or field: `subject` for libraries, else something hidden. */
function valueOf(name: string, subject: string): unknown {
  const values: Readonly<Record<string, unknown>> = {
    libraryId: subject,
    libraryName: subject,
    query: "secret widget",
    topic: "secret widget",
    page: "README.md",
    word: "secret",
    search: "secret",
    owner: subject.split("/")[1],
    repo: subject.split("/")[2],
    version: "v1.0",
    teamspace: "web",
    id: "web-secret",
    redirect: subject,
    credential: "web-secret",
    title: "Secret",
    name: "secret",
    scopes: ["read"],
    accept: true,
    kind: "git",
    host: "git.example.com",
    data: { token: "secret" },
    address: `https://git.example.com${subject}`,
    passageIds: [heldPassage.id],
    docsRepoUrl: `https://git.example.com${subject}`,
    websiteUrl: "https://secret.example.com/guide",
    llmstxtUrl: "https://secret.example.com/llms.txt",
    openApiUrl: "https://secret.example.com/openapi.json",
    siteUrl: "https://secret.atlassian.net",
    spaceKey: "SEC",
    path: "/srv/docs/secret",
    jsonrpc: "2.0",
    method: "tools/call",
    params: { name: "query-docs", arguments: { libraryId: subject, query: "widget" } },
    payloads: [],
  };
  return values[name];
}

/** Requests of an operation about a library: with required, with some optional, and with all parameters. */
async function requestsOf({ method, path, operation }: (typeof operations)[number], subject: string) {
  const { parameters = [], requestBody } = operation;
  const [content] = Object.entries(requestBody?.content ?? {});
  const properties = Object.keys(content?.[1].schema.properties ?? {});
  const required = content?.[1].schema.required ?? [];
  const build = async (isIncluded: (name: string, isRequired: boolean) => boolean) => {
    const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(valueOf(name, subject))));
    const query = new URLSearchParams();
    for (const one of parameters) {
      const value = one.in === "query" && isIncluded(one.name, one.required) ? valueOf(one.name, subject) : undefined;
      if (value !== undefined) query.set(one.name, String(value as string));
    }
    const target = `${inPath}?${query.toString()}`;
    if (!content) return { method, target, sent: {} };
    const fields = Object.fromEntries(
      properties
        .filter((name) => isIncluded(name, required.includes(name)))
        .flatMap((name) => {
          const value = valueOf(name, subject);
          return value === undefined ? [] : [[name, value] as const];
        }),
    );
    if (content[0] === "application/json") return { method, target, sent: { body: { ...fields, ...idOf(fields) } } };
    const upload = await uploadRequest({ name: "secret.json", text: "{}" }, { libraryName: subject });
    return { method, target, sent: upload };
  };
  const names = /^(?:libraryId|libraryName|query|teamspace|docsRepoUrl|\w+Url|id)$/;
  const all = await Promise.all([
    build((_name, isRequired) => isRequired),
    build((name, isRequired) => isRequired || names.test(name)),
    build(() => true),
  ]);
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** MCP messages need an ID to be answered. */
function idOf(fields: object): object {
  return "jsonrpc" in fields ? { id: 1 } : {};
}

/** An answer as the caller sees it, without values that always differ. */
function seen({ status, headers, body }: ApiAnswer): string {
  const { "X-Request-Id": _, "RateLimit-Reset": _seconds, ...comparable } = headers;
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body);
  return JSON.stringify({ status, headers: comparable, text })
    .replaceAll(/id-\d{6}/g, "id")
    .replaceAll(/lct_\w{4}/g, "lct");
}

/** All pages of a list. */
async function pagesOf(world: World, target: string, key: string | null): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let cursor: string | null = null; pages.length < 10;) {
    const answer = await world.send("GET", `${target}${cursor === null ? "" : `&cursor=${cursor}`}`, { key });
    pages.push(seen(answer));
    cursor = (answer.body as { next?: string | null }).next ?? null;
    if (cursor === null) break;
  }
  return pages;
}

const changes = (method: string, path: string): boolean => method !== "GET" && path !== "/mcp";

it.each(operations)("$method $path reveals nothing hidden", async (operation) => {
  const make = () => Promise.all([prepare({ hidden: true }), prepare({ hidden: false })] as const);
  let worlds = await make();
  for (const subject of [hiddenId, `${hiddenId}/v1.0`, "/acme/widgets"]) {
    for (const { method, target, sent } of await requestsOf(operation, subject)) {
      for (const caller of Object.keys(worlds[0].callers)) {
        const answers: { caller: string; target: string; seen: string; calls: readonly string[] }[] = [];
        let isDone = false;
        for (const world of worlds) {
          world.takeCalls();
          const answer = await world.send(method, target, { key: world.callers[caller] ?? null, ...sent });
          isDone ||= changes(method, operation.path) && answer.status < 400;
          answers.push({ caller, target, seen: seen(answer), calls: world.takeCalls() });
        }
        expect(answers[0]).toEqual(answers[1]);
        if (isDone) worlds = await make();
      }
    }
  }
});

it.each([
  "/v2/libs?limit=1",
  "/v2/libs?limit=2&search=e",
  "/v2/keys?limit=1",
  "/v2/credentials?limit=1",
  "/v2/teamspaces?limit=1",
])("the pages of %s reveal nothing hidden", async (target) => {
  const [withIt, without] = await Promise.all([prepare({ hidden: true }), prepare({ hidden: false })]);
  for (const caller of Object.keys(withIt.callers)) {
    const [one, other] = [
      await pagesOf(withIt, target, withIt.callers[caller] ?? null),
      await pagesOf(without, target, without.callers[caller] ?? null),
    ];
    expect({ caller, pages: one }).toEqual({ caller, pages: other });
  }
});
