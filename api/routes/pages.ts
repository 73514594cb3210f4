import * as z from "zod";
import { defaultTokens } from "../../domain/upstream.ts";
import { mostTokens } from "../answer/pages.ts";
import { integer, text } from "../parameters.ts";
import { isFromServer } from "../request.ts";
import { cachedAnswers, ifNoneMatch, route, type Route } from "../route.ts";
import { pageListSchema, pageSchema, pageText } from "../schemas/pages.ts";
import { answerRead, contextParameters, minTokens, readsContext } from "./context.ts";

const { libraryId, type } = contextParameters.shape;
const headers = { "If-None-Match": ifNoneMatch };
const { 202: pending } = readsContext.answers;

/** Lists the pages of a library. */
const listRoute: Route = route({
  ...readsContext,
  path: "/api/v2/pages",
  about: { operationId: "listPages", tag: "Reading", summary: "List the pages of a library", headers },
  answers: {
    ...cachedAnswers({ "application/json": pageListSchema }, ["X-Lectern-Library"]),
    202: pending,
  },
  parameters: z.object({
    libraryId,
    word: text(1, 200).optional().describe("Only pages with this text in their path, their title or a heading."),
    limit: integer(1, 1000).prefault(100).describe("Maximum number of pages in one answer."),
    cursor: text(1, 500).optional().describe("`next` of the previous answer."),
  }),
  async handler(call) {
    const { request, caller, memory, act } = call;
    const question = { ...call.parameters, localOnly: isFromServer(request) };
    return answerRead(call, "json", async (isCached) => {
      const list = await memory.listPages(caller, question, act, isCached);
      // Metrics count no lists.
      return { ...list, libraryUid: null };
    });
  },
});

/** Reads a page, or a section of it. */
const readRoute: Route = route({
  ...readsContext,
  path: "/api/v2/page",
  about: { operationId: "readPage", tag: "Reading", summary: "Read a page or a section of it", headers },
  answers: {
    ...cachedAnswers({ "text/plain": pageText, "application/json": pageSchema }, ["X-Lectern-Library"]),
    202: pending,
  },
  failures: [...readsContext.failures, "page_not_found"],
  parameters: z.object({
    libraryId,
    page: text(1, 2000).describe(
      "The page, as answers and `GET /v2/pages` name it: its path in the source, or its address. A section may follow after `#`.",
    ),
    section: text(1, 500)
      .optional()
      .describe("Only this section, with those in it: its name in the list, or its heading."),
    from: integer(0, 1_000_000).optional().describe("Where to begin, as an answer that was cut says."),
    tokens: integer(1, mostTokens)
      .prefault(defaultTokens)
      .describe(
        "Estimated token budget of the answer, at least 200. A longer page is cut, and the end says where it goes on.",
      ),
    type,
  }),
  async handler(call) {
    const { request, caller, parameters, memory, act } = call;
    const tokens = Math.max(parameters.tokens, minTokens);
    const question = { ...parameters, tokens, localOnly: isFromServer(request) };
    return answerRead(call, parameters.type, (isCached) => memory.readPage(caller, question, act, isCached));
  },
});

/** The operations that read pages. */
export const pageRoutes: readonly Route[] = [listRoute, readRoute];
