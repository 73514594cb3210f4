import { headingsOf, isSameHeading } from "../../../domain/markdown.ts";
import type { PageList, ReadPage } from "../../answer-types.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { withQuery } from "../../request.ts";
import { libraryPath } from "./addresses.ts";
import { viewsInTurns } from "./in-turns.ts";
import { headingView, inlineView } from "./markdown.ts";
import { foundView, treeView } from "./page-tree.ts";
import { counted, empty, more, notice } from "./parts.ts";
import { blockView, highlighted, linesView } from "./passage.ts";
import { linksTo, readerPath, sectionId } from "./reader-links.ts";

/** What is asked of the reader. */
export interface ReaderQuery {
  readonly library: string;
  readonly page?: string | undefined;
  /** Only pages with this word are listed. */
  readonly word?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The documentation of a library: the list of its pages, and one of them. */
export function readerView(asked: ReaderQuery, list: PageList, content: Html): Html {
  const { library } = asked;
  return html`<header class="reader-head">
      <p>
        <a href="${libraryPath(library)}"><bdi>${list.library}</bdi></a> <span class="muted small">Documentation</span>
      </p>
      <form class="row" action="/-/answer" role="search" aria-label="Ask the library">
        <input type="hidden" name="library" value="${library}" />
        <label class="hidden" for="query">Question</label
        ><input id="query" name="query" required maxlength="500" placeholder="Ask this library" /><button
          class="button primary"
        >
          Ask
        </button>
      </form>
    </header>
    <div class="reader">
      <details class="pages" ${asked.word === undefined ? "" : "open"}>
        <summary>Pages</summary>
        ${finderView(asked)}
        <nav id="pages" aria-label="Pages">${pagesView(asked, list)}</nav>
      </details>
      ${content}
    </div>`;
}

function finderView({ library, page, word = "" }: ReaderQuery): Html {
  return html`<form
    action="/-/read"
    role="search"
    aria-label="Find pages"
    hx-get="/-/read"
    hx-target="#pages"
    hx-trigger="input changed delay:250ms from:#word, submit"
  >
    <input type="hidden" name="library" value="${library}" />
    ${page === undefined ? nothing : html`<input type="hidden" name="page" value="${page}" />`}
    <label class="hidden" for="word">Find a page or heading</label
    ><input
      id="word"
      type="search"
      name="word"
      value="${word}"
      maxlength="200"
      placeholder="Find a page or heading"
      autocomplete="off"
    />
  </form>`;
}

/** The pages of a library as a tree, or those with a word. */
export function pagesView(asked: ReaderQuery, list: PageList): Html {
  const { library, page, word } = asked;
  const next = list.next === null ? null : withQuery("/-/read", { library, page, word, cursor: list.next });
  const pages = word === undefined ? treeView(library, list.pages, page) : foundView(library, list, word);
  return html`${pages}${more(next, "More pages")}`;
}

/** A page with its passages, rendered in several turns of the event loop. */
export async function pageView(library: string, read: ReadPage, pages: PageList["pages"]): Promise<Html> {
  const { page, title, url, tokens, heldBack, passages } = read;
  const pathOf = linksTo(library, [...pages, read]);
  const headings = createHeadings(read);
  const parts = await viewsInTurns(passages, (passage) => passageView(passage, pathOf, headings));
  return html`<article class="page" ${highlighted()}>
    <header>
      <p class="muted small"><code>${page}</code></p>
      <h1>${inlineView(title)}</h1>
      <p class="muted small">${counted(tokens, "token")} ${linesView(url, undefined)}</p>
    </header>
    ${heldBack === 0 ? nothing : notice("warn", `${counted(heldBack, "passage")} of this page ${heldBack === 1 ? "is" : "are"} held back: possible prompt injection.`)}
    ${parts} ${passages.length === 0 ? empty("Nothing more on this page") : nothing} ${endView(library, read, pages)}
  </article>`;
}

type Passage = ReadPage["passages"][number];

function passageView(passage: Passage, pathOf: (address: string) => string | undefined, headings: Headings): Html {
  const { url, lines } = passage;
  const begun = headings.begin(passage);
  const place = { pathOf, headingOf: headings.inner };
  return html`<section>
    ${begun.map(
      ({ level, id, heading }, at) =>
        html`<div class="heading">
          ${headingView(level, inlineView(heading), id)}${at === begun.length - 1 ? html`<span class="small">${linesView(url, lines)}</span>` : nothing}
        </div>`,
    )}
    ${passage.blocks.map((block) => blockView(block, place))}
  </section>`;
}

interface Heading {
  readonly heading: string;
  readonly level: number;
  readonly id?: string | undefined;
}

/** The headings of a page, with the IDs of its sections. */
interface Headings {
  /** Those that begin with a passage. */
  begin(passage: Passage): readonly Heading[];
  /** One within the passage that began last. */
  inner(markdown: string): Heading;
}

/** Finds the section of each heading, in the order of the page. */
function createHeadings({ title, sections, passages: [first] }: ReadPage): Headings {
  let before: readonly string[] = [];
  // Of a page that goes on, the sections around the first passage have begun before.
  let next = first === undefined || first.index === 0 ? 0 : startOf(first);
  function idOf(heading: string): string | undefined {
    const at = sections.findIndex((section, place) => place >= next && section.title === heading);
    if (at < 0) return undefined;
    next = at + 1;
    return sectionId(sections[at]?.section ?? "");
  }
  function startOf({ section, breadcrumb }: Passage): number {
    const own = headingsOf(breadcrumb, title).at(-1);
    const last = sections.findIndex((one) => one.section === section);
    return Math.max(
      0,
      sections.slice(0, last + 1).findLastIndex((one) => one.title === own),
    );
  }
  return {
    begin(passage) {
      const all = headingsOf(passage.breadcrumb, title);
      const shared = all.findIndex((heading, at) => before[at] !== heading);
      const isContinued = passage === first && passage.index > 0;
      before = all;
      return (shared < 0 ? [] : all.slice(shared)).map((heading, at, begun) => ({
        heading,
        level: all.length - begun.length + at + 2,
        id: isContinued && at < begun.length - 1 ? undefined : idOf(heading),
      }));
    },
    inner(markdown) {
      const heading = markdown.trim();
      const isOwn = isSameHeading(heading, before.at(-1) ?? title) || isSameHeading(heading, title);
      return { heading, level: before.length + 2, id: isOwn ? undefined : idOf(heading) };
    },
  };
}

/** Links to the rest of the page, and to the pages before and after it. */
function endView(library: string, { page, next }: ReadPage, pages: PageList["pages"]): Part {
  const at = pages.findIndex((one) => one.page === page);
  const before = at > 0 ? pages[at - 1] : undefined;
  const after = at < 0 ? undefined : pages[at + 1];
  if (next !== null) return more(withQuery("/-/read", { library, page, from: next }), "Read on");
  return html`<nav class="between neighbours" aria-label="Neighbouring pages">
    ${before === undefined ? nothing : html`<a rel="prev" href="${readerPath(library, before.page)}"><bdi>${before.title}</bdi></a>`}
    ${after === undefined ? nothing : html`<a rel="next" href="${readerPath(library, after.page)}"><bdi>${after.title}</bdi></a>`}
  </nav>`;
}
