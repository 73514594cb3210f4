import type { Explained } from "../../answer-types.ts";
import { asset, type AssetName } from "../assets.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { codeView, markdownView, type MarkdownPlace } from "./markdown.ts";
import { external } from "./addresses.ts";
import { badge, link } from "./parts.ts";

type Lines = Explained["passages"][number]["lines"];

/** A block of a passage, rendered. */
export function blockView(block: Explained["passages"][number]["blocks"][number], place: MarkdownPlace): Html {
  if (block.type === "prose") return html`<div class="prose">${markdownView(block.markdown, place)}</div>`;
  return html`${block.codes.map(
    ({ language, code, name, madeFrom }, at) =>
      html`<figure class="code">
        <figcaption class="small muted">
          <bdi>${[language, name].filter(Boolean).join(" · ")}</bdi>
          ${madeFrom === undefined ? nothing : html`<span>generated from <bdi>${madeFrom}</bdi></span>`}
          ${at === 0 ? linesView(block.url, block.lines) : nothing}
        </figcaption>
        ${codeView(code, language)}
      </figure>`,
  )}`;
}

/** The lines of a passage at its source, with a link if that is a web page. */
export function linesView(url: string, lines: Lines): Part {
  if (lines === undefined) return external(url) === undefined ? nothing : link(url, "source");
  const [first, last] = lines;
  const label = first === last ? `line ${first}` : `lines ${first}–${last}`;
  return external(url) === undefined ? badge("plain", label) : link(url, label);
}

/** Files of pages with passages. */
export const readingAssets: readonly AssetName[] = ["reading.css", "highlight-code.js"];

/** Attributes of the element whose code static/highlight-code.js colours. */
export function highlighted(): Html {
  return html`data-highlighter="${asset("highlighter.js")}" data-grammars="${asset("highlight.js")}"`;
}
