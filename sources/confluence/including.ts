import type { PageName } from "../../extract/confluence/page.ts";
import { nameOf } from "../../extract/confluence/page.ts";
import type { FoundPage } from "./api.ts";
import type { Body } from "./bodies.ts";
import type { Listed } from "./listing.ts";
import { unlessRefused, unlessTold } from "./restrictions.ts";
import type { Listing } from "./run.ts";

/** Finds pages by the names that pages call each other. */
export interface ByName {
  /** The page of a name, unless it is restricted; undefined where there is none. */
  find(name: PageName): Promise<FoundPage | undefined>;
  /** What stands where it is included; undefined where there is nothing. */
  body(name: PageName): Promise<Body | undefined>;
  /** The address of a page of the own space, without asking; undefined where none is known. */
  address(name: PageName): string | undefined;
}

/** Bodies of included pages that are kept for the next page that includes them. */
const maxKept = 200;

/** Opens the names of a space. `bodyOf` reads one page. */
export function openNames(
  { spec, api, memory }: Listing,
  { space, restricted }: Pick<Listed, "space" | "restricted">,
  bodyOf: (id: string, space: string) => Promise<Body | undefined>,
): ByName {
  const titles = new Map([...space.pages.values()].map((page) => [page.title, page]));
  const kept = new Map<string, Promise<Body | undefined>>();
  const isOwn = (name: PageName): boolean => name.space.toLowerCase() === spec.spaceKey.toLowerCase();

  async function isRestricted(id: string): Promise<boolean> {
    if (spec.includeRestricted) return false;
    const above = await api.above(id).catch(unlessRefused);
    if (above === undefined) return true;
    for (const one of [id, ...above.map((ref) => ref.id)])
      if (await api.isRestricted(one).catch(unlessTold)) return true;
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
