import * as z from "zod";

import { searchLibraries } from "../../domain/answering.ts";
import { jsonAnswer } from "../answers.ts";
import { cacheHeaders, entityTag, isFresh } from "../caching.ts";
import type { Call, Route } from "../http.ts";
import type { ApiRequest } from "../request.ts";
import { flag, parseQuery, text } from "../parameters.ts";
import { renderLibrary } from "../render.ts";

/** Maximum of libraries in an answer. */
const maxResults = 30;

const parameters = z.object({ libraryName: text(1, 500), query: text(1, 500), fast: flag().optional() });

/** Finds libraries by name, the best first. */
export const searchRoute: Route = {
  method: "GET",
  path: "/api/v2/libs/search",
  scope: "anonymous",
  limit: "read",
  handler: search,
};

async function search({ request, caller, options }: Call): ReturnType<Route["handler"]> {
  const { libraryName, query } = parseQuery(parameters, completed(request));
  const { ports, settings } = options;
  const found = await searchLibraries(ports, caller, { name: libraryName, query, limit: maxResults });
  const body = { results: found.entries.map(renderLibrary), searchFilterApplied: found.filtered };
  const tag = entityTag([body]);
  const headers = cacheHeaders(caller, tag, settings.maxAgeSeconds);
  return isFresh(request, tag) ? { status: 304, headers, body: null } : jsonAnswer(body, headers);
}

/** The published clients leave one of the two parameters out; they name themselves, and the other stands for both. */
function completed({ query, headers }: ApiRequest): URLSearchParams {
  if (headers["x-context7-source"] === undefined) return query;
  const [libraryName, question] = [query.get("libraryName") ?? "", query.get("query") ?? ""];
  if ((libraryName === "") === (question === "")) return query;
  const both = new URLSearchParams(query);
  both.set("libraryName", libraryName === "" ? question : libraryName);
  both.set("query", question === "" ? libraryName : question);
  return both;
}
