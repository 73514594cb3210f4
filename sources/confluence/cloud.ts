import type { Client } from "confluence.js/core";
import { getRestrictionsForOperation, searchContentByCQL } from "confluence.js/v1";
import { getFolderById, getPageAncestors, getPages, getPagesInSpace, getSpaces } from "confluence.js/v2";
import { Failure } from "../../domain/failures.ts";
import type { ConfluenceApi, FoundBody, FoundPage, FoundSpace } from "./api.ts";
import { getJson } from "./requests.ts";
import type { Asking } from "./requests.ts";
import { at, idAt, nextAt, numberAt, pathAt, restrictedAt, resultsOf, textAt } from "./shapes.ts";

/** Most pages that a list takes by id, and most that it has (Confluence Cloud REST API v2). */
const most = 250;
/** What a search is asked for at once: with restrictions it has no more. */
const mostSearched = 200;

const restrictions = ["restrictions.read.restrictions.user", "restrictions.read.restrictions.group"];

/** Scopes of a token by the path that they are needed for. */
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
 * Confluence Cloud, by the paths and parameters of confluence.js. Its own client is not used: it fetches from anywhere, without a
 * deadline, and refuses answers that lack a field. `site` is the address of the site, which every answer has to be of.
 */
export function createCloudApi(asking: Asking, site: string): ConfluenceApi {
  const client: Client = {
    async sendRequest<T>({ url, searchParams }: Parameters<Client["sendRequest"]>[0]) {
      const answer = await getJson(asking, url, searchParams);
      const base = textAt(answer, "_links", "base");
      if (base !== "" && URL.parse(base)?.host !== new URL(site).host)
        throw new Failure(
          "source_refused",
          `The token is for another site than ${new URL(site).host}. Check its cloud ID.`,
        );
      return answer as T;
    },
  };
  const ask = async (asked: Promise<unknown>): Promise<unknown> => asked;

  async function space(key: string): Promise<FoundSpace | undefined> {
    const answer = await ask(getSpaces(client, { keys: [key], limit: 25 }));
    const spaces = resultsOf(answer).map((one) => toSpace(one));
    return spaces.find((one) => one.id !== "" && one.key.toLowerCase() === key.toLowerCase());
  }

  async function pages(parameters: NonNullable<Parameters<typeof getPages>[1]>): Promise<unknown> {
    return ask(getPages(client, { status: ["current"], limit: most, ...parameters }));
  }

  async function byIds(
    ids: readonly string[],
    parameters: NonNullable<Parameters<typeof getPages>[1]>,
  ): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (let first = 0; first < ids.length; first += most) {
      const some = ids.slice(first, first + most).map(Number);
      for (let cursor: string | null = null, asked = 0; asked <= some.length; asked += 1) {
        const answer: unknown = await pages({ id: some, ...parameters, ...(cursor !== null && { cursor }) });
        found.push(...resultsOf(answer));
        cursor = nextAt(answer, "cursor");
        if (cursor === null) break;
      }
    }
    return found;
  }

  async function isRestricted(id: string): Promise<boolean> {
    const expand = ["restrictions.user", "restrictions.group"];
    const answer = await ask(getRestrictionsForOperation(client, { id, operationKey: "read", expand }));
    const isSaid = restrictedAt(answer, "restrictions");
    if (isSaid === null) throw new Failure("source_invalid", `The answer does not say whether ${id} is restricted.`);
    return isSaid;
  }

  return {
    product: "cloud",
    root: `${site}/wiki`,
    formats: ["storage", "atlas_doc_format"],
    limits: { list: most, bodies: 100 },
    space,

    async probe() {
      await ask(getSpaces(client, { limit: 1 }));
      const [page] = resultsOf(await pages({ limit: 1 }));
      await ask(searchContentByCQL(client, { cql: "type=page", expand: restrictions, limit: 1 }));
      const id = idAt(page, "id");
      if (id !== "") await isRestricted(id);
      if (id !== "") await ask(getPageAncestors(client, { id: Number(id), limit: 1 }));
    },

    async pagesIn({ id }, limit, after) {
      const cursor = after === null ? {} : { cursor: after };
      const answer = await ask(getPagesInSpace(client, { id: Number(id), status: ["current"], limit, ...cursor }));
      return { found: resultsOf(answer).flatMap(toPage), next: nextAt(answer, "cursor") };
    },

    pagesById: async (ids) => (await byIds(ids, {})).flatMap(toPage),

    async notCurrent(ids) {
      const found = await byIds(ids, { status: ["trashed", "deleted", "archived"] });
      return { gone: found.map((one) => idAt(one, "id")).filter((id) => id !== ""), unasked: 0 };
    },

    async pageByTitle(key, title) {
      const found = await space(key);
      if (found === undefined) return undefined;
      const answer = await pages({ spaceId: [Number(found.id)], title });
      return resultsOf(answer)
        .flatMap(toPage)
        .find((page) => page.title === title);
    },

    async bodies(ids, format) {
      const found = await byIds(ids, { bodyFormat: format, limit: Math.min(ids.length, most) });
      return found.flatMap((one): FoundBody[] =>
        toPage(one).map((page) => ({ page, body: bodyOf(at(one, "body", format, "value")) })),
      );
    },

    async restrictionsIn({ key }, limit, after) {
      const cql = `space=${JSON.stringify(key)} and type in (page,folder)`;
      const cursor = after === null ? {} : { cursor: after };
      const most = Math.min(limit, mostSearched);
      const answer = await ask(searchContentByCQL(client, { cql, expand: restrictions, limit: most, ...cursor }));
      const found = resultsOf(answer).map((one) => ({
        id: idAt(one, "id"),
        type: textAt(one, "type"),
        isRestricted: restrictedAt(one, "restrictions", "read", "restrictions"),
      }));
      return { found: found.filter(({ id }) => id !== ""), next: nextAt(answer, "cursor") };
    },

    isRestricted,

    async above(id) {
      const answer = await ask(getPageAncestors(client, { id: Number(id), limit: most }));
      return resultsOf(answer).flatMap((one) => {
        const found = idAt(one, "id");
        return found === "" ? [] : [{ id: found, type: textAt(one, "type") || "page" }];
      });
    },

    async parent({ id, type }) {
      if (type !== "folder") return undefined;
      const answer = await ask(getFolderById(client, { id: Number(id) })).catch(unlessMissing);
      if (answer === undefined) return undefined;
      return { id, type, title: textAt(answer, "title"), parent: parentOf(answer) };
    },
  };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Failure && error.code === "source_not_found") return undefined;
  throw error;
}

function toSpace(value: unknown): FoundSpace {
  return { id: idAt(value, "id"), key: textAt(value, "key"), name: textAt(value, "name") };
}

/** A page of a list; none for what has no id, or is not current. */
function toPage(value: unknown): FoundPage[] {
  const id = idAt(value, "id");
  const status = textAt(value, "status");
  if (id === "" || (status !== "" && status !== "current")) return [];
  return [
    {
      id,
      title: textAt(value, "title"),
      version: numberAt(value, "version", "number") ?? 0,
      space: idAt(value, "spaceId"),
      parent: parentOf(value),
      position: numberAt(value, "position"),
      path: pathAt(value, "_links", "webui") || `/pages/viewpage.action?pageId=${id}`,
    },
  ];
}

function parentOf(value: unknown): FoundPage["parent"] {
  const id = idAt(value, "parentId");
  return id === "" ? null : { id, type: textAt(value, "parentType") || "page" };
}

/** A body; null where there is none, or an empty one. */
function bodyOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
