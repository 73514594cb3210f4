import { Failure } from "../../domain/failures.ts";
import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { tooLarge } from "../lib/pages/limits.ts";
import type { FoundPage, FoundParent, FoundSpace, ConfluenceApi } from "./api.ts";
import { wholeList, type ConfluenceRun } from "./run.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";

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
 * Lists the pages of a space, or the submitted pages and those below them. Lists may lack pages, so pages that were indexed before (ids in
 * `known`) or are in the list of restrictions are then requested by their ids.
 * @throws Failure source_not_found for a missing space, library_too_large
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
  const lookedUp = lacking.length === 0 ? [] : await api.pagesById(lacking);
  const missed = lookedUp.filter(({ space }) => space === home.id);
  for (const page of missed) pages.set(page.id, page);
  const folders = await foldersAbove(run, pages);
  const space: Space = { pages, folders };
  const restricted = await restrictions.of(space);

  const submitted = new Set(spec.pageIds);
  const isWanted = (id: string): boolean =>
    isWhole ||
    submitted.has(id) ||
    (spec.includeSubPages && ancestorsIn(space, id).some((ancestor) => submitted.has(ancestor)));
  const inTree = inTreeOrder(space).filter(({ id }) => isWanted(id));
  const wanted = inTree.filter(({ id }) => !restricted.has(id));
  const returned = new Set([...pages.keys(), ...lookedUp.map(({ id }) => id)]);
  const leftOut = inTree.length - wanted.length;
  const lost = await refusedOf(run, returned, known);
  const elsewhere = roots.filter((page) => page.space !== home.id).length;
  return {
    wanted,
    space,
    restricted,
    refused: lost.refused,
    notes: [
      ...lost.notes,
      ...(leftOut === 0 ? [] : [restrictedNote(leftOut)]),
      ...(elsewhere === 0 || !spec.includeSubPages
        ? []
        : [`Pages below ${elsewhere} pages of other spaces are not read. Submit these spaces.`]),
      ...(missed.length === 0
        ? []
        : [`The host left ${missed.length} pages out of its list; they were requested one by one.`]),
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
    const folder = await memory.recall(`${ref.type} ${ref.id}`, async (): Promise<FoundParent> => {
      const read = await api.parent(ref).catch(unlessRefused);
      if (read !== undefined) return read;
      // The parent of one that the account may not see is known by the ancestors of the page.
      const ancestors = await api.ancestors(id).catch(unlessRefused);
      const at = ancestors?.findIndex((one) => one.id === ref.id) ?? -1;
      const parent = ancestors?.[at - 1] ?? null;
      return { ...ref, title: "", parent, ...(at < 0 && { isUntold: true }) };
    });
    folders.set(ref.id, folder);
    open.push({ id, parent: folder.parent });
  }
  return folders;
}

/** The submitted or known pages that the host did not return, and that are not in the trash. */
async function refusedOf(
  { spec, api }: ConfluenceRun,
  returned: ReadonlySet<string>,
  known: readonly string[],
): Promise<Pick<Listed, "refused" | "notes">> {
  const lost = [...new Set([...spec.pageIds, ...known])].filter((id) => !returned.has(id));
  if (lost.length === 0) return { refused: [], notes: [] };
  const { gone, unasked } = await api.notCurrent(lost);
  const notCurrent = new Set(gone);
  const submitted = new Set(spec.pageIds);
  const note = `${lost.length} pages are no longer shown to the account; ${unasked} of them were not requested one by one.`;
  // Submitted pages are named even if they are in the trash.
  const refused = lost.filter((id) => !notCurrent.has(id) || submitted.has(id));
  return { refused, notes: unasked === 0 ? [] : [note] };
}

/** Requests for the ancestors of pages below one unlisted parent that may be refused; then the others count as restricted. */
const maxRefusals = 5;

/** The read restrictions in spaces. */
interface Restrictions {
  /** Ids of the pages in the lists of restrictions. */
  readonly listed: readonly string[];
  /** Ids of the pages that are restricted, by themselves or by an ancestor. */
  of(space: Space): Promise<ReadonlySet<string>>;
}

/**
 * Finds the pages with read restrictions. Pages that no list calls restricted must not be published for that alone: if lists do not say,
 * the page is requested by itself, and if the host does not answer that, it counts as restricted.
 */
async function restrictedIn(
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
    const contents = await wholeList({
      name: `restrictions of ${space.key}`,
      memory,
      limit: api.limits.list,
      ask: async (limit, after) => (await restrictionsIn?.(space, limit, after)) ?? { found: [], next: null },
    });
    learn(contents);
    listed.push(...contents.flatMap(({ id, type }) => (type === "page" ? [id] : [])));
  }
  /** By the id of an unlisted parent: its ancestors, and how often requests for them were refused. */
  const ancestorsOfUnlisted = new Map<string, readonly string[]>();
  const refusals = new Map<string, number>();
  /** All ancestors of a page; undefined if unknown. Those above an unlisted parent are requested from the host. */
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
      const hasOwnRestrictions = async (id: string): Promise<boolean> => {
        const own =
          known.get(id) ??
          space.pages.get(id)?.isRestricted ??
          (await memory.recall(`restriction ${id}`, () => isRestrictedOrHidden(api, id)));
        known.set(id, own);
        return own;
      };
      for (const id of space.pages.keys()) {
        const ancestors = await ancestorsOf(space, id);
        if (ancestors === undefined || (await some([id, ...ancestors], hasOwnRestrictions))) restricted.add(id);
      }
      return restricted;
    },
  };
}

async function some(ids: readonly string[], test: (id: string) => Promise<boolean>): Promise<boolean> {
  for (const id of ids) if (await test(id)) return true;
  return false;
}

/** Handler for `catch`: undefined if the host refuses to answer. */
export const unlessRefused = undefinedFor("source_refused", "source_not_found");

/** Whether a page has read restrictions of its own; true if the host does not say. */
export async function isRestrictedOrHidden(api: ConfluenceApi, id: string): Promise<boolean> {
  const unlessHidden = undefinedFor("source_refused", "source_not_found", "source_invalid");
  return (await api.isRestricted(id).catch(unlessHidden)) ?? true;
}

/** The pages that were found in a space, and their ancestors that are not pages, by their ids. */
interface Space {
  readonly pages: ReadonlyMap<string, FoundPage>;
  readonly folders: ReadonlyMap<string, FoundParent>;
}

/** Ids of a page's ancestors, the nearest first, up to the first that was not found. A cycle ends where it began. */
function ancestorsIn({ pages, folders }: Space, id: string): readonly string[] {
  const ancestors: string[] = [];
  const visited = new Set([id]);
  for (let above = parentOf(id); above !== undefined && !visited.has(above); above = parentOf(above)) {
    visited.add(above);
    ancestors.push(above);
  }
  return ancestors;

  function parentOf(child: string): string | undefined {
    return (pages.get(child) ?? folders.get(child))?.parent?.id;
  }
}

/** Titles of a page's ancestors, the outermost first. */
export function titlesAbove(space: Space, id: string): readonly string[] {
  return ancestorsIn(space, id)
    .map((ancestor) => (space.pages.get(ancestor) ?? space.folders.get(ancestor))?.title ?? "")
    .filter((title) => title !== "")
    .toReversed();
}

/** Pages in the order of their tree: each before its children, siblings by position, title and id. */
function inTreeOrder(space: Space): readonly FoundPage[] {
  const all: (FoundPage | FoundParent)[] = [...space.pages.values(), ...space.folders.values()];
  const known = new Set(all.map(({ id }) => id));
  const children = Map.groupBy(all, ({ parent }) => (parent !== null && known.has(parent.id) ? parent.id : ""));
  for (const list of children.values()) list.sort(byPosition);
  const ordered: FoundPage[] = [];
  const visited = new Set<string>();
  const visitBelow = (roots: readonly (FoundPage | FoundParent)[]): void => {
    const open = roots.toReversed();
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (visited.has(one.id)) continue;
      visited.add(one.id);
      const page = space.pages.get(one.id);
      if (page !== undefined) ordered.push(page);
      open.push(...(children.get(one.id) ?? []).toReversed());
    }
  };
  visitBelow(children.get("") ?? []);
  // Pages in a cycle are not below a root.
  for (const page of space.pages.values()) if (!visited.has(page.id)) visitBelow([page]);
  return ordered;
}

function byPosition(one: FoundPage | FoundParent, other: FoundPage | FoundParent): number {
  const position = (of: FoundPage | FoundParent): number => ("position" in of ? (of.position ?? Infinity) : Infinity);
  const [first, second] = [position(one), position(other)];
  if (first !== second) return first < second ? -1 : 1;
  if (one.title !== other.title) return one.title < other.title ? -1 : 1;
  return Number(one.id) - Number(other.id);
}
