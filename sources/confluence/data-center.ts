import { Failure } from "../../domain/failures.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import type { Chunk, ConfluenceApi, FoundBody, FoundPage } from "./api.ts";
import { getJson } from "./requests.ts";
import type { Asking, Parameters } from "./requests.ts";
import { at, idAt, listAt, nextAt, numberAt, pathAt, restrictedAt, resultsOf, textAt } from "./shapes.ts";

const restrictions = ["restrictions.read.restrictions.user", "restrictions.read.restrictions.group"];
const listed = ["version", "ancestors", "space", "extensions.position", ...restrictions];

/** Number of pages missing from the lists that are asked for one by one; if none of them is there, search and lists are believed. */
const maxAsked = 100;

/** Who has a personal access token may do what its account may. */
export function dataCenterScope(): string {
  return "the right to read";
}

/** Confluence Data Center from 7.9 on, by its REST API v1. `site` is the address of the site, with the path that it may have. */
export function createDataCenterApi(asking: Asking, site: string): ConfluenceApi {
  const get = (path: string, parameters?: Parameters): Promise<unknown> =>
    getJson(asking, `/rest/api${path}`, parameters);

  async function search(cql: string, expand: readonly string[], limit: number): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (let start: string | null = "0"; start !== null;) {
      const answer: unknown = await get("/content/search", { cql, expand, limit, start });
      const results = resultsOf(answer);
      found.push(...results);
      const next: string | null = nextAt(answer, "start");
      start = results.length === 0 || next === start ? null : next;
    }
    return found;
  }

  /** Ids are asked for in lists that an address has room for. */
  async function byIds(ids: readonly string[], format?: BodyFormat): Promise<readonly unknown[]> {
    const expand = format === undefined ? listed : [...listed, `body.${format}`];
    const found: unknown[] = [];
    for (let first = 0; first < ids.length; first += 100) {
      const some = ids.slice(first, first + 100);
      found.push(...(await search(`id in (${some.join(",")}) and type=page`, expand, some.length)));
    }
    // Its search learns of a page a while after it was made.
    const known = new Set(found.map((one) => idAt(one, "id")));
    let [gone, isSearchRight] = [0, true];
    for (const id of ids.filter((one) => !known.has(one))) {
      if (gone >= maxAsked && isSearchRight) break;
      const answer = await get(`/content/${id}`, { expand }).catch(unlessMissing);
      if (answer === undefined) gone += 1;
      else isSearchRight = false;
      if (answer !== undefined) found.push(answer);
    }
    return found;
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
      const results = resultsOf(answer);
      // A short part of a list is not its last one: what the account may not see is missing from it.
      return { found: results.flatMap(toPage), next: nextAt(answer, "start") } satisfies Chunk<FoundPage>;
    },

    pagesById: async (ids) => (await byIds(ids)).flatMap(toPage),

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
      return resultsOf(answer)
        .flatMap(toPage)
        .find((page) => page.title === title);
    },

    async bodies(ids, format) {
      const found = await byIds(ids, format);
      return found.flatMap((one): FoundBody[] =>
        toPage(one).map((page) => ({ page, body: bodyOf(at(one, "body", format, "value")) })),
      );
    },

    async isRestricted(id) {
      const answer = await get(`/content/${id}/restriction/byOperation/read`, {
        expand: ["restrictions.user", "restrictions.group"],
      });
      const isSaid = restrictedAt(answer, "restrictions");
      if (isSaid === null) throw new Failure("source_invalid", `The answer does not say whether ${id} is restricted.`);
      return isSaid;
    },

    async above(id) {
      const answer = await get(`/content/${id}`, { expand: ["ancestors"] });
      return listAt(answer, "ancestors").flatMap((one) => {
        const found = idAt(one, "id");
        return found === "" ? [] : [{ id: found, type: "page" }];
      });
    },

    parent: async () => undefined,
  };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Failure && error.code === "source_not_found") return undefined;
  throw error;
}

/** A page of a list; none for what has no id, or is not current. */
function toPage(value: unknown): FoundPage[] {
  const id = idAt(value, "id");
  const status = textAt(value, "status");
  if (id === "" || (status !== "" && status !== "current")) return [];
  const above = idAt(listAt(value, "ancestors").at(-1), "id");
  const isRestricted = restrictedAt(value, "restrictions", "read", "restrictions");
  return [
    {
      id,
      title: textAt(value, "title"),
      version: numberAt(value, "version", "number") ?? 0,
      space: textAt(value, "space", "key"),
      parent: above === "" ? null : { id: above, type: "page" },
      position: numberAt(value, "extensions", "position"),
      path: pathAt(value, "_links", "webui") || `/pages/viewpage.action?pageId=${id}`,
      ...(isRestricted !== null && { isRestricted }),
    },
  ];
}

/** A body; null where there is none, or an empty one. */
function bodyOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
