import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import { seesDisk } from "../domain/authorizing.ts";
import type { Located } from "../domain/answering.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { oneLine } from "../domain/one-line.ts";
import type { OutlinePage } from "../domain/outline.ts";
import { readPage, requireOutline, type PageRead, type PageRequest } from "../domain/reading-pages.ts";
import type { Passage } from "../domain/passage.ts";
import { estimateTokens, roomWithin } from "../domain/tokens.ts";
import { entityTag } from "./caching.ts";
import { fit } from "./fitting.ts";
import { answeringOf, choiceOf, locate, servedPassages, shownLibrary, type ReadAct } from "./located.ts";
import { cachedFromManifest } from "./manifest-cache.ts";
import type { ApiOptions } from "./options.ts";
import { pageOf } from "./paging.ts";
import { heldSentence } from "./render-more.ts";
import { everyBlock, renderText, renderVersion } from "./render-text.ts";
import type { Rules } from "./computation.ts";
import { rulesField, rulesOf, rulesText } from "./rules.ts";
import { toShownBlock } from "./schemas/blocks.ts";
import type { pageListSchema, pageSchema } from "./schemas/pages.ts";

/** A page of a library to read, and the form of the answer. */
export interface PageQuestion extends PageRequest {
  readonly libraryId: string;
  /** Budget for the whole answer, in tokens. */
  readonly tokens: number;
  readonly type: "txt" | "json";
  /** The upstream must not be asked. */
  readonly localOnly: boolean;
}

/** The largest budget, in tokens. */
export const mostTokens = 100_000;

/** A list of pages to read. */
export interface PageListQuestion {
  readonly libraryId: string;
  /** Only pages with this text in their key, their title or a heading. */
  readonly word?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** An answer about pages of a library. */
export interface PagesRead<Body> {
  /** The library's uid; null: it is a library of the upstream. */
  readonly libraryUid: string | null;
  /** Title of the page; null: the caller has cached the answer, or it is a list. */
  readonly topic: string | null;
  /** Library and version that answer. */
  readonly library: string;
  readonly tag: string;
  /** Null: the caller has cached it. */
  readonly body: Body | null;
}

/** Reads something of pages, and counts the read. `isCached` as in `Read`. @throws Failure as a question, and page_not_found */
export type ReadPages<Question, Body> = (
  caller: Caller,
  question: Question,
  act: ReadAct,
  isCached?: (tag: string) => boolean,
) => Promise<PagesRead<Body>>;

/** The functions that read pages. */
export interface PageReading {
  /** Reads a page, or a section of it, within the budget. */
  readonly readPage: ReadPages<PageQuestion, string | z.infer<typeof pageSchema>>;
  /** Lists pages with their sections. */
  readonly listPages: ReadPages<PageListQuestion, z.infer<typeof pageListSchema>>;
}

/** Creates the functions that read pages. */
export function createPageReading({
  ports,
  settings,
  countRead,
  turn,
}: Pick<ApiOptions, "ports" | "settings" | "countRead"> & {
  /** Resolves at the caller's turn, as in `createReading`. */
  readonly turn: (client: string) => Promise<void>;
}): PageReading {
  const ownRules = cachedFromManifest(ports, ({ settings: own }) => own?.rules ?? [], []);
  return {
    async readPage(caller, { libraryId, tokens, type, localOnly: _localOnly, ...asked }, act, isCached = () => false) {
      const located = await locate(ports, caller, libraryId, act);
      const { library, version } = located;
      const rules = await rulesOf(settings, ownRules, located);
      const showsDisk = seesDisk(caller, library);
      const tag = tagOf(caller, located, [rules, noteSentence(located), showsDisk, tokens, type, asked]);
      const common = { libraryUid: library.uid, library: shownLibrary(located), tag };
      // A path of the disk must not be confirmed.
      const page = showsDisk ? asked.page : asked.page.replace(/^file:/i, "");
      const isKnown = isCached(tag);
      if (!isKnown) await turn(caller.keyId ?? "");
      const read = isKnown ? null : await readPage(ports, located, { ...asked, page });
      countRead(library.uid, version);
      if (read === null) return { ...common, topic: null, body: null };
      const passages = servedPassages(
        read.passages.map(({ passage }) => passage),
        showsDisk,
      );
      const served = read.passages.map(({ index }, at) => ({ index, passage: passages[at] }));
      const shown = {
        ...read,
        passages: served.flatMap(({ index, passage }) => (passage ? [{ index, passage }] : [])),
      };
      const body =
        type === "json" ? pageAsJson(shown, tokens, located, rules) : pageAsText(shown, tokens, located, rules);
      return { ...common, topic: oneLine(read.section?.heading ?? read.page.title), body };
    },

    async listPages(caller, { libraryId, word = "", limit, cursor }, act, isCached = () => false) {
      const located = await locate(ports, caller, libraryId, act);
      const { library, version, generation } = located;
      const showsDisk = seesDisk(caller, library);
      const tag = tagOf(caller, located, [showsDisk, word, limit, cursor]);
      const common = { libraryUid: library.uid, topic: null, library: shownLibrary(located), tag };
      const isKnown = isCached(tag);
      if (!isKnown) await turn(caller.keyId ?? "");
      const outline = isKnown ? null : await requireOutline(ports, located);
      countRead(library.uid, version);
      if (outline === null) return { ...common, body: null };
      const wanted = word.toLowerCase();
      const all = [...outline.names.keys()];
      const chosen = wanted === "" ? all : all.filter((at) => saysWord(outline.at(at), wanted));
      const { items, total, next } = pageOf(chosen, { limit, cursor }, generation.id);
      const body = {
        library: common.library,
        pages: items.map((at) => toListed(outline.at(at), outline.names[at] ?? "", located, showsDisk)),
        total,
        heldBack: outline.held,
        next,
      };
      return { ...common, body };
    },
  };

  function tagOf(caller: Caller, located: Located, parts: readonly unknown[]): string {
    const { generation, access, library } = located;
    const version = [library.id, located.version, choiceOf(located)];
    return entityTag([generation.id, access.revision, renderVersion, caller.libraries, version, ...parts]);
  }
}

function saysWord({ page, title, sections }: OutlinePage, wanted: string): boolean {
  return [page, title, ...sections.map(({ heading }) => heading)].some((text) => text.toLowerCase().includes(wanted));
}

/** A page of a list. */
function toListed(
  page: OutlinePage,
  name: string,
  { library }: Pick<Located, "library">,
  showsDisk: boolean,
): z.infer<typeof pageListSchema>["pages"][0] {
  return {
    page: page.page,
    name,
    title: page.title,
    url: showsDisk || !page.url.startsWith("file:") ? page.url : page.page,
    tokens: page.tokens,
    heldBack: page.held,
    sections: page.sections.map(({ anchor, heading, level, tokens, lines }) => ({
      section: anchor,
      title: heading,
      level,
      tokens,
      ...(lines && kindOf(library.source).hasPaths && { lines: [lines[0], lines[1]] as [number, number] }),
    })),
  };
}

/** The section in which a passage begins, by its anchor; null for one above all sections. */
function sectionOf({ sections }: OutlinePage, index: number, { breadcrumb }: Passage): string | null {
  const around = sections.filter(({ first, count }) => first <= index && index < first + count);
  const own = around.findLast(({ heading }) => heading === breadcrumb.at(-1));
  return (own ?? around.findLast(({ first }) => first < index))?.anchor ?? null;
}

/** What of a page fits the budget. */
interface Cut {
  readonly shown: PageRead["passages"];
  /** The index at which the page goes on; null: to its end. */
  readonly next: number | null;
  /** The only passage exceeds the budget, and is shortened. */
  readonly isShortened: boolean;
}

/** Renders the passages that fit the budget. */
function within<T>(
  { passages }: Pick<PageRead, "passages">,
  tokens: number,
  render: (cut: Cut) => T,
  sent: (rendered: T) => string,
): T {
  const limit = roomWithin(tokens);
  // Rendering more passages than can fit would take the time of a whole page each.
  let left = 1.5 * limit;
  const end = passages.findIndex(({ passage }) => (left -= passage.tokens) < 0);
  const near = end < 0 ? passages : passages.slice(0, Math.max(end, 1));
  const rendered = (shown: PageRead["passages"], isShortened = false): T =>
    render({ shown, next: passages[shown.length]?.index ?? null, isShortened });
  let [fitting, tooMany] = [0, near.length + 1];
  for (let count = near.length; fitting + 1 < tooMany; count = Math.ceil((fitting + tooMany) / 2)) {
    if (estimateTokens(sent(rendered(near.slice(0, count)))) <= limit) fitting = count;
    else tooMany = count;
  }
  if (fitting > 0 || near.length === 0) return rendered(near.slice(0, fitting));
  const [first] = near;
  return fit(first ? [first.passage] : [], tokens, {
    render: (cut) => rendered(first ? cut.map((passage) => ({ index: first.index, passage })) : [], true),
    sent,
  });
}

/** A page as Markdown, with its source, and at the end where it goes on and what is held back. */
function pageAsText(read: PageRead, tokens: number, located: Located, rules: Rules): string {
  const { library } = located;
  const answering = answeringOf(located);
  const before = `${answering ? `${answering.sentence}\n\n` : ""}${rulesText(library.id, rules)}`;
  const { address } = kindOf(library.source);
  const { page, section } = read;
  const textOf = (passages: readonly Passage[]): string =>
    renderText(passages, (passage, lines) => address(library.source, passage.page.url, { lines }), everyBlock);
  let ofWhole: string | undefined;
  const render = ({ shown, next, isShortened }: Cut): string => {
    const text = textOf(shown.map(({ passage }) => passage));
    if (isShortened)
      ofWhole ??= tooLong(read, `${before}${textOf(read.passages.slice(0, 1).map(({ passage }) => passage))}`);
    const last = [
      ...(isShortened ? [ofWhole] : []),
      ...(next === null ? [] : [goesOn(read, next)]),
      ...(page.held > 0 ? [heldSentence(read)] : []),
      ...noteSentence(located),
      ...(text === "" ? [`Nothing of ${oneLine(section?.heading ?? page.title)} is left to read.`] : []),
    ];
    return `${before}${text}${last.length === 0 ? "" : `\n\n[${last.join(" ")}]`}`.trim();
  };
  return within(read, tokens, render, (text) => text);
}

/** The sentence on a passage that exceeds the budget alone. `whole`: the text with all of it. */
function tooLong({ passages }: PageRead, whole: string): string {
  // As `roomWithin` reserves, and for the last sentences.
  const needed = Math.ceil((1.06 * estimateTokens(whole)) / 1000 + 1) * 1000;
  return needed > mostTokens
    ? "This is shortened, as it exceeds the largest budget: only its source has all of it."
    : `This is shortened: read it whole with from=${passages[0]?.index ?? 0} and tokens=${needed}.`;
}

/** The sentence on where a page goes on. */
function goesOn({ page, section, passages }: PageRead, next: number): string {
  const rest = passages.filter(({ index }) => index >= next);
  const tokens = rest.reduce((sum, { passage }) => sum + passage.tokens, 0);
  const heading = oneLine(rest[0]?.passage.breadcrumb.at(-1) ?? page.title);
  const what = section === undefined ? "The page" : "The section";
  return `${what} goes on with "${heading}", ${tokens} tokens: read it with from=${next}.`;
}

/** Points to the team note, which answers have: pages are read in pieces, and each would repeat it. Empty without a note. */
function noteSentence({ library, teamNote }: Located): readonly string[] {
  return teamNote === undefined ? [] : [`Your team has a note on ${library.id}: answers to questions end with it.`];
}

/** A page as JSON, with its outline. */
function pageAsJson(read: PageRead, tokens: number, located: Located, rules: Rules): z.infer<typeof pageSchema> {
  const { name, page, section } = read;
  const answering = answeringOf(located);
  const listed = toListed(page, name, located, true);
  const url = read.passages[0]?.passage.page.url ?? page.page;
  // The outline of a page does not count: it is there for programs, and may be longer than the budget.
  const render = ({ shown, next, isShortened }: Cut): z.infer<typeof pageSchema> => ({
    library: shownLibrary(located),
    ...listed,
    url,
    ...(section && { section: section.anchor }),
    ...(answering && { version: answering.version }),
    passages: shown.map(({ index, passage }) => ({
      index,
      title: passage.title,
      breadcrumb: [...passage.breadcrumb],
      section: sectionOf(page, index, passage),
      url: passage.source.url,
      ...(passage.source.lines && { lines: [...passage.source.lines] as [number, number] }),
      revision: passage.source.revision,
      tokens: passage.tokens,
      blocks: passage.blocks.map(toShownBlock),
      ...(isShortened && { shortened: true as const }),
    })),
    next,
    ...rulesField(rules),
    ...(located.teamNote !== undefined && { hasTeamNote: true }),
  });
  return within(read, tokens, render, ({ passages }) => JSON.stringify(passages));
}
