import { Failure } from "../../domain/failures.ts";
import type { FoundPage, FoundSpace } from "./api.ts";
import { wholeList } from "./paging.ts";
import type { Listing } from "./run.ts";
import { chainOf } from "./tree.ts";
import type { Space } from "./tree.ts";

/** What is known of read restrictions in spaces. */
export interface Restrictions {
  /** Ids of the pages that are named beside them. */
  readonly named: readonly string[];
  /** All that is restricted, by itself or by what it stands below. What is said of nothing is asked for. */
  of(space: Space): Promise<ReadonlySet<string>>;
}

/**
 * Finds what has read restrictions. Nobody may be shown a page because nobody said of it that it is restricted: what a list does not
 * say is asked page by page, and where the host does not tell, it is.
 */
export async function restrictedIn(
  { spec, api, memory }: Listing,
  spaces: readonly FoundSpace[],
  pages: ReadonlyMap<string, FoundPage>,
): Promise<Restrictions> {
  if (spec.includeRestricted) return { named: [], of: async () => new Set() };
  const said = new Map<string, boolean>();
  const named: string[] = [];
  const note = (all: Iterable<{ readonly id: string; readonly isRestricted?: boolean | null }>): void => {
    for (const { id, isRestricted } of all) if (typeof isRestricted === "boolean") said.set(id, isRestricted);
  };
  note(pages.values());
  const { restrictionsIn } = api;
  const toAsk = restrictionsIn === undefined ? [] : spaces;
  for (const space of toAsk) {
    const found = await wholeList({
      name: `restrictions of ${space.key}`,
      memory,
      limit: api.limits.list,
      ask: async (limit, after) => (await restrictionsIn?.(space, limit, after)) ?? { found: [], next: null },
      idOf: ({ id }) => id,
    });
    note(found);
    named.push(...found.flatMap(({ id, type }) => (type === "page" ? [id] : [])));
  }
  return {
    named,
    async of(space) {
      const restricted = new Set<string>();
      const isOwn = async (id: string): Promise<boolean> => {
        const known = said.get(id) ?? space.pages.get(id)?.isRestricted;
        const own = known ?? (await memory.recall(`restriction ${id}`, () => api.isRestricted(id).catch(unlessTold)));
        said.set(id, own);
        return own;
      };
      for (const id of space.pages.keys())
        for (const one of [id, ...chainOf(space, id)])
          if (await isOwn(one)) {
            restricted.add(id);
            break;
          }
      return restricted;
    },
  };
}

/** What the host does not tell is restricted. */
export function unlessTold(error: unknown): true {
  const codes: readonly string[] = ["source_refused", "source_not_found", "source_invalid"];
  if (error instanceof Failure && codes.includes(error.code)) return true;
  throw error;
}
