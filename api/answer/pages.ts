import type * as z from "zod";
import type { Located } from "../../domain/answering.ts";
import { kindOf } from "../../domain/kinds/index.ts";
import { oneLine } from "../../domain/one-line.ts";
import { heldBack, type OutlinePage } from "../../domain/outline.ts";
import type { Passage } from "../../domain/passage.ts";
import { readPage, requireOutline, type PageRead, type PageRequest } from "../../domain/reading-pages.ts";
import { estimateTokens, roomWithin } from "../../domain/tokens.ts";
import type { ApiPorts } from "../options.ts";
import { pageOf } from "../paging.ts";
import { toShownBlock } from "../schemas/blocks.ts";
import type { pageListSchema, pageSchema } from "../schemas/pages.ts";
import { servedPassages } from "../served-addresses.ts";
import { fit } from "./fitting.ts";
import { framedText, rulesField } from "./frame.ts";
import type { Asked, Reader, ReadLibrary } from "./reading.ts";
import { addressIn, everyPiece, renderText } from "./text.ts";

type PageList = z.infer<typeof pageListSchema>;
type Page = z.infer<typeof pageSchema>;

/** A page of a library to read, and the form of the answer. */
interface PageQuestion extends PageRequest, Asked {
  /** Budget for the whole answer, in tokens. */
  readonly tokens: number;
  readonly type: "txt" | "json";
}

/** The largest budget, in tokens. */
export const mostTokens = 100_000;

/** A list of pages to read. */
interface PageListQuestion extends Asked {
  /** Only pages with this text in their key, their title or a heading. */
  readonly word?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Creates the functions that read pages. */
export function createPageReading(ports: ApiPorts, { reads }: Reader) {
  return {
    /** Reads a page, or a section of it, within the budget. @throws Failure page_not_found */
    readPage: reads<PageQuestion, string | object>(async ({ page, tokens, type, ...asked }, library) => {
      const { located, showsDisk } = library;
      // A path of the disk must not be confirmed.
      const name = showsDisk ? page : page.replace(/^file:/i, "");
      const whole = await readPage(ports, located, { ...asked, page: name });
      const read = { ...whole, passages: servedPassages(whole.passages, showsDisk) };
      const body = type === "json" ? pageAsJson(read, tokens, library) : pageAsText(read, tokens, library);
      return { topic: oneLine(read.section?.heading ?? read.page.title), body };
    }),

    /** Lists pages with their sections. */
    listPages: reads<PageListQuestion, PageList>(
      async ({ word = "", limit, cursor }, { located, frame, showsDisk }) => {
        const outline = await requireOutline(ports, located);
        const wanted = word.toLowerCase();
        const all = [...outline.names.keys()];
        const chosen = wanted === "" ? all : all.filter((at) => saysWord(outline.at(at), wanted));
        const { items, total, next } = pageOf(chosen, { limit, cursor }, located.generation.id);
        const pages = items.map((at) => toListed(outline.at(at), outline.names[at] ?? "", located, showsDisk));
        return { topic: null, body: { library: frame.shown, pages, total, heldBack: outline.held, next } };
      },
    ),
  };
}

function saysWord({ page, title, sections }: OutlinePage, wanted: string): boolean {
  return [page, title, ...sections.map(({ heading }) => heading)].some((text) => text.toLowerCase().includes(wanted));
}

/** A page of a list. */
function toListed(page: OutlinePage, name: string, { library }: Located, showsDisk: boolean): PageList["pages"][0] {
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
function sectionOf({ sections }: OutlinePage, index: number, breadcrumb: readonly string[]): string | null {
  const around = sections.filter(({ first, count }) => first <= index && index < first + count);
  const own = around.findLast(({ heading }) => heading === breadcrumb.at(-1));
  return (own ?? around.findLast(({ first }) => first < index))?.anchor ?? null;
}

/** The first passages, of which some fit the budget. More would take the time of a whole page each to render. */
function nearly(passages: PageRead["passages"], tokens: number): PageRead["passages"] {
  let left = 1.5 * roomWithin(tokens);
  const end = passages.findIndex((passage) => (left -= passage.tokens) < 0);
  return end < 0 ? passages : passages.slice(0, Math.max(end, 1));
}

/** A page as Markdown, with its source, and at the end where it goes on and what is held back. */
function pageAsText(read: PageRead, tokens: number, { located, frame }: ReadLibrary): string {
  const { library, teamNote } = located;
  const { name, page, section, passages } = read;
  const addressOf = addressIn(library.source);
  const textOf = (shown: readonly Passage[]): string => renderText(shown, addressOf, everyPiece);
  let ofWhole: string | undefined;
  return fit(nearly(passages, tokens), tokens, {
    render: (shown, isShortened) => {
      const text = textOf(shown);
      if (isShortened) ofWhole ??= tooLong(read, framedText(frame, textOf(passages.slice(0, 1)), []));
      const next = passages[shown.length]?.index;
      return framedText(frame, text, [
        ...(isShortened && ofWhole !== undefined ? [ofWhole] : []),
        ...(next === undefined ? [] : [goesOn(read, next)]),
        ...(page.held > 0 ? [heldBack(name, page.held)] : []),
        // Pages are read in pieces, and each would repeat the note.
        ...(teamNote === undefined ? [] : [`Your team has a note on ${library.id}: answers to questions end with it.`]),
        ...(text === "" ? [`Nothing of ${oneLine(section?.heading ?? page.title)} is left to read.`] : []),
      ]);
    },
    sent: (text) => text,
  });
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
  const size = rest.reduce((sum, { tokens }) => sum + tokens, 0);
  const heading = oneLine(rest[0]?.breadcrumb.at(-1) ?? page.title);
  const what = section === undefined ? "The page" : "The section";
  return `${what} goes on with "${heading}", ${size} tokens: read it with from=${next}.`;
}

/** A page as JSON, with its outline. */
function pageAsJson(read: PageRead, tokens: number, { located, frame }: ReadLibrary): Page {
  const { name, page, section, passages } = read;
  const { answering, rules } = frame;
  // The outline of a page does not count: it is there for programs, and may be longer than the budget.
  return fit(nearly(passages, tokens), tokens, {
    render: (shown, isShortened): Page => ({
      library: frame.shown,
      ...toListed(page, name, located, true),
      url: passages[0]?.page.url ?? page.page,
      ...(section && { section: section.anchor }),
      ...(answering && { version: answering.version }),
      passages: shown.map(({ index, title, breadcrumb, source, tokens: size, blocks }) => ({
        index,
        title,
        breadcrumb: [...breadcrumb],
        section: sectionOf(page, index, breadcrumb),
        url: source.url,
        ...(source.lines && { lines: [...source.lines] as [number, number] }),
        revision: source.revision,
        tokens: size,
        blocks: blocks.map(toShownBlock),
        ...(isShortened && { shortened: true as const }),
      })),
      next: passages[shown.length]?.index ?? null,
      ...rulesField(rules),
      ...(located.teamNote !== undefined && { hasTeamNote: true }),
    }),
    sent: (body) => JSON.stringify(body.passages),
  });
}
