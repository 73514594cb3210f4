import type { Answer, Located, RankedAnswer } from "./answering.ts";
import { isFailure } from "./failures.ts";
import { indexOn, type Outline, type OutlinePage, type OutlineSection } from "./outline.ts";
import type { LiveGeneration, PageStore } from "./ports.ts";

/** A page, or a section of it, that an answer lacks. */
export interface Place {
  readonly page: OutlinePage;
  /** Absent: the whole page. */
  readonly section?: OutlineSection;
}

/** What a library has beside an answer. */
export interface More {
  /** The likeliest first. */
  readonly places: readonly Place[];
  /** Pages of the answer of which passages are held back. */
  readonly held: readonly OutlinePage[];
}

/** A page of up to this many tokens is named as a whole: reading it costs little more than reading one of its sections. */
const smallPage = 1200;

/** The share of an answer's budget that is for the places beside it. */
export const moreShare = 0.1;

/** Number of the best pages of an answer whose other sections are named, and number of these sections of each. */
const fullPages = 3;
const maxSections = 40;

/** The outline of a generation; undefined if it is missing, and then written in the background, or if the BlobStore is unreachable. */
export async function findOutline(
  { pages, restore }: { readonly pages: PageStore; readonly restore: (generation: LiveGeneration) => Promise<void> },
  { generation }: Pick<Located, "generation">,
): Promise<Outline | undefined> {
  try {
    const outline = await pages.outline(generation.id);
    if (outline === undefined && generation.unindexedSince === null) await restore(generation);
    return outline;
  } catch (error) {
    // An answer is worth more than what could be read beside it.
    if (isFailure(error, "service_unavailable")) return undefined;
    throw error;
  }
}

/**
 * Creates the function that tells what else may answer a question, of which some passages are shown: the next candidates in their
 * order, each with its section, and the other sections of the best pages.
 */
export function createPlaces(
  outline: Outline,
  { ranked }: Pick<RankedAnswer, "ranked">,
): (shown: Answer["passages"]) => More {
  const pages = new Map<string, OutlinePage | undefined>();
  const pageOf = (url: string): OutlinePage | undefined => {
    if (!pages.has(url)) pages.set(url, outline.find(url));
    return pages.get(url);
  };
  const candidates = ranked.flatMap(({ candidate: { id, pageUrl } }) => {
    const page = pageOf(pageUrl);
    return page === undefined ? [] : [{ page, at: indexOn(page, id) }];
  });
  return (shown) => {
    const shownOn = new Map<OutlinePage, Set<number>>();
    for (const {
      id,
      page: { url },
    } of shown) {
      const page = pageOf(url);
      if (page) shownOn.set(page, (shownOn.get(page) ?? new Set()).add(indexOn(page, id)));
    }
    const places = new Map<string, Place>();
    const add = (page: OutlinePage, at: number): void => {
      if (shownOn.get(page)?.has(at) || places.has(page.page)) return;
      const section = page.tokens <= smallPage ? undefined : sectionAt(page, at);
      const key = section === undefined ? page.page : `${page.page}#${section.anchor}`;
      if (!places.has(key)) places.set(key, { page, ...(section && { section }) });
    };
    const best = [...shownOn.keys()].slice(0, fullPages);
    // The sections of the best page first: what is missing is most often there.
    for (const { page, at } of candidates) if (page === best[0]) add(page, at);
    for (const { page, at } of candidates) add(page, at);
    for (const page of best) for (const { first } of page.sections.slice(0, maxSections)) add(page, first);
    return { places: [...places.values()], held: [...shownOn.keys()].filter(({ held }) => held > 0) };
  };
}

/** The innermost section in which a passage begins; undefined for one above all sections. */
function sectionAt({ sections }: OutlinePage, at: number): OutlineSection | undefined {
  return sections.findLast(({ first, count }) => first <= at && at < first + count);
}
