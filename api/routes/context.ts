import * as z from "zod";
import { Failure, failures } from "../../domain/failures.ts";
import { defaultLimit, defaultTokens } from "../../domain/upstream.ts";
import type { Reading, ReadRequest } from "../answer/reading.ts";
import { failureBody, failureHeaders, jsonAnswer, textAnswer, type ApiAnswer } from "../answers.ts";
import { cacheHeaders, entityTag, isFresh } from "../caching.ts";
import { isFromServer } from "../request.ts";
import { flag, integer, libraryIdText, text } from "../parameters.ts";
import { cachedAnswers, ifNoneMatch, libraryFailures, route, type Call, type Route } from "../route.ts";
import { contextSchema, contextText, pendingSchema } from "../schemas/reading.ts";

/** Parameters of a question. */
export const contextParameters = z.object({
  libraryId: libraryIdText.describe(
    "Library ID: `/owner/name`, or `/source/name`; a version after `/` or `@`: a tag or branch in any usual notation, a range such as `^4`, `4.x` or `>=3 <5`, or `latest`. A missing leading slash is forgiven.",
  ),
  query: text(1, 500).describe("The question or task, in plain words."),
  type: z.enum(["txt", "json"], { error: "must be txt or json" }).default("txt").describe("The form of the answer."),
  fast: flag().optional().describe("Accepted and ignored: there is no slow ranking step to skip."),
  tokens: integer(1, 100_000)
    .prefault(defaultTokens)
    .describe("Estimated token budget of the whole answer, at least 200. A best passage that exceeds it is shortened."),
  limit: integer(1, 100).prefault(defaultLimit).describe("Maximum number of passages."),
  kind: z.enum(["code", "info"], { error: "must be code or info" }).optional().describe("Only code, or only prose."),
  language: z
    .string()
    .regex(/^[\p{L}\p{N}+#._-]{1,50}$/u, { error: "must be the name of a language, such as typescript" })
    .meta({ minLength: 1, maxLength: 50 })
    .transform((name) => name.toLowerCase())
    .optional()
    .describe("Only passages with code in this language."),
});

/** Minimum budget in tokens: a heading and a source alone take half of it. */
export const minTokens = 200;

/** Documentation of routes that answer questions. */
export const readsContext = {
  method: "GET",
  scope: "anonymous",
  limit: "read",
  isRead: true,
  answers: {
    ...cachedAnswers({ "text/plain": contextText, "application/json": contextSchema }, ["X-Lectern-Library"]),
    202: {
      description: "Accepted; the library is not finalized. Wait and retry.",
      headers: ["Retry-After"],
      content: { "text/plain": z.string().describe("One sentence."), "application/json": pendingSchema },
    },
  },
  failures: [
    "library_not_finalized",
    "library_redirected",
    ...libraryFailures,
    "spending_limit_exceeded",
    "access_denied",
    "tag_not_found",
    "no_snippets_found",
    "source_not_found",
    "branch_not_found",
    "run_open",
    "no_code_found",
    "library_too_large",
    "source_refused",
    "source_invalid",
    "address_not_allowed",
    "run_suspended",
    "run_interrupted",
    "run_cancelled",
    "index_rebuilding",
    "generation_damaged",
    "format_unknown",
    "service_unavailable",
    "source_unreachable",
    "timeout",
  ],
} satisfies Pick<Route, "method" | "scope" | "limit" | "isRead" | "answers" | "failures">;

/** Answers a question from a library, as text or JSON. */
export const contextRoute: Route = route({
  ...readsContext,
  path: "/api/v2/context",
  about: {
    operationId: "getContext",
    tag: "Reading",
    summary: "Get documentation for a question",
    headers: { "If-None-Match": ifNoneMatch },
  },
  parameters: contextParameters,
  handler: context,
});

/** What is added to the answer of a library. */
interface Framing {
  /** What it depends on besides the answer. */
  readonly of: unknown;
  readonly framed: (body: string | object) => string | object;
}

/** The answer to a question, with additions. @throws Failure */
export async function context(call: Call<z.infer<typeof contextParameters>>, framing?: Framing): Promise<ApiAnswer> {
  const { request, caller, parameters, memory, act } = call;
  const { type } = parameters;
  const question = { ...questionOf(parameters), type, localOnly: isFromServer(request) };
  return answerRead(call, type, (isCached) => memory.read(caller, question, act, isCached), framing);
}

/** The answer of a read: 304 if the client has it; 202 in the requested form while the library is being indexed. @throws Failure */
export async function answerRead(
  { request, caller, options, memory, address }: Call,
  type: "txt" | "json",
  read: (isCached: (tag: string) => boolean) => Promise<Reading<string | object>>,
  { of, framed }: Framing = { of: undefined, framed: (body) => body },
): Promise<ApiAnswer> {
  const tagOf = (tag: string): string => (of === undefined ? tag : entityTag([tag, of]));
  try {
    const { library, libraryUid, topic, tag, body } = await read((current) => isFresh(request, tagOf(current)));
    const headers = {
      ...cacheHeaders(caller, tagOf(tag), options.settings.maxAgeSeconds),
      "X-Lectern-Library": encodeURI(library),
    };
    if (body === null) return { status: 304, headers, body: null };
    if (libraryUid !== null) memory.count({ request, caller, address, libraryUid, type, topic });
    const sent = framed(body);
    return typeof sent === "string" ? textAnswer(sent, headers) : jsonAnswer(sent, headers);
  } catch (error) {
    if (error instanceof Failure && failures[error.code].status === 202) return pending(error, type);
    throw error;
  }
}

/** The question in the parameters, without the form. */
export function questionOf({
  libraryId,
  query,
  tokens,
  limit,
  kind,
  language,
}: Omit<z.infer<typeof contextParameters>, "type">): Omit<ReadRequest, "type" | "localOnly"> {
  const chosen = { ...(kind && { kind }), ...(language !== undefined && { language }) };
  return { libraryId, query, tokens: Math.max(tokens, minTokens), limit, ...chosen };
}

/** The 202 in the requested form, as published clients treat it as success. */
function pending(failure: Failure, type: "txt" | "json"): ApiAnswer {
  const headers = failureHeaders(failure);
  const { status } = failures[failure.code];
  return type === "json"
    ? jsonAnswer({ ...failureBody(failure), codeSnippets: [], infoSnippets: [] }, headers, status)
    : textAnswer(failure.message, headers, status);
}
