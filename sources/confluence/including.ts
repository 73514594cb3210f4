import type { PageName } from "../../extract/confluence/page.ts";
import { nameOf } from "../../extract/confluence/page.ts";
import type { FoundPage } from "./api.ts";
import type { Body } from "./bodies.ts";
import type { Listed } from "./listing.ts";
import { isRestrictedOrHidden, unlessRefused } from "./restrictions.ts";
import type { ConfluenceRun } from "./run.ts";

/** Finds pages by space and title, as pages refer to each other. */
export interface PagesByName {
  /** The page; undefined where there is none, or it is restricted. */
  find(name: PageName): Promise<FoundPage | undefined>;
  /** The body of the page, to be included; undefined as in `find`. */
  body(name: PageName): Promise<Body | undefined>;
  /** The address of a listed page of the own space; undefined for any other. Sends no request. */
  address(name: PageName): string | undefined;
}

/** Maximum number of cached bodies of included pages. */
const maxKept = 200;

/** Creates the finder for a space. `bodyOf` reads one page. */
export function createPagesByName(
  { spec, api, memory }: ConfluenceRun,
  { space, restricted }: Pick<Listed, "space" | "restricted">,
  bodyOf: (id: string, space: string) => Promise<Body | undefined>,
): PagesByName {
  const titles = new Map([...space.pages.values()].map((page) => [page.title, page]));
  const kept = new Map<string, Promise<Body | undefined>>();
  const isOwn = (name: PageName): boolean => name.space.toLowerCase() === spec.spaceKey.toLowerCase();

  async function isRestricted(id: string): Promise<boolean> {
    if (spec.includeRestricted) return false;
    const ancestors = await api.ancestors(id).catch(unlessRefused);
    if (ancestors === undefined) return true;
    for (const one of [id, ...ancestors.map((ref) => ref.id)]) if (await isRestrictedOrHidden(api, one)) return true;
    return false;
  }

  async function find(name: PageName): Promise<FoundPage | undefined> {
    const listed = isOwn(name) ? titles.get(name.title) : undefined;
    if (listed !== undefined) return restricted.has(listed.id) ? undefined : listed;
    const found = await memory.recall(`page ${nameOf(name)}`, async () => {
      const page = await api.pageByTitle(name.space, name.title).catch(unlessRefused);
      return page === undefined || (await isRestricted(page.id)) ? null : page;
    });
    return found ?? undefined;
  }

  async function read(name: PageName): Promise<Body | undefined> {
    const page = await find(name);
    return page && bodyOf(page.id, name.space);
  }

  return {
    find,
    body(name) {
      const key = nameOf(name);
      const known = kept.get(key) ?? read(name);
      if (kept.size >= maxKept) kept.delete([...kept.keys()][0] ?? "");
      kept.set(key, known);
      return known;
    },
    address(name) {
      const page = isOwn(name) ? titles.get(name.title) : undefined;
      return page === undefined || restricted.has(page.id) ? undefined : `${api.root}${page.path}`;
    },
  };
}
