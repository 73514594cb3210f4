import * as z from "zod";
import { defaultLimit } from "../../domain/upstream.ts";
import { integer, text } from "../parameters.ts";
import { cachedAnswers, route, type Call, type Route } from "../route.ts";
import { searchSchema } from "../schemas/reading.ts";
import { context, contextParameters, readsContext } from "./context.ts";
import { search } from "./search.ts";

const parameters = z.object({
  owner: z.string().describe("First segment of the library's ID."),
  repo: z.string().describe("Second segment of the library's ID."),
  topic: text(1, 500).prefault("getting started").describe("The topic; default: getting started."),
  type: z.enum(["txt", "json"], { error: "must be txt or json" }).default("txt").describe("The form of the answer."),
  tokens: integer(100, 100_000).prefault(10_000).describe("Estimated token budget of the whole answer."),
  limit: integer(1, 100).prefault(defaultLimit).describe("Maximum number of passages."),
  kind: contextParameters.shape.kind,
});

const base = "/api/v1/{owner}/{repo}";
/** The hosted service's path between version 1 and `/v2/context`. */
const base2 = "/api/v2/docs/{kind}/{owner}/{repo}";
const about = {
  tag: "Reading",
  description: "For older clients; answers like `/v2/context`.",
} as const;

/** The routes of version 1, for older clients. */
export const olderRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/v1/search",
    aliases: ["/api/v2/search"],
    scope: "anonymous",
    limit: "read",
    isRead: true,
    about: {
      ...about,
      operationId: "searchLibrariesV1",
      summary: "Search libraries by one text",
      description: "For older clients; answers like `/v2/libs/search`.",
    },
    parameters: z.object({ query: text(1, 500).describe("Library name to search for.") }),
    answers: cachedAnswers({ "application/json": searchSchema }),
    failures: ["index_rebuilding"],
    async handler(call) {
      const { query } = call.parameters;
      return search({ ...call, parameters: { libraryName: query, query } });
    },
  }),
  route({
    ...readsContext,
    path: base,
    aliases: [base2],
    about: { ...about, operationId: "getDocumentationV1", summary: "Get documentation on a topic" },
    parameters,
    handler: async (call) => read(call),
  }),
  route({
    ...readsContext,
    path: `${base}/{version}`,
    aliases: [`${base2}/{version}`],
    about: {
      ...about,
      operationId: "getDocumentationOfVersionV1",
      summary: "Get documentation of a version on a topic",
    },
    parameters: parameters.extend({ version: z.string().describe("A tag or branch, or a range of versions.") }),
    handler: async (call) => read(call, call.parameters.version),
  }),
];

function read(call: Call<z.infer<typeof parameters>>, version?: string): ReturnType<typeof context> {
  const { owner, repo, topic, ...others } = call.parameters;
  const libraryId = `/${[owner, repo, ...(version === undefined ? [] : [version])].join("/")}`;
  return context({ ...call, parameters: { ...others, libraryId, query: topic } });
}
