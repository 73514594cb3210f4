import type { Located } from "./answering.ts";
import { Failure } from "./failures.ts";
import { showLibrary } from "./library.ts";
import { oneLine } from "./one-line.ts";
import { findPlace, heldBack, sectionAt, type Outline, type OutlinePage, type OutlineSection } from "./outline.ts";
import type { Passage } from "./passage.ts";
import type { Catalog, LiveGeneration, PageStore } from "./ports.ts";
import { reloadGeneration } from "./rebuilding.ts";

interface PagePorts {
  readonly catalog: Catalog;
  readonly pages: PageStore;
  /** Reloads a live generation in the background, which writes its outline. */
  readonly restore: (generation: LiveGeneration) => Promise<void>;
}

/** The outline of the generation that answers. @throws Failure index_rebuilding if it is missing: it is then written in the background */
export async function requireOutline(ports: PagePorts, located: Located): Promise<Outline> {
  const outline = await ports.pages.outline(located.generation.id);
  if (outline !== undefined) return outline;
  const message = `The index does not list the pages of ${showLibrary(located.library.id, located.version)} yet.`;
  throw await reloadGeneration(ports, located, new Failure("index_rebuilding", message));
}

/** What of a page is asked for. */
export interface PageRequest {
  /** Its key or address, with `#` and a section after it, or not. */
  readonly page: string;
  /** Anchor or heading of a section; absent: the whole page. */
  readonly section?: string | undefined;
  /** Index of the passage on the page to begin with. */
  readonly from?: number | undefined;
}

/** A passage with its index on its page. */
export interface PlacedPassage extends Passage {
  readonly index: number;
}

/** The passages of a page, or of a section of it. */
export interface PageRead {
  /** The shortest name of the page. */
  readonly name: string;
  readonly page: OutlinePage;
  readonly section?: OutlineSection;
  /** In the order of the page, without those that are held back. */
  readonly passages: readonly PlacedPassage[];
}

/** Reads a page. @throws Failure page_not_found with the nearest names; as `requireOutline`; generation_damaged */
export async function readPage(ports: PagePorts, located: Located, request: PageRequest): Promise<PageRead> {
  const outline = await requireOutline(ports, located);
  const found = findPlace(outline, request.page, request.section);
  if (found === undefined) throw unknownPage(outline, request.page, showLibrary(located.library.id, located.version));
  const { index, page, missing } = found;
  const all = await ports.pages.passages(outline, page);
  // The fragment of a passage's address may be one that the source gives the heading.
  const addressed = missing === undefined ? -1 : all.findIndex((passage) => passage?.source.url === request.page);
  if (missing !== undefined && addressed < 0) throw unknownSection(page, missing);
  const section = addressed < 0 ? found.section : sectionAt(page, addressed);
  const first = Math.max(section?.first ?? 0, request.from ?? 0);
  const end = section === undefined ? all.length : section.first + section.count;
  const passages = all
    .slice(first, end)
    .flatMap((passage, place) => (passage ? [{ ...passage, index: first + place }] : []));
  return { name: outline.names[index] ?? "", page, ...(section && { section }), passages };
}

/** Number of names in a failure. */
const maxNames = 5;

function unknownPage({ names, held }: Outline, wanted: string, library: string): Failure {
  const near = nearest(wanted.split("#", 1)[0] ?? "", names);
  const [what, shown] = near.length === 0 ? ["Some of its pages", names.slice(0, maxNames)] : ["Nearest", near];
  const hint = shown.length === 0 ? "" : ` ${what}: ${shown.map(oneLine).join(", ")}.`;
  const message = `${library} has no page "${oneLine(wanted)}".${hint} list-pages (GET /api/v2/pages) has all of them.${heldOf("the library", held)}`;
  return new Failure("page_not_found", message);
}

function unknownSection({ page, sections, held }: OutlinePage, wanted: string): Failure {
  const anchors = sections.map(({ anchor }) => anchor);
  const near = nearest(wanted, anchors);
  const hint =
    anchors.length === 0
      ? "It has no sections: leave section out."
      : `Its sections: ${(near.length === 0 ? anchors.slice(0, maxNames) : near).map(oneLine).join(", ")}.`;
  return new Failure(
    "page_not_found",
    `${oneLine(page)} has no section "${oneLine(wanted)}". ${hint}${heldOf("it", held)}`,
  );
}

/** The sentence on what is held back, which may be what is asked for. */
function heldOf(what: string, held: number): string {
  return held === 0 ? "" : ` ${heldBack(what, held)}`;
}

/** The names that share most words with the wanted one. */
function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const wordsOf = (name: string): readonly string[] =>
    name
      .toLowerCase()
      .replace(/\.[a-z\d]{1,8}$/, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = new Set(wordsOf(wanted));
  return names
    .map((name) => {
      const own = wordsOf(name);
      const shared = own.filter((word) => words.has(word)).length;
      return { name, shared, others: own.length - shared };
    })
    .filter(({ shared }) => shared > 0)
    .toSorted((one, other) => other.shared - one.shared || one.others - other.others)
    .slice(0, maxNames)
    .map(({ name }) => name);
}
