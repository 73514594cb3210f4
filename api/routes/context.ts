import * as z from "zod";

import { answerQuestion, locateLibrary } from "../../domain/answering.ts";
import { Failure, failures } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import { isSameVersion } from "../../domain/version-match.ts";
import { failureBody, failureHeaders, jsonAnswer, textAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import { cacheHeaders, entityTag, isFresh } from "../caching.ts";
import type { Call, Route } from "../http.ts";
import { flag, integer, libraryIdText, parseQuery, text } from "../parameters.ts";
import { seesDisk, snippetWithoutDisk } from "../places.ts";
import { renderJson, renderText, renderVersion } from "../render.ts";
import { rulesField, rulesOf, rulesText } from "../rules.ts";

const parameters = z.object({
  libraryId: libraryIdText,
  query: text(1, 500),
  type: z.enum(["txt", "json"], { error: "must be txt or json" }).default("txt"),
  fast: flag().optional(),
  tokens: integer(1, 100_000).default(5000),
  limit: integer(1, 100).default(50),
  kind: z.enum(["code", "info"], { error: "must be code or info" }).optional(),
  language: z
    .string()
    .regex(/^[\p{L}\p{N}+#._-]{1,50}$/u, { error: "must be the name of a language, such as typescript" })
    .transform((name) => name.toLowerCase())
    .optional(),
});

/** Answers a question from one library, as text or as JSON. */
export const contextRoute: Route = {
  method: "GET",
  path: "/api/v2/context",
  scope: "anonymous",
  limit: "read",
  handler: context,
};

async function context({ request, caller, options, memory }: Call): Promise<ApiAnswer> {
  const { libraryId, type, fast: _, ...asked } = parseQuery(parameters, request.query);
  const { ports, settings } = options;
  try {
    const located = await locateLibrary(ports, caller, libraryId);
    const { library, generation, version } = located;
    const answering = showLibrary(library.id, version);
    const choice = isSameVersion(located.asked, version) ? null : located.asked;
    const rules = await rulesOf(settings, memory.ownRules, located);
    const tag = entityTag([
      generation.id,
      ports.ranker.version,
      renderVersion,
      caller.libraries,
      seesDisk(caller, library),
      library.id,
      library.title,
      rules,
      version,
      choice,
      type,
      asked,
    ]);
    const headers = {
      ...cacheHeaders(caller, tag, settings.maxAgeSeconds),
      "X-Lectern-Library": encodeURI(answering),
    };
    const { kind, language, ...needed } = asked;
    const found = isFresh(request, tag)
      ? null
      : await answerQuestion(ports, located, {
          ...needed,
          ...(kind && { kind }),
          ...(language !== undefined && { language }),
        });
    options.countRead(library.uid, version);
    if (found === null) return { status: 304, headers, body: null };
    const snippets = seesDisk(caller, library) ? found : found.map(snippetWithoutDisk);
    if (type === "json") {
      const body = { ...renderJson(snippets), ...rulesField(rules), ...(choice !== null && { version }) };
      return jsonAnswer(body, headers);
    }
    // Who asks for a range, or for the latest, is told which version that is: a model reads no headers.
    const told = choice === null ? "" : `This is ${answering}, which "${choice}" stands for.\n\n`;
    return textAnswer(`${told}${rulesText(library.id, rules)}${renderText(answering, snippets)}`, headers);
  } catch (error) {
    if (error instanceof Failure && failures[error.code].status === 202) return pending(error, type);
    throw error;
  }
}

/** 202 counts as success with the published clients: they need the form that they asked for. */
function pending(failure: Failure, type: "txt" | "json"): ApiAnswer {
  const headers = failureHeaders(failure);
  const { status } = failures[failure.code];
  return type === "json"
    ? jsonAnswer({ ...failureBody(failure), codeSnippets: [], infoSnippets: [] }, headers, status)
    : textAnswer(failure.message, headers, status);
}
