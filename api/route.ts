import type { Unread } from "../domain/generation.ts";
import type * as z from "zod";
import type { Caller, Scope } from "../domain/access.ts";
import type { Declaration } from "../domain/ports.ts";
import type { AuditAction } from "../domain/audit.ts";
import type { FailureCode } from "../domain/failures.ts";
import type { Readings } from "./answer/upstream.ts";
import type { ApiAnswer } from "./answers.ts";
import type { Act } from "./auditing.ts";
import type { NoteAgent } from "./agents.ts";
import type { Count } from "./metrics.ts";
import type { BodyKind } from "./body.ts";
import type { createStreams, LimitKind } from "./rate-limits.ts";
import type { ApiOptions } from "./options.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { ApiRequest } from "./request.ts";
import { addRoute, createRouter, findRoute } from "rou3";

/** The state of the API between requests. */
export interface ApiMemory extends Readings {
  readonly streams: ReturnType<typeof createStreams>;
  /** Resolves at a key's turn to compute an answer. */
  readonly turn: (client: string) => Promise<void>;
  readonly count: Count;
  readonly noteAgent: NoteAgent;
  /** The notes of a generation: what was left out and why, in sentences. */
  readonly notesOf: (generation: string) => Promise<readonly string[]>;
  /** The documentation of a generation that is not read; undefined without. */
  readonly unreadOf: (generation: string) => Promise<Unread | undefined>;
}

/** The argument of a handler: the request, validated by the schemas of the route. */
export interface Call<Parameters = unknown, Body = unknown> {
  readonly request: ApiRequest;
  readonly caller: Caller;
  /** IP address of the client, by a trusted proxy. */
  readonly address: string;
  /** Authenticates the caller again, during a long response. @throws Failure invalid_api_key, forbidden */
  readonly recheck: () => Promise<Caller>;
  /** Calls another operation as the same caller. A failure is an answer too; a shared rate limit is counted once. */
  readonly callOperation: CallOperation;
  /** The caller of an `Authorization` header, for signing in. @throws Failure invalid_api_key, forbidden */
  readonly identify: (authorization: string) => Promise<Caller>;
  /** Parameters of path and query; undefined: the route takes none. */
  readonly parameters: Parameters;
  /** The parsed body; undefined: the route takes none, or none was sent. */
  readonly body: Body;
  readonly options: ApiOptions;
  readonly memory: ApiMemory;
  /** The audit record of the request. */
  readonly act: Pick<Act, "on" | "begin" | "failed">;
}

/** A body of any kind. */
export interface Bytes {
  /** Its Content-Type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The input of a called operation. Headers are added to those of the original request, which identify the caller. */
export interface OperationInput {
  readonly query?: URLSearchParams;
  /** A JSON body. */
  readonly body?: object | undefined;
  /** A body in place of JSON. */
  readonly bytes?: Bytes | undefined;
  readonly headers?: ApiRequest["headers"];
  /** Who calls it while a library manifest is applied, in place of the caller. Its rate limit is not counted. */
  readonly by?: Caller;
  /** What a library manifest declares of the library. */
  readonly declaration?: Declaration;
}

/** Calls another operation of the API, by its path below `/api`. */
export type CallOperation = (method: Route["method"], path: string, input: OperationInput) => Promise<ApiAnswer>;

/** Makes a route a page of the dashboard, for browsers only. */
export interface ForBrowsers {
  /** Whether it answers a request; for other requests its path does not exist. */
  takes(request: Pick<ApiRequest, "path" | "headers">): boolean;
  /** The request with the authorization of its session, or without an ended session. @throws Failure forbidden for a cross-site request */
  enter(request: ApiRequest): Promise<ApiRequest>;
  /** Turns the JSON answer of a failure into a page. `caller`: absent if the failure came before it was known. */
  failed(answer: ApiAnswer, request: ApiRequest, caller?: Caller): ApiAnswer;
}

/** The tags of operations in docs/openapi.json, in order. */
export const tags = [
  "Reading",
  "Submissions",
  "Operations",
  "Credentials",
  "Hooks",
  "Manifests",
  "Receivers",
  "Keys",
  "Teamspaces",
  "Policies",
  "Server",
] as const;

/** The documentation of a route. */
export interface About {
  /** Operation ID in the description, and name in generated clients. */
  readonly operationId: string;
  readonly tag: (typeof tags)[number];
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  /** Request headers that change its answer, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of a route with a status. */
export interface AnswerKind {
  readonly description: string;
  /** Schema of the body by media type; absent: no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  /** Headers in addition to those of every answer. */
  readonly headers?: readonly AnswerHeader[];
}

/** Headers of some answers. */
export type AnswerHeader = "ETag" | "Cache-Control" | "Vary" | "X-Lectern-Library" | "Retry-After";

/** An operation of the API, by which requests are validated, and from which docs/openapi.json is generated. */
export interface Route<Parameters = unknown, Body = unknown> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The whole path, with `/api`; a segment such as `{owner}` is a parameter. */
  readonly path: string;
  /** Aliases, which are not in the description. */
  readonly aliases?: readonly string[];
  /** Who may call: all (`open`), callers without a key where the settings allow it (`anonymous`), or keys with a scope. */
  readonly scope: "open" | "anonymous" | Scope;
  /** The rate limit that the request counts for; null: none. */
  readonly limit: LimitKind | null;
  /** Its action in the audit log; required for every operation that changes something. */
  readonly audit?: AuditAction;
  readonly about: About;
  /** Schema of the parameters of path and query. */
  readonly parameters?: ParameterSchema<Parameters>;
  /** Rewrites the query before it is validated. */
  readonly completeQuery?: (request: ApiRequest) => URLSearchParams;
  /** The kind of its body; absent: none is read. */
  readonly body?: BodyKind<Body>;
  /** The called method, and the client's W3C trace context, in a body; for telemetry. */
  called?(body: Body): { readonly name: string; readonly traceparent?: string | undefined };
  /** Its responses by status, without failures. */
  readonly answers: Readonly<Record<number, AnswerKind>>;
  /** Its own failures, in addition to those of scope, limit, parameters and body. */
  readonly failures?: readonly FailureCode[];
  /** Pages of Temporal's Web UI may call it. */
  readonly forTemporalUi?: true;
  /** Web pages of other origins may not call it, on any listen address. */
  readonly forPrograms?: true;
  /** Programs on this machine need no key. */
  readonly forLocal?: true;
  /** Present: it is a page of the dashboard. */
  readonly forBrowsers?: ForBrowsers;
  /** Health checks call it, with any Host. */
  readonly forProbes?: true;
  /** For callers who may only read it changes nothing, so it runs while their rate limit is counted. */
  readonly isRead?: true;
  /** It is polled: successful requests are logged at the level debug only. */
  readonly isPolled?: true;
  // A method, not a property: its parameters are bivariant, so a list of routes can have handlers of all schemas.
  handler(call: Call<Parameters, Body>): Promise<ApiAnswer>;
}

/** Defines a route, with the types of its schemas for the handler. */
export function route<Parameters, Body>(described: Route<Parameters, Body>): Route {
  return described;
}

/** The responses of a route that answers JSON. */
export function success(schema: z.ZodType, description = "Success."): Route["answers"] {
  return { 200: { description, content: { "application/json": schema } } };
}

/** Description of the request header If-None-Match. */
export const ifNoneMatch = "Entity tag of an answer that the client has cached.";

/** The responses of a route whose answers clients may cache. */
export function cachedAnswers(
  content: NonNullable<AnswerKind["content"]>,
  more: readonly AnswerHeader[] = [],
): Route["answers"] {
  const headers = ["ETag", "Cache-Control", "Vary", ...more] as const;
  return {
    200: { description: "Success.", headers, content },
    304: { description: "The cached answer is still valid.", headers },
  };
}

/** Failures of routes that name a library. */
export const libraryFailures = ["invalid_library_id", "library_not_found"] as const satisfies readonly FailureCode[];

/** Every failure that a route can answer. */
export function failuresOf({ scope, limit, parameters, body, failures = [] }: Route): readonly FailureCode[] {
  const takesInput = parameters !== undefined || body !== undefined;
  return [
    ...(takesInput ? (["validation_error"] as const) : []),
    ...(scope === "open" ? [] : (["invalid_api_key", "search_failed", "service_unavailable"] as const)),
    "forbidden",
    ...(body === undefined ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
    ...(limit === null ? [] : (["rate_limit_exceeded"] as const)),
    "internal_error",
    ...failures,
  ];
}

/** The routes of a path by method, and its parameters, percent-encoded. */
export interface MatchedPath {
  readonly methods?: ReadonlyMap<string, Route>;
  readonly inPath?: Readonly<Record<string, string>> | undefined;
}

/** Finds routes by path; literal segments before parameters. A page matches only requests of browsers. */
export function createTable(routes: readonly Route[]): (request: Pick<ApiRequest, "path" | "headers">) => MatchedPath {
  const router = createRouter<Map<string, Route>>();
  const byPath = Map.groupBy(
    routes.flatMap((one) => [one, ...(one.aliases ?? []).map((path) => ({ ...one, path }))]),
    ({ path }) => path,
  );
  for (const [path, all] of byPath) {
    addRoute(router, "", path.replaceAll(/\{(\w+)\}/g, ":$1"), new Map(all.map((one) => [one.method, one])));
  }
  return (request) => {
    const { path } = request;
    // The dispatcher has removed one trailing slash. The router would ignore a second one, but that is another path.
    if (!path.startsWith("/") || (path !== "/" && path.endsWith("/"))) return {};
    const { data: methods, params: inPath } = findRoute(router, "", path) ?? {};
    if (!methods) return {};
    // Pages and operations have different paths.
    for (const { forBrowsers } of methods.values()) if (forBrowsers?.takes(request) === false) return {};
    return { methods, inPath };
  };
}

/** The request with which an operation calls another. */
export function toRequest(from: ApiRequest, method: string, path: string, input: OperationInput): ApiRequest {
  const { query = new URLSearchParams(), body, headers = {} } = input;
  const json = body && { type: "application/json", bytes: Buffer.from(JSON.stringify(body)) };
  const { type, bytes } = input.bytes ?? json ?? {};
  const { "content-type": _type, "content-length": _length, "transfer-encoding": _encoding, ...kept } = from.headers;
  const sent = bytes && { "content-type": type, "content-length": String(bytes.length) };
  return {
    ...from,
    method,
    path: `/api${path}`,
    query,
    declaration: input.declaration,
    headers: { ...kept, ...headers, ...sent },
    readBody: async () => bytes ?? new Uint8Array(),
  };
}
