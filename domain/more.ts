import type { Answer, Located, RankedAnswer } from "./answering.ts";
import { isFailure } from "./failures.ts";
import {
  heldBack,
  indexOn,
  isOperation,
  sectionAt,
  type Outline,
  type OutlinePage,
  type OutlineSection,
} from "./outline.ts";
import type { LiveGeneration, PageStore, Ranker } from "./ports.ts";

/** A page, or a section of it, that an answer lacks. */
export interface Place {
  /** The shortest name of the page. */
  readonly name: string;
  readonly page: OutlinePage;
  /** Absent: the whole page. */
  readonly section?: OutlineSection;
}

/** What a library has beside an answer. */
export interface More {
  /** The likeliest first, made as they are asked for: a library has far more than an answer can name. */
  readonly places: Iterable<Place>;
  /** Sentences on pages of the answer of which passages are held back. */
  readonly held: readonly string[];
}

/** Maximum tokens of a page that is named as a whole; of a longer one the sections are, unless it is an operation of an API. */
const wholePage = 4000;

/** The key of a part of an API description that is no operation. */
const besideOperations = /#\/(?!paths\/|webhooks\/|x-webhooks\/)/;

/** Maximum numbers: of pages that are likest a question, and sections of each; of pages of the answer, and sections of each; of compared sections. */
const most = { pages: 40, ofAlike: 2, answering: 3, sections: 20, compared: 300 };

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
 * Creates the function that tells what else may answer a question, of which some passages are shown. In turns: the pages of the answer that
 * are not shown whole, of long ones the sections with the likest headings; the next candidates, each
 * with its section; and the pages whose meaning is likest the question.
 */
export function createPlaces(
  { likeness }: Pick<Ranker, "likeness">,
  outline: Outline,
  { ranked, question }: Pick<RankedAnswer, "ranked" | "question">,
): (shown: Answer["passages"]) => More {
  const nameOf = (index: number): string => outline.names[index] ?? "";
  const pageAt = remembered((index) => outline.at(index));
  /** The sections of a page, those with the headings that are likest the question first. */
  const sectionsOf = remembered((index) => {
    const sections = pageAt(index).sections.slice(0, most.compared);
    return bestFirst(sections, ({ heading }) => likeness(question, heading));
  });
  let byMeaning: readonly number[] | undefined;
  /** The pages whose meaning is likest the question; of an API description operations only. */
  function* alike(): Generator<number> {
    byMeaning ??= bestFirst([...outline.names.keys()], (index) => likeness(question, outline.meanings[index] ?? ""));
    let left = most.pages;
    for (const index of byMeaning) {
      if (outline.hasOperations && besideOperations.test(pageAt(index).page)) continue;
      yield index;
      if ((left -= 1) === 0) return;
    }
  }

  return (shown) => {
    const shownOn = new Map<number, Set<number>>();
    for (const { id, page } of shown) {
      const index = outline.find(page.url);
      if (index !== undefined) shownOn.set(index, (shownOn.get(index) ?? new Set()).add(indexOn(pageAt(index), id)));
    }
    const isShown = (index: number, { first, count }: Pick<OutlineSection, "first" | "count">): boolean => {
      const own = shownOn.get(index);
      if (own === undefined) return false;
      const { absent } = pageAt(index);
      return Array.from({ length: count }, (_, at) => first + at).every((at) => own.has(at) || absent.includes(at));
    };
    const isWhole = (index: number): boolean => pageAt(index).tokens <= wholePage || isOperation(nameOf(index));
    const placeOf = (index: number, section?: OutlineSection): Place => {
      const isPart = section !== undefined && !isWhole(index);
      return { name: nameOf(index), page: pageAt(index), ...(isPart && { section }) };
    };
    /** Whether an answer has the request of an operation, after which other operations say more than the rest of it. */
    const isTold = (index: number): boolean => shownOn.has(index) && isOperation(nameOf(index));
    const placesIn = (index: number, limit: number): readonly Place[] => {
      const page = pageAt(index);
      if (isWhole(index)) return isShown(index, { first: 0, count: page.place[2] }) ? [] : [placeOf(index)];
      const sections = sectionsOf(index).filter((section) => !isShown(index, section));
      return sections.slice(0, limit).map((section) => placeOf(index, section));
    };
    function* ofCandidates(): Generator<Place> {
      for (const { candidate } of ranked) {
        const index = outline.find(candidate.pageUrl);
        if (index === undefined || isTold(index)) continue;
        const at = indexOn(pageAt(index), candidate.id);
        if (!shownOn.get(index)?.has(at)) yield placeOf(index, sectionAt(pageAt(index), at));
      }
    }
    function* ofAlike(): Generator<Place> {
      for (const index of alike()) if (!isTold(index)) yield* placesIn(index, most.ofAlike);
    }
    function* ofAnswer(): Generator<Place> {
      const partly = [...shownOn.keys()].filter((index, place) => place === 0 || !isTold(index));
      for (const index of partly) yield* placesIn(index, most.ofAlike);
      for (const index of partly.slice(0, most.answering)) yield* placesIn(index, most.sections);
    }
    return {
      places: inTurns([ofAnswer(), ofCandidates(), ofAlike()]),
      held: [...shownOn.keys()]
        .filter((index) => pageAt(index).held > 0)
        .map((index) => heldBack(nameOf(index), pageAt(index).held)),
    };
  };
}

/** A function of an index whose results are kept. */
function remembered<T>(compute: (index: number) => T): (index: number) => T {
  const known = new Map<number, T>();
  return (index) => {
    const result = known.get(index) ?? compute(index);
    known.set(index, result);
    return result;
  };
}

function bestFirst<T>(all: readonly T[], scoreOf: (one: T) => number): readonly T[] {
  return all
    .map((one) => ({ one, score: scoreOf(one) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

/** The next place of each list in turns, each place once, and without sections of pages that are named as a whole. */
function* inTurns(lists: readonly Generator<Place>[]): Generator<Place> {
  const given = new Set<string>();
  for (let isLeft = true; isLeft;) {
    isLeft = false;
    for (const list of lists) {
      for (let next = list.next(); next.done !== true; next = list.next()) {
        isLeft = true;
        const { page, section } = next.value;
        const key = section === undefined ? page.page : `${page.page}#${section.anchor}`;
        if (given.has(page.page) || given.has(key)) continue;
        given.add(key);
        yield next.value;
        break;
      }
    }
  }
}
