import type { ConfluenceApi } from "./api.ts";
import { getJson, type SiteConnection, type Parameters } from "./requests.ts";
import {
  textAt,
  idAt,
  listAt,
  nextAt,
  numberAt,
  restrictedAt,
  resultsOf,
  ancestorsOf,
  bodiesOf,
  isRestrictedBy,
  pagesOf,
  type OwnFields,
} from "./answers.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";

const restrictions = ["restrictions.read.restrictions.user", "restrictions.read.restrictions.group"];

const listed = ["version", "ancestors", "space", "extensions.position", ...restrictions];

/** Maximum number of pages missing from search or lists that are requested one by one, unless one of them exists after all. */
const maxAsked = 100;

/** A personal access token has no scopes: it has the rights of its account. */
export function dataCenterScope(): string {
  return "the right to read";
}

/** The REST API v1 of Confluence Data Center from 7.9 on. `site` is the address of the site, with its path if it has one. */
export function createDataCenterApi(connection: SiteConnection, site: string): ConfluenceApi {
  const get = (path: string, parameters?: Parameters): Promise<unknown> =>
    getJson(connection, `/rest/api${path}`, parameters);

  async function search(cql: string, expand: readonly string[], limit: number): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    for (let start: string | null = "0"; start !== null;) {
      const answer: unknown = await get("/content/search", { cql, expand, limit, start });
      const results = resultsOf(answer);
      entries.push(...results);
      const next: string | null = nextAt(answer, "start");
      start = results.length === 0 || next === start ? null : next;
    }
    return entries;
  }

  /** Pages by their ids, in lists that fit in an address. */
  async function byIds(ids: readonly string[], format?: BodyFormat): Promise<readonly unknown[]> {
    const expand = format === undefined ? listed : [...listed, `body.${format}`];
    const pages: unknown[] = [];
    for (let first = 0; first < ids.length; first += 100) {
      const some = ids.slice(first, first + 100);
      pages.push(...(await search(`id in (${some.join(",")}) and type=page`, expand, some.length)));
    }
    // The search index is updated some time after a page is created.
    const known = new Set(pages.map((one) => idAt(one, "id")));
    let [missing, isSearchRight] = [0, true];
    for (const id of ids.filter((one) => !known.has(one))) {
      if (missing >= maxAsked && isSearchRight) break;
      const answer = await get(`/content/${id}`, { expand }).catch(unlessMissing);
      if (answer === undefined) missing += 1;
      else {
        isSearchRight = false;
        pages.push(answer);
      }
    }
    return pages;
  }

  return {
    product: "data-center",
    root: site,
    formats: ["storage"],
    limits: { list: 100, bodies: 50 },

    async probe() {
      await get("/user/current");
      await get("/space", { limit: 1 });
    },

    async space(key) {
      const answer = await get(`/space/${encodeURIComponent(key)}`).catch(unlessMissing);
      if (answer === undefined) return undefined;
      return { id: textAt(answer, "key") || key, key: textAt(answer, "key") || key, name: textAt(answer, "name") };
    },

    async pagesIn({ key }, limit, after) {
      const common = { spaceKey: key, type: "page", status: "current", expand: listed, limit };
      const answer = await get("/content", { ...common, start: after ?? "0" });
      // A short part of a list need not be its last: pages that the account may not see are missing from it.
      return { found: pagesOf(resultsOf(answer), ownFields), next: nextAt(answer, "start") };
    },

    pagesById: async (ids) => pagesOf(await byIds(ids), ownFields),

    async notCurrent(ids) {
      const gone: string[] = [];
      for (const id of ids.slice(0, maxAsked)) {
        const answer = await get(`/content/${id}`, { status: "trashed" }).catch(unlessMissing);
        if (answer !== undefined && textAt(answer, "status") !== "current") gone.push(id);
      }
      return { gone, unasked: Math.max(0, ids.length - maxAsked) };
    },

    async pageByTitle(key, title) {
      const answer = await get("/content", { spaceKey: key, title, type: "page", status: "current", expand: listed });
      return pagesOf(resultsOf(answer), ownFields).find((page) => page.title === title);
    },

    bodies: async (ids, format) => bodiesOf(await byIds(ids, format), format, ownFields),

    async isRestricted(id) {
      const answer = await get(`/content/${id}/restriction/byOperation/read`, {
        expand: ["restrictions.user", "restrictions.group"],
      });
      return isRestrictedBy(answer, id);
    },

    async ancestors(id) {
      const answer = await get(`/content/${id}`, { expand: ["ancestors"] });
      return ancestorsOf(listAt(answer, "ancestors"));
    },

    parent: async () => undefined,
  };
}

const unlessMissing = undefinedFor("source_not_found");

const ownFields: OwnFields = (value) => {
  const parent = idAt(listAt(value, "ancestors").at(-1), "id");
  const isRestricted = restrictedAt(value, "restrictions", "read", "restrictions");
  return {
    space: textAt(value, "space", "key"),
    parent: parent === "" ? null : { id: parent, type: "page" },
    position: numberAt(value, "extensions", "position"),
    ...(isRestricted !== null && { isRestricted }),
  };
};
