import { Failure } from "../../domain/failures.ts";
import type { FoundPage, FoundSpace } from "./api.ts";
import { wholeList } from "./paging.ts";
import type { Listing } from "./run.ts";
import { chainOf } from "./tree.ts";
import type { Space } from "./tree.ts";

/** Maximum number of pages that are asked for their ancestors where lists do not name them. */
const maxUntold = 5;

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
  /** What stands above something that is not listed, and how often that was not told. */
  const beyond = new Map<string, readonly string[]>();
  const untold = new Map<string, number>();
  /** All that a page stands below; undefined where nobody tells. Of what was not listed the host is asked. */
  async function aboveOf(space: Space, id: string): Promise<readonly string[] | undefined> {
    const chain = chainOf(space, id);
    if (chain.some((one) => space.folders.get(one)?.isUntold === true)) return undefined;
    const last = chain.at(-1);
    if (last === undefined || space.pages.has(last) || space.folders.has(last)) return chain;
    const known = beyond.get(last);
    if (known !== undefined) return [...chain, ...known];
    const refusals = untold.get(last) ?? 0;
    if (refusals >= maxUntold) return undefined;
    const told = await memory.recall(`above ${id}`, async () => (await api.above(id).catch(unlessRefused)) ?? null);
    const above = told?.map((one) => one.id);
    if (above === undefined) untold.set(last, refusals + 1);
    // It holds for all that stand below it.
    else if (above.includes(last)) beyond.set(last, above.slice(0, above.indexOf(last)));
    return above;
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
      for (const id of space.pages.keys()) {
        const above = await aboveOf(space, id);
        if (above === undefined || (await some([id, ...above], isOwn))) restricted.add(id);
      }
      return restricted;
    },
  };
}

async function some(ids: readonly string[], test: (id: string) => Promise<boolean>): Promise<boolean> {
  for (const id of ids) if (await test(id)) return true;
  return false;
}

/** For what is done without: undefined where the host refuses it. */
export function unlessRefused(error: unknown): undefined {
  if (error instanceof Failure && (error.code === "source_refused" || error.code === "source_not_found"))
    return undefined;
  throw error;
}

/** What the host does not tell is restricted. */
export function unlessTold(error: unknown): true {
  const codes: readonly string[] = ["source_refused", "source_not_found", "source_invalid"];
  if (error instanceof Failure && codes.includes(error.code)) return true;
  throw error;
}
