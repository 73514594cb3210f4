import { Failure } from "../../domain/failures.ts";
import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { tooLarge } from "../lib/pages/limits.ts";
import type { FoundPage, FoundParent, FoundSpace } from "./api.ts";
import { wholeList } from "./paging.ts";
import { restrictedIn, unlessRefused } from "./restrictions.ts";
import type { ConfluenceRun } from "./run.ts";
import { ancestorsIn, inTreeOrder } from "./tree.ts";
import type { Space } from "./tree.ts";

/** The outcome of listing a space. */
export interface Listed {
  /** The pages to read, in the order of their tree. */
  readonly wanted: readonly FoundPage[];
  /** All pages that were found, and their folders. */
  readonly space: Space;
  /** Ids of the pages with read restrictions, of their own or of an ancestor. */
  readonly restricted: ReadonlySet<string>;
  /** Ids of submitted or known pages that the account is not shown. */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Lists the pages of a space, or the submitted ones with those below them. Lists may lack pages: pages that were indexed before (`known`,
 * by their ids), or that are in the list of restrictions, are then asked for by their ids.
 * @throws Failure source_not_found without the space, library_too_large
 */
export async function listPages(run: ConfluenceRun, known: readonly string[]): Promise<Listed> {
  const { spec, api, context } = run;
  const isWhole = spec.pageIds.length === 0;
  const home = await run.memory.recall("space", () => api.space(spec.spaceKey));
  if (home === undefined) throw missingSpace(spec);
  const pages = new Map<string, FoundPage>();
  const roots = isWhole ? [] : await api.pagesById(spec.pageIds);
  const spaces = isWhole || (spec.includeSubPages && roots.some(({ space }) => space === home.id)) ? [home] : [];
  for (const one of spaces) for (const page of await listSpace(run, one)) pages.set(page.id, page);
  for (const page of roots) pages.set(page.id, page);
  if (pages.size > context.limits.pages)
    throw tooLarge(`The space has ${pages.size} pages, more than the ${context.limits.pages} that are indexed.`);

  const restrictions = await restrictedIn(run, spaces, pages);
  const lacking = [...new Set([...known, ...restrictions.listed])].filter((id) => !pages.has(id));
  const found = lacking.length === 0 ? [] : await api.pagesById(lacking);
  const missed = found.filter(({ space }) => space === home.id);
  for (const page of missed) pages.set(page.id, page);
  const folders = await foldersAbove(run, pages);
  const space: Space = { pages, folders };
  const restricted = await restrictions.of(space);

  const asked = new Set(spec.pageIds);
  const isWanted = (id: string): boolean =>
    isWhole ||
    asked.has(id) ||
    (spec.includeSubPages && ancestorsIn(space, id).some((ancestor) => asked.has(ancestor)));
  const inTree = inTreeOrder(space).filter(({ id }) => isWanted(id));
  const wanted = inTree.filter(({ id }) => !restricted.has(id));
  const answered = new Set([...pages.keys(), ...found.map(({ id }) => id)]);
  const left = inTree.length - wanted.length;
  const lost = await refusedOf(run, answered, known);
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

/** The failure for a space that does not exist, or that the account may not see. */
export function missingSpace({ siteUrl, spaceKey }: ConfluenceSourceSpec): Failure {
  const message = `${new URL(siteUrl).host} has no space ${spaceKey} that the account of the credential may see. Check its key, and that the account may view the space.`;
  return new Failure("source_not_found", message);
}

function restrictedNote(count: number): string {
  const pages =
    count === 1
      ? "1 page has read restrictions, and was"
      : `${count} pages have read restrictions, or are below such pages, and were`;
  return `${pages} left out. includeRestricted reads them for all of the teamspace.`;
}

function listSpace({ api, memory, context }: ConfluenceRun, space: FoundSpace): Promise<readonly FoundPage[]> {
  return wholeList({
    name: `pages of ${space.key}`,
    memory,
    limit: api.limits.list,
    ask: (limit, after) => {
      context.signal.throwIfAborted();
      return api.pagesIn(space, limit, after);
    },
  });
}

/** The ancestors of pages that are not pages, by their ids. */
async function foldersAbove(
  { api, memory }: ConfluenceRun,
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
      // The parent of one that the account may not see is known by the ancestors of the page.
      const ancestors = await api.ancestors(id).catch(unlessRefused);
      const at = ancestors?.findIndex((one) => one.id === ref.id) ?? -1;
      const parent = ancestors?.[at - 1] ?? null;
      return { ...ref, title: "", parent, ...(at < 0 && { isUntold: true }) };
    });
    folders.set(ref.id, found);
    open.push({ id, parent: found.parent });
  }
  return folders;
}

/** The submitted or known pages that were not answered, and are not in the trash. */
async function refusedOf(
  { spec, api }: ConfluenceRun,
  answered: ReadonlySet<string>,
  known: readonly string[],
): Promise<Pick<Listed, "refused" | "notes">> {
  const lost = [...new Set([...spec.pageIds, ...known])].filter((id) => !answered.has(id));
  if (lost.length === 0) return { refused: [], notes: [] };
  const { gone: ids, unasked } = await api.notCurrent(lost);
  const gone = new Set(ids);
  const asked = new Set(spec.pageIds);
  const note = `Of ${lost.length} pages that the account is not shown any more ${unasked} were not asked for one by one.`;
  // Submitted pages are named even if they are in the trash.
  const refused = lost.filter((id) => !gone.has(id) || asked.has(id));
  return { refused, notes: unasked === 0 ? [] : [note] };
}
