import type { Client } from "confluence.js/core";
import { getRestrictionsForOperation, searchContentByCQL } from "confluence.js/v1";
import { getFolderById, getPageAncestors, getPages, getPagesInSpace, getSpaces } from "confluence.js/v2";
import { Failure } from "../../domain/failures.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import type { ConfluenceApi, FoundPage, FoundSpace } from "./api.ts";
import {
  ancestorsOf,
  bodiesOf,
  isRestrictedBy,
  pagesOf,
  idAt,
  nextAt,
  numberAt,
  restrictedAt,
  resultsOf,
  textAt,
  type OwnFields,
} from "./answers.ts";
import { getJson, type SiteConnection } from "./requests.ts";

/** Maximum number of ids in a request for a list, and of pages in the response (Confluence Cloud REST API v2). */
const most = 250;
/** Maximum number of results of a search with restrictions. */
const mostSearched = 200;

type PageParameters = NonNullable<Parameters<typeof getPages>[1]>;

const restrictions = ["restrictions.read.restrictions.user", "restrictions.read.restrictions.group"];

/** The scopes that paths need. */
const scopes: readonly (readonly [path: RegExp, scope: string])[] = [
  [/^\/wiki\/api\/v2\/spaces\/\d+\/pages/, "read:page:confluence"],
  [/^\/wiki\/api\/v2\/spaces/, "read:space:confluence"],
  [/^\/wiki\/api\/v2\/folders/, "read:folder:confluence"],
  [/^\/wiki\/api\/v2\/pages\/\d+\/ancestors/, "read:content.metadata:confluence"],
  [/^\/wiki\/api\/v2\/pages/, "read:page:confluence"],
  [/^\/wiki\/rest\/api\/content\/\d+\/restriction/, "read:content.restriction:confluence"],
  [/^\/wiki\/rest\/api\/content\/search/, "read:content-details:confluence"],
];

/** The scope that a token needs for a path. */
export function cloudScope(path: string): string {
  const scope = scopes.find(([pattern]) => pattern.test(path))?.[1] ?? "a scope";
  return `the scope ${scope}`;
}

/**
 * The API of Confluence Cloud, with the paths and parameters of confluence.js. Its own client is not used: it fetches from any host,
 * without a deadline, and rejects responses that lack a field. Responses of another site than `site` are refused.
 */
export function createCloudApi(connection: SiteConnection, site: string): ConfluenceApi {
  const client: Client = {
    async sendRequest<T>({ url, searchParams }: Parameters<Client["sendRequest"]>[0]) {
      const answer = await getJson(connection, url, searchParams);
      const base = textAt(answer, "_links", "base");
      if (base !== "" && URL.parse(base)?.host !== new URL(site).host)
        throw new Failure(
          "source_refused",
          `The token is for another site than ${new URL(site).host}. Check its cloud ID.`,
        );
      return answer as T;
    },
  };

  async function space(key: string): Promise<FoundSpace | undefined> {
    const spaces = resultsOf(await getSpaces(client, { keys: [key], limit: 25 })).map(toSpace);
    return spaces.find((one) => one.id !== "" && one.key.toLowerCase() === key.toLowerCase());
  }

  async function requestPages(parameters: PageParameters): Promise<unknown> {
    return getPages(client, { status: ["current"], limit: most, ...parameters });
  }

  async function byIds(ids: readonly string[], parameters: PageParameters): Promise<readonly unknown[]> {
    const pages: unknown[] = [];
    for (let first = 0; first < ids.length; first += most) {
      const some = ids.slice(first, first + most).map(Number);
      for (let cursor: string | null = null, requests = 0; requests <= some.length; requests += 1) {
        const answer: unknown = await requestPages({ id: some, ...parameters, ...(cursor !== null && { cursor }) });
        pages.push(...resultsOf(answer));
        cursor = nextAt(answer, "cursor");
        if (cursor === null) break;
      }
    }
    return pages;
  }

  async function isRestricted(id: string): Promise<boolean> {
    const expand = ["restrictions.user", "restrictions.group"];
    return isRestrictedBy(await getRestrictionsForOperation(client, { id, operationKey: "read", expand }), id);
  }

  return {
    product: "cloud",
    root: `${site}/wiki`,
    formats: ["storage", "atlas_doc_format"],
    limits: { list: most, bodies: 100 },
    space,

    async probe() {
      await getSpaces(client, { limit: 1 });
      const [page] = resultsOf(await requestPages({ limit: 1 }));
      await searchContentByCQL(client, { cql: "type=page", expand: restrictions, limit: 1 });
      const id = idAt(page, "id");
      if (id !== "") await isRestricted(id);
      if (id !== "") await getPageAncestors(client, { id: Number(id), limit: 1 });
    },

    async pagesIn({ id }, limit, after) {
      const cursor = after === null ? {} : { cursor: after };
      const answer = await getPagesInSpace(client, { id: Number(id), status: ["current"], limit, ...cursor });
      return { found: pagesOf(resultsOf(answer), ownFields), next: nextAt(answer, "cursor") };
    },

    pagesById: async (ids) => pagesOf(await byIds(ids, {}), ownFields),

    async notCurrent(ids) {
      const pages = await byIds(ids, { status: ["trashed", "deleted", "archived"] });
      return { gone: pages.map((one) => idAt(one, "id")).filter((id) => id !== ""), unasked: 0 };
    },

    async pageByTitle(key, title) {
      const home = await space(key);
      if (home === undefined) return undefined;
      const answer = await requestPages({ spaceId: [Number(home.id)], title });
      return pagesOf(resultsOf(answer), ownFields).find((page) => page.title === title);
    },

    async bodies(ids, format) {
      const pages = await byIds(ids, { bodyFormat: format, limit: Math.min(ids.length, most) });
      return bodiesOf(pages, format, ownFields);
    },

    async restrictionsIn({ key }, limit, after) {
      const cql = `space=${JSON.stringify(key)} and type in (page,folder)`;
      const cursor = after === null ? {} : { cursor: after };
      const capped = Math.min(limit, mostSearched);
      const answer = await searchContentByCQL(client, { cql, expand: restrictions, limit: capped, ...cursor });
      const contents = resultsOf(answer).map((one) => ({
        id: idAt(one, "id"),
        type: textAt(one, "type"),
        isRestricted: restrictedAt(one, "restrictions", "read", "restrictions"),
      }));
      return { found: contents.filter(({ id }) => id !== ""), next: nextAt(answer, "cursor") };
    },

    isRestricted,

    async ancestors(id) {
      return ancestorsOf(resultsOf(await getPageAncestors(client, { id: Number(id), limit: most })));
    },

    async parent({ id, type }) {
      if (type !== "folder") return undefined;
      const answer = await getFolderById(client, { id: Number(id) }).catch(undefinedFor("source_not_found"));
      if (answer === undefined) return undefined;
      return { id, type, title: textAt(answer, "title"), parent: parentOf(answer) };
    },
  };
}

function toSpace(value: unknown): FoundSpace {
  return { id: idAt(value, "id"), key: textAt(value, "key"), name: textAt(value, "name") };
}

const ownFields: OwnFields = (value) => ({
  space: idAt(value, "spaceId"),
  parent: parentOf(value),
  position: numberAt(value, "position"),
});

function parentOf(value: unknown): FoundPage["parent"] {
  const id = idAt(value, "parentId");
  return id === "" ? null : { id, type: textAt(value, "parentType") || "page" };
}
