import type * as z from "zod";

import type { Caller, Scope } from "../domain/access.ts";
import type { AuditAction } from "../domain/audit.ts";
import type { FailureCode } from "../domain/failures.ts";
import type { ApiAnswer } from "./answers.ts";
import type { Act } from "./auditing.ts";
import type { Count } from "./counting.ts";
import type { BodyKind } from "./body.ts";
import type { LimitKind } from "./limits.ts";
import type { ApiOptions } from "./options.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { LibraryNotes } from "./library-notes.ts";
import type { Explain, Read } from "./reading.ts";
import type { ApiRequest } from "./request.ts";
import type { Streams } from "./streams.ts";

/** What the API keeps between requests. */
export interface ApiMemory {
  /** The status streams that are open. */
  readonly streams: Streams;
  /** Answers questions from libraries. */
  readonly read: Read;
  /** Says why an answer is as it is. */
  readonly explain: Explain;
  /** Counts an answer for the metrics of its library. */
  readonly count: Count;
  /** What of a library was left out of a generation. */
  readonly notesOf: LibraryNotes;
}

/** What a route's handler is called with: the request, checked by the route's schemas. */
export interface Call<Parameters = unknown, Body = unknown> {
  readonly request: ApiRequest;
  readonly caller: Caller;
  /** The client's, as a trusted proxy says. */
  readonly address: string;
  /** Looks at the key again, for an answer that goes on for long, and answers who it is now. @throws Failure invalid_api_key, forbidden */
  readonly recheck: () => Promise<Caller>;
  /**
   * Asks another operation as the same caller, by its path behind `/api`: it is answered what the operation answers everybody, failures
   * included. What both count for, is counted once.
   */
  readonly again: Again;
  /** Who a key, or a token, makes its holder, sent as `Authorization`: for those who sign in. @throws Failure invalid_api_key, forbidden */
  readonly identify: (authorization: string) => Promise<Caller>;
  /** What path and query say; undefined where the route takes no parameters. */
  readonly parameters: Parameters;
  /** What the route's kind of body makes of it; undefined where the route takes none, or none was sent. */
  readonly body: Body;
  readonly options: ApiOptions;
  readonly memory: ApiMemory;
  /** The request's part in the audit log. */
  readonly act: Pick<Act, "on" | "begin" | "failed">;
}

/** A body of any kind. */
export interface Bytes {
  /** Its Content-Type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What one operation asks another with. Headers are added to the request's own, which say who asks. */
export interface AgainRequest {
  readonly query?: URLSearchParams;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  /** In place of JSON. */
  readonly bytes?: Bytes | undefined;
  readonly headers?: ApiRequest["headers"];
}

/** Asks another operation of the API. */
export type Again = (method: Route["method"], path: string, asked: AgainRequest) => Promise<ApiAnswer>;

/** What makes a route a page: people ask for it with a browser, programs do not. */
export interface ForBrowsers {
  /** Whether it is for such a request; for others there is nothing at its path. */
  takes(request: Pick<ApiRequest, "path" | "headers">): boolean;
  /** The request as it is answered, with the authorization that its cookie holds. @throws Failure forbidden where a page of somebody else sent it */
  enter(request: ApiRequest): ApiRequest;
  /** A failure's answer, JSON, as a page. */
  failed(answer: ApiAnswer, request: ApiRequest): ApiAnswer;
}

/** The groups that the description has. */
export type Tag =
  | "Reading"
  | "Submissions"
  | "Operations"
  | "Credentials"
  | "Keys"
  | "Teamspaces"
  | "Policies"
  | "Server";

/** What is said of a route to those who use it. */
export interface About {
  /** Its name in the description, and in clients that are made from it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  /** Request headers that change its answer, each with what it does. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route answers with one status. */
export interface AnswerKind {
  readonly description: string;
  /** Schema of the body by media type; absent where there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  /** Headers beyond those of every answer. */
  readonly headers?: readonly AnswerHeader[];
}

/** Headers that only some answers have. */
export type AnswerHeader = "ETag" | "Cache-Control" | "Vary" | "X-Lectern-Library" | "Retry-After";

/** One operation of the API: requests are checked by it, and docs/openapi.json is made of it. */
export interface Route<Parameters = unknown, Body = unknown> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The whole path, `/api` included; a segment such as `{owner}` takes any text, as the parameter of that name. */
  readonly path: string;
  /** Other paths of the same operation, which the description does not name. */
  readonly aliases?: readonly string[];
  /** Who may call: everybody (`open`), callers without a key where the settings allow it (`anonymous`), or keys with a scope. */
  readonly scope: "open" | "anonymous" | Scope;
  /** The rate limit that the request counts for; null: none. */
  readonly limit: LimitKind | null;
  /** What of it the audit log records, refused or not; every operation has it that changes something by a key's scope. */
  readonly audit?: AuditAction;
  readonly about: About;
  /** What path and query may say. */
  readonly parameters?: ParameterSchema<Parameters>;
  /** The query that is checked, where it is not the one that was sent. */
  readonly completeQuery?: (request: ApiRequest) => URLSearchParams;
  /** The body that it takes; absent: none is read. */
  readonly body?: BodyKind<Body>;
  /** What of a body telemetry names: what is called, and the client's W3C trace context. */
  called?(body: Body): { readonly name: string; readonly traceparent?: string | undefined };
  /** What it answers by status, failures aside. */
  readonly answers: Readonly<Record<number, AnswerKind>>;
  /** Failures of its own, beyond those that follow from scope, limit, parameters and body. */
  readonly failures?: readonly FailureCode[];
  /** Pages of Temporal's Web UI may call it. */
  readonly forTemporalUi?: true;
  /** Its clients are programs: a web page of another origin may not call it, wherever the server listens. */
  readonly forPrograms?: true;
  /** Programs on this machine need no key. */
  readonly forLocal?: true;
  /** It is a page. */
  readonly forBrowsers?: ForBrowsers;
  /** Health checks call it, by whatever name or address they know the server. */
  readonly forProbes?: true;
  /** It changes nothing for callers who may only read: they are answered while they are being counted, and the answer may be thrown away. */
  readonly isRead?: true;
  /** Clients and probes ask it again and again: what succeeds is told at the level debug only. */
  readonly isPolled?: true;
  // A method, as parameters of methods may be narrower: a list of routes holds those of all schemas.
  handler(call: Call<Parameters, Body>): Promise<ApiAnswer>;
}

/** A route whose handler is held to the types of its schemas. */
export function route<Parameters, Body>(described: Route<Parameters, Body>): Route {
  return described;
}

/** The answers of a route that answers JSON. */
export function success(schema: z.ZodType, description = "Success."): Route["answers"] {
  return { 200: { description, content: { "application/json": schema } } };
}

/** What is said of the request header in which clients name the answer that they hold. */
export const ifNoneMatch = "Tag of an answer that the client holds.";

/** The answers of a route whose answers clients may keep. */
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

/** Failures of what names one library. */
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
