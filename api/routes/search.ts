import * as z from "zod";
import { showLibrary } from "../../domain/library.ts";
import { versionsOf, type FoundLibrary } from "../../domain/linked-packages.ts";
import { registries } from "../../domain/packages.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import { searchAnywhere } from "../../domain/searching.ts";
import type { ClaimedName } from "../../domain/source.ts";
import type { UpstreamLibrary } from "../../domain/upstream.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { cacheHeaders, entityTag, isFresh } from "../caching.ts";
import { isFromServer, type ApiRequest } from "../request.ts";
import { flag, text } from "../parameters.ts";
import { cachedAnswers, ifNoneMatch, route, type Call, type Route } from "../route.ts";
import { searchSchema, type librarySchema } from "../schemas/reading.ts";

type ListedLibrary = z.infer<typeof librarySchema>;

/** Maximum number of libraries in an answer. */
const maxResults = 30;

/** Maximum number of linked libraries in a description. */
const maxLinked = 3;

const parameters = z.object({
  libraryName: text(1, 500).describe(
    "Library name to search for. The name of a package may have a version (`zod@3.25.0`, `requests==2.32.3`, `example.com/owner/module@v1.2.0`) and a registry (`crates:serde@1.0`).",
  ),
  query: text(1, 500).describe("The question or task, in plain words. It may also name a package's version."),
  fast: flag().optional().describe("Accepted and ignored: there is no slow ranking step to skip."),
});

/** Finds libraries by name, or by what they say if no name fits, best first. */
export const searchRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/search",
  scope: "anonymous",
  limit: "read",
  isRead: true,
  about: {
    operationId: "searchLibraries",
    tag: "Reading",
    summary: "Search libraries by name",
    description:
      "If no library has such a name, those whose documentation says most about it are found: `matchedBy` says so.",
    headers: {
      "X-Context7-Source":
        "Names a published client (`mcp-server`, `cli`). Such a caller may leave out `libraryName` or `query`; the other is used for both.",
      "If-None-Match": ifNoneMatch,
    },
  },
  parameters,
  completeQuery,
  answers: cachedAnswers({ "application/json": searchSchema }),
  failures: ["spending_limit_exceeded", "index_rebuilding"],
  handler: search,
});

/** The libraries that a name and a question find. */
export async function search({
  request,
  caller,
  parameters: { libraryName, query },
  options,
}: Call<{ readonly libraryName: string; readonly query: string }>): Promise<ApiAnswer> {
  const { ports, settings, countRead } = options;
  const wanted = { name: libraryName, query, limit: maxResults };
  const { found, filtered, revision, isPartial, matchedBy } = await searchAnywhere(
    ports,
    caller,
    wanted,
    isFromServer(request),
  );
  const host = ports.upstream?.host ?? "";
  const body = {
    results: found.map((one) =>
      "entry" in one
        ? renderLibrary(one, ports.ranker.claimFor(libraryName, one.entry))
        : renderUpstream(one.beyond, host),
    ),
    searchFilterApplied: filtered,
    ...(matchedBy && { matchedBy }),
  };
  // A search for an installed version counts as a read of it.
  for (const one of found)
    if ("entry" in one && one.asked) countRead(one.entry.uid, versionRead(one.entry, one.asked.version));
  const tag = entityTag([body, revision]);
  // Not cached if the upstream was late, as a retry may find more.
  const headers = cacheHeaders(caller, tag, isPartial ? 0 : settings.maxAgeSeconds);
  return isFresh(request, tag) ? { status: 304, headers, body: null } : jsonAnswer(body, headers);
}

/** The version name for counting reads; "" for the default version. */
function versionRead({ versions }: LibraryEntry, version: string): string {
  return versions.includes(version) ? version : "";
}

/** Published clients, which identify themselves, may omit one of the two parameters: the other is used for both. */
function completeQuery({ query, headers }: ApiRequest): URLSearchParams {
  if (headers["x-context7-source"] === undefined) return query;
  const [libraryName, question] = [query.get("libraryName") ?? "", query.get("query") ?? ""];
  if ((libraryName === "") === (question === "")) return query;
  const both = new URLSearchParams(query);
  both.set("libraryName", libraryName === "" ? question : libraryName);
  both.set("query", question === "" ? libraryName : question);
  return both;
}

/** A library of the upstream as an item of search results. */
function renderUpstream(library: UpstreamLibrary, host: string): ListedLibrary {
  return { ...library, state: "finalized", versions: [...library.versions], source: `upstream: ${host}` };
}

/** A library as an item of search results; `claim` is the package name by which it was found. */
function renderLibrary(found: FoundLibrary, claim?: ClaimedName): ListedLibrary {
  const { entry, asked, linked } = found;
  return {
    // The ID has the requested version; the answer says if another one is used instead.
    id: asked ? showLibrary(entry.id, found.package ? asked.wanted : asked.version) : entry.id,
    title: entry.title,
    description: [aboutPackage(found), entry.description].filter((text) => text !== "").join(" "),
    branch: entry.branch,
    lastUpdateDate: new Date(entry.updatedAt).toISOString(),
    state: "finalized",
    totalTokens: entry.totalTokens,
    totalSnippets: entry.totalSnippets,
    ...(entry.stars !== undefined && { stars: entry.stars }),
    ...(entry.trust !== null && { trustScore: Math.round(entry.trust) }),
    versions: versionsOf(entry, found.package !== undefined).filter((version) => version !== ""),
    ...(claim && { package: { name: claim.name, manifest: claim.manifest } }),
    ...(found.package && { registry: { kind: found.package.registry, url: found.package.url } }),
    ...(linked.length > 0 && {
      linked: linked.map(({ libraryId, relation, isConfirmed }) => ({ libraryId, relation, isConfirmed })),
    }),
    ...(asked && { answering: { version: asked.version, isAsked: asked.isAsked } }),
    source: entry.source,
  };
}

/** Sentences on a package and its links, for an agent that chooses a library; "" for none. */
function aboutPackage({ package: own, linked, asked }: FoundLibrary): string {
  const ids = linked.map(({ libraryId }) => libraryId);
  const listed = ids.slice(0, maxLinked).join(", ");
  if (!own) return ids.length === 0 ? "" : `The repository of the package ${listed}.`;
  const where = linked.some((one) => one.isConfirmed) ? "its repository is" : "it names as its repository";
  const version =
    asked && !asked.isAsked
      ? ` Version ${asked.wanted} is not indexed; the nearest that is: ${asked.version}.`
      : asked && asked.wanted !== asked.version
        ? ` "${asked.wanted}" stands for ${asked.version}.`
        : "";
  return `The ${registries[own.registry].label} package ${own.name}${listed === "" ? "" : `; ${where} ${listed}`}.${version}`;
}
