import { slug } from "github-slugger";
import { headingsOf } from "../../../domain/markdown.ts";
import type { Explained } from "../../answer-types.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { viewsInTurns } from "./in-turns.ts";
import { inlineView } from "./markdown.ts";
import { empty, link, notice, short } from "./parts.ts";
import { blockView, highlighted, linesView } from "./passage.ts";
import { linksTo, readerPath } from "./reader-links.ts";

type Passage = Explained["passages"][number];

/** The answer as an agent gets it. */
export function servedView(body: unknown): Html {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  return html`<pre class="served" tabindex="0" aria-label="The answer">${text}</pre>`;
}

/** The passages of an answer by page, with what they lack, and what else may be the answer. */
export async function passagesView(library: string, { passages, notes, more }: Explained): Promise<Html> {
  const shown = byPage(passages.filter((one) => one.shown));
  const pathOf = linksTo(
    library,
    shown.map(({ page: { url } }) => ({ page: url, url })),
  );
  const items = shown.map((passage, at) => ({ passage, before: shown[at - 1] }));
  const views = await viewsInTurns(items, ({ passage, before }) => passageView(library, passage, before, pathOf));
  return html`<div class="passages" ${highlighted()}>
    ${shown.length === 0 ? empty("No passages found") : views} ${notes.map((note) => notice("plain", note))}
    ${moreView(library, more)}
  </div>`;
}

/** Passages by page, in the order of the lines of each. */
function byPage(passages: readonly Passage[]): readonly Passage[] {
  const pages = Map.groupBy(passages, ({ page }) => page.url);
  const lineOf = ({ lines }: Passage): number => lines?.[0] ?? 0;
  return [...pages.values()].flatMap((own) => own.toSorted((one, other) => lineOf(one) - lineOf(other)));
}

/** A passage with links to its lines and its page, below the title of the page if the passage before is of another one. */
function passageView(
  library: string,
  { breadcrumb, page, url, lines, blocks }: Passage,
  before: Passage | undefined,
  pathOf: (address: string) => string | undefined,
): Html {
  const headings = headingsOf(breadcrumb, page.title);
  const last = headings.at(-1);
  const section = last === undefined ? undefined : slug(last);
  const path = headings.map((heading, at) => html`${at === 0 ? nothing : " › "}${inlineView(heading)}`);
  return html`${before?.page.url === page.url ? nothing : pageHeading(page)}
    <section class="passage">
      <div class="heading">
        ${path.length === 0 ? nothing : html`<h4>${path}</h4>`}
        <span class="small"
          >${linesView(url, lines)} <a href="${readerPath(library, page.url, section)}">Read on its page</a></span
        >
      </div>
      ${blocks.map((block) => blockView(block, { pathOf, headingOf: () => ({ level: path.length === 0 ? 4 : 5 }) }))}
    </section>`;
}

function pageHeading({ title, url }: Passage["page"]): Html {
  return html`<header class="page-heading">
    <h3>${inlineView(title)}</h3>
    <p class="small muted">${link(url)}</p>
  </header>`;
}

/** Links to what else may be the answer. */
function moreView(library: string, places: Explained["more"]): Part {
  if (places.length === 0) return nothing;
  return html`<nav aria-labelledby="more">
    <h3 id="more">More that may answer</h3>
    <ul class="bare">
      ${places.map(
        ({ page, section, title, tokens }) =>
          html`<li>
            <a href="${readerPath(library, page, section)}">${inlineView(title)}</a>
            <span class="muted small"><code>${page}</code> · ${short(tokens)} tokens</span>
          </li>`,
      )}
    </ul>
  </nav>`;
}
