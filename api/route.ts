import type * as z from "zod";
import type { Caller, Scope } from "../domain/access.ts";
import type { AuditAction } from "../domain/audit.ts";
import type { FailureCode } from "../domain/failures.ts";
import type { ApiAnswer } from "./answers.ts";
import type { Act } from "./auditing.ts";
import type { Count } from "./metrics.ts";
import type { BodyKind } from "./body.ts";
import type { LimitKind, Streams } from "./limits.ts";
import type { ApiOptions } from "./options.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { LibraryNotes } from "./manifest-cache.ts";
import type { Explain, Read } from "./reading.ts";
import type { ApiRequest } from "./request.ts";
import { addRoute, createRouter, findRoute } from "rou3";

/** The state of the API between requests. */
export interface ApiMemory {
  /** The open status streams. */
  readonly streams: Streams;
  /** Answers questions from libraries. */
  readonly read: Read;
  /** Explains answers. */
  readonly explain: Explain;
  /** Counts an answer for the metrics of its library. */
  readonly count: Count;
  /** Reads what was left out of a generation. */
  readonly notesOf: LibraryNotes;
}

/** The argument of a handler: the request, validated by the schemas of the route. */
export interface Call<Parameters = unknown, Body = unknown> {
  readonly request: ApiRequest;
  readonly caller: Caller;
  /** IP address of the client, by a trusted proxy. */
  readonly address: string;
  /** Checks the key again, for a long answer, and returns the caller. @throws Failure invalid_api_key, forbidden */
  readonly recheck: () => Promise<Caller>;
  /**
   * Calls another operation as the same caller, by its path below `/api`. Failures are answers too. A rate limit of both is counted
   * once.
   */
  readonly again: Again;
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

/** A request of an operation to another one. Headers are added to those of the original request, which identify the caller. */
export interface AgainRequest {
  readonly query?: URLSearchParams;
  /** A JSON body. */
  readonly body?: object | undefined;
  /** A body in place of JSON. */
  readonly bytes?: Bytes | undefined;
  readonly headers?: ApiRequest["headers"];
}

/** Calls another operation of the API. */
export type Again = (method: Route["method"], path: string, asked: AgainRequest) => Promise<ApiAnswer>;

/** Makes a route a page of the dashboard, for browsers only. */
export interface ForBrowsers {
  /** Whether it answers a request; for others its path is not found. */
  takes(request: Pick<ApiRequest, "path" | "headers">): boolean;
  /** The request with the authorization of its session, or without an ended session. @throws Failure forbidden for a cross-site request */
  enter(request: ApiRequest): Promise<ApiRequest>;
  /** Turns the JSON answer of a failure into a page. */
  failed(answer: ApiAnswer, request: ApiRequest): ApiAnswer;
}

/** The tags of the description. */
export type Tag =
  | "Reading"
  | "Submissions"
  | "Operations"
  | "Credentials"
  | "Keys"
  | "Teamspaces"
  | "Policies"
  | "Server";

/** The documentation of a route. */
export interface About {
  /** Operation ID in the description, and name in generated clients. */
  readonly operationId: string;
  readonly tag: Tag;
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
  /** Headers beside those of every answer. */
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
  /** What telemetry takes from the body: the called method, and the W3C trace context of the client. */
  called?(body: Body): { readonly name: string; readonly traceparent?: string | undefined };
  /** Its responses by status, without failures. */
  readonly answers: Readonly<Record<number, AnswerKind>>;
  /** Its own failures, beside those of scope, limit, parameters and body. */
  readonly failures?: readonly FailureCode[];
  /** Pages of Temporal's Web UI may call it. */
  readonly forTemporalUi?: true;
  /** Not for web pages of other origins, on any listen address. */
  readonly forPrograms?: true;
  /** Programs on this machine need no key. */
  readonly forLocal?: true;
  /** Present: it is a page of the dashboard. */
  readonly forBrowsers?: ForBrowsers;
  /** Health checks call it, with any Host. */
  readonly forProbes?: true;
  /** It changes nothing for callers who may only read: their rate limit is counted concurrently, and may discard the answer. */
  readonly isRead?: true;
  /** It is polled: successful requests are logged at the level debug only. */
  readonly isPolled?: true;
  // A method, as its parameters are bivariant: a list of routes has handlers of all schemas.
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
export const ifNoneMatch = "Tag of an answer that the client holds.";

/** The responses of a route whose answers clients may cache. */
export function cachedAnswers(
  content: NonNullable<AnswerKind["content"]>,
  more: readonly AnswerHeader[] = [],
): Route["answers"] {
  const headers = ["ETag", "Cache-Control", "Vary", ...more] as const;
  return {
    200: { description: "Success.", headers, content },
    304: { description: "The answer that `If-None-Match` names is still right.", headers },
  };
}

/** Failures of routes that name a library. */
export const libraryFailures = ["invalid_library_id", "library_not_found"] as const satisfies readonly FailureCode[];

/** Every failure that a route can answer. */
export function failuresOf({ scope, limit, parameters, body, failures = [] }: Route): readonly FailureCode[] {
  const taken = parameters !== undefined || body !== undefined;
  return [
    ...(taken ? (["validation_error"] as const) : []),
    ...(scope === "open" ? [] : (["invalid_api_key", "search_failed", "service_unavailable"] as const)),
    "forbidden",
    ...(body === undefined ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
    ...(limit === null ? [] : (["rate_limit_exceeded"] as const)),
    "internal_error",
    ...failures,
  ];
}

/** The routes of a path by method, and the parameters of the path, percent-encoded. */
export interface MatchedPath {
  readonly methods?: ReadonlyMap<string, Route>;
  readonly inPath?: Readonly<Record<string, string>> | undefined;
}

/** Finds routes by path; literal segments before parameters. Pages are found by browsers only. */
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
    // The router ignores a trailing slash; the dispatcher has removed one, and more are another path.
    if (!path.startsWith("/") || (path !== "/" && path.endsWith("/"))) return {};
    const found = findRoute(router, "", path);
    if (!found) return {};
    // Pages and operations have different paths.
    for (const { forBrowsers } of found.data.values()) if (forBrowsers?.takes(request) === false) return {};
    return { methods: found.data, inPath: found.params };
  };
}
