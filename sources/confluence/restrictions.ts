import { undefinedFor } from "../lib/fetch/failures.ts";
import type { ConfluenceApi, FoundPage, FoundSpace } from "./api.ts";
import { wholeList } from "./paging.ts";
import type { ConfluenceRun } from "./run.ts";
import { ancestorsIn } from "./tree.ts";
import type { Space } from "./tree.ts";

/** Requests for the ancestors of pages below one unlisted parent that may be refused; then the others count as restricted. */
const maxRefusals = 5;

/** The read restrictions in spaces. */
export interface Restrictions {
  /** Ids of the pages in the lists of restrictions. */
  readonly listed: readonly string[];
  /** Ids of the pages that are restricted, by themselves or by an ancestor. */
  of(space: Space): Promise<ReadonlySet<string>>;
}

/**
 * Finds the pages with read restrictions. A page must not be shown only because no list says that it is restricted: where lists do not
 * say, it is asked for by itself, and where the host does not answer that, it counts as restricted.
 */
export async function restrictedIn(
  { spec, api, memory }: ConfluenceRun,
  spaces: readonly FoundSpace[],
  pages: ReadonlyMap<string, FoundPage>,
): Promise<Restrictions> {
  if (spec.includeRestricted) return { listed: [], of: async () => new Set() };
  const known = new Map<string, boolean>();
  const listed: string[] = [];
  const learn = (all: Iterable<{ readonly id: string; readonly isRestricted?: boolean | null }>): void => {
    for (const { id, isRestricted } of all) if (typeof isRestricted === "boolean") known.set(id, isRestricted);
  };
  learn(pages.values());
  const { restrictionsIn } = api;
  for (const space of restrictionsIn ? spaces : []) {
    const found = await wholeList({
      name: `restrictions of ${space.key}`,
      memory,
      limit: api.limits.list,
      ask: async (limit, after) => (await restrictionsIn?.(space, limit, after)) ?? { found: [], next: null },
    });
    learn(found);
    listed.push(...found.flatMap(({ id, type }) => (type === "page" ? [id] : [])));
  }
  /** By the id of an unlisted parent: its ancestors, and how often requests for them were refused. */
  const ancestorsOfUnlisted = new Map<string, readonly string[]>();
  const refusals = new Map<string, number>();
  /** All ancestors of a page; undefined where they are not known. The host is asked for those above an unlisted parent. */
  async function ancestorsOf(space: Space, id: string): Promise<readonly string[] | undefined> {
    const inSpace = ancestorsIn(space, id);
    if (inSpace.some((one) => space.folders.get(one)?.isUntold === true)) return undefined;
    const last = inSpace.at(-1);
    if (last === undefined || space.pages.has(last) || space.folders.has(last)) return inSpace;
    const beyond = ancestorsOfUnlisted.get(last);
    if (beyond !== undefined) return [...inSpace, ...beyond];
    const refused = refusals.get(last) ?? 0;
    if (refused >= maxRefusals) return undefined;
    const ask = async () => (await api.ancestors(id).catch(unlessRefused)) ?? null;
    const ancestors = (await memory.recall(`above ${id}`, ask))?.map((one) => one.id);
    if (ancestors === undefined) refusals.set(last, refused + 1);
    else if (ancestors.includes(last)) ancestorsOfUnlisted.set(last, ancestors.slice(0, ancestors.indexOf(last)));
    return ancestors;
  }

  return {
    listed,
    async of(space) {
      const restricted = new Set<string>();
      const isOwn = async (id: string): Promise<boolean> => {
        const own =
          known.get(id) ??
          space.pages.get(id)?.isRestricted ??
          (await memory.recall(`restriction ${id}`, () => isRestrictedOrHidden(api, id)));
        known.set(id, own);
        return own;
      };
      for (const id of space.pages.keys()) {
        const ancestors = await ancestorsOf(space, id);
        if (ancestors === undefined || (await some([id, ...ancestors], isOwn))) restricted.add(id);
      }
      return restricted;
    },
  };
}

async function some(ids: readonly string[], test: (id: string) => Promise<boolean>): Promise<boolean> {
  for (const id of ids) if (await test(id)) return true;
  return false;
}

/** Handler for `catch`: undefined where the host refuses to answer. */
export const unlessRefused = undefinedFor("source_refused", "source_not_found");

/** Whether a page has read restrictions of its own; true where the host does not say. */
export async function isRestrictedOrHidden(api: ConfluenceApi, id: string): Promise<boolean> {
  const unlessHidden = undefinedFor("source_refused", "source_not_found", "source_invalid");
  return (await api.isRestricted(id).catch(unlessHidden)) ?? true;
}
