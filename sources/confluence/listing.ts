import { Failure } from "../../domain/failures.ts";
import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { tooLarge } from "../pages/limits.ts";
import type { FoundPage, FoundParent, FoundSpace } from "./api.ts";
import { wholeList } from "./paging.ts";
import { restrictedIn, unlessRefused } from "./restrictions.ts";
import type { Listing } from "./run.ts";
import { chainOf, inTreeOrder } from "./tree.ts";
import type { Space } from "./tree.ts";

/** The pages that are to be read, and what is known beside them. */
export interface Listed {
  /** In the order of their tree. */
  readonly wanted: readonly FoundPage[];
  /** All that is known, wanted or not. */
  readonly space: Space;
  /** What has read restrictions, of its own or from above. */
  readonly restricted: ReadonlySet<string>;
  /** Ids of pages that were asked for, or known, and that the account is not shown. */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Lists the pages of a space, or those that were asked for with what stands below them. Lists end early, so what was indexed before and
 * what restrictions are known of is asked for by its id where a list lacks it. `known`: ids of the pages that were indexed before.
 * @throws Failure source_not_found without the space, library_too_large
 */
export async function listPages(listing: Listing, known: readonly string[]): Promise<Listed> {
  const { spec, api, context } = listing;
  const isWhole = spec.pageIds.length === 0;
  const home = await listing.memory.recall("space", () => api.space(spec.spaceKey));
  if (home === undefined) throw missingSpace(spec);
  const pages = new Map<string, FoundPage>();
  const roots = isWhole ? [] : await api.pagesById(spec.pageIds);
  const spaces = isWhole || (spec.includeSubPages && roots.some(({ space }) => space === home.id)) ? [home] : [];
  for (const one of spaces) for (const page of await listSpace(listing, one)) pages.set(page.id, page);
  for (const page of roots) pages.set(page.id, page);
  if (pages.size > context.limits.pages)
    throw tooLarge(`The space has ${pages.size} pages, more than the ${context.limits.pages} that are indexed.`);

  const restrictions = await restrictedIn(listing, spaces, pages);
  const lacking = [...new Set([...known, ...restrictions.named])].filter((id) => !pages.has(id));
  const found = lacking.length === 0 ? [] : await api.pagesById(lacking);
  const missed = found.filter(({ space }) => space === home.id);
  for (const page of missed) pages.set(page.id, page);
  const folders = await foldersAbove(listing, pages);
  const space: Space = { pages, folders };
  const restricted = await restrictions.of(space);

  const asked = new Set(spec.pageIds);
  const isWanted = (id: string): boolean =>
    isWhole || asked.has(id) || (spec.includeSubPages && chainOf(space, id).some((above) => asked.has(above)));
  const inTree = inTreeOrder(space).filter(({ id }) => isWanted(id));
  const wanted = inTree.filter(({ id }) => !restricted.has(id));
  const answered = new Set([...pages.keys(), ...found.map(({ id }) => id)]);
  const left = inTree.length - wanted.length;
  const lost = await refusedOf(listing, answered, known);
  const elsewhere = roots.filter((page) => page.space !== home.id).length;
  return {
    wanted,
    space,
    restricted,
    refused: lost.refused,
    notes: [
      ...lost.notes,
      ...(left === 0 ? [] : [restrictedNote(left)]),
      ...(elsewhere === 0 || !spec.includeSubPages
        ? []
        : [`Of ${elsewhere} pages of other spaces those below are not read. Submit these spaces.`]),
      ...(missed.length === 0
        ? []
        : [`The host left ${missed.length} pages out of its list, which were asked for one by one.`]),
    ],
  };
}

/** The failure for a space that is not there, or not shown. */
export function missingSpace({ siteUrl, spaceKey }: ConfluenceSourceSpec): Failure {
  const message = `${new URL(siteUrl).host} has no space ${spaceKey} that the account of the credential may see. Check its key, and that the account may view the space.`;
  return new Failure("source_not_found", message);
}

function restrictedNote(count: number): string {
  const pages =
    count === 1
      ? "1 page has read restrictions, and was"
      : `${count} pages have read restrictions, or stand below such, and were`;
  return `${pages} left out. includeRestricted reads them for all of the teamspace.`;
}

async function listSpace({ api, memory, context }: Listing, space: FoundSpace): Promise<readonly FoundPage[]> {
  const pages = await wholeList({
    name: `pages of ${space.key}`,
    memory,
    limit: api.limits.list,
    ask: (limit, after) => {
      context.signal.throwIfAborted();
      return api.pagesIn(space, limit, after);
    },
    idOf: ({ id }: FoundPage) => id,
  });
  return pages;
}

/** The folders and the like that pages stand below, with what these stand below. */
async function foldersAbove(
  { api, memory }: Listing,
  pages: ReadonlyMap<string, FoundPage>,
): Promise<ReadonlyMap<string, FoundParent>> {
  const folders = new Map<string, FoundParent>();
  const open = [...pages.values()].map(({ id, parent }) => ({ id, parent }));
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    const { id, parent: ref } = child;
    if (ref === null || ref.type === "page" || pages.has(ref.id) || folders.has(ref.id)) continue;
    const found = await memory.recall(`${ref.type} ${ref.id}`, async (): Promise<FoundParent> => {
      const read = await api.parent(ref).catch(unlessRefused);
      if (read !== undefined) return read;
      // Of what the account cannot read, the page's own ancestors say what it stands below.
      const above = await api.above(id).catch(unlessRefused);
      const at = above?.findIndex((one) => one.id === ref.id) ?? -1;
      const parent = above?.[at - 1] ?? null;
      return { ...ref, title: "", parent, ...(at < 0 && { isUntold: true }) };
    });
    folders.set(ref.id, found);
    open.push({ id, parent: found.parent });
  }
  return folders;
}

/** Pages that were asked for or known, and are neither answered nor said to be in the trash. */
async function refusedOf(
  { spec, api }: Listing,
  answered: ReadonlySet<string>,
  known: readonly string[],
): Promise<Pick<Listed, "refused" | "notes">> {
  const lost = [...new Set([...spec.pageIds, ...known])].filter((id) => !answered.has(id));
  if (lost.length === 0) return { refused: [], notes: [] };
  const { gone: ids, unasked } = await api.notCurrent(lost);
  const gone = new Set(ids);
  const asked = new Set(spec.pageIds);
  const note = `Of ${lost.length} pages that the account is not shown any more ${unasked} were not asked for one by one.`;
  // What was asked for is named wherever it went.
  const refused = lost.filter((id) => !gone.has(id) || asked.has(id));
  return { refused, notes: unasked === 0 ? [] : [note] };
}
