import createMarkdownIt, { type StateInline, type Token } from "markdown-it";
import { html, nothing, type Html, type Part } from "../html.ts";
import { external } from "./addresses.ts";
import { link } from "./parts.ts";

/** The place of Markdown in a page. */
export interface MarkdownPlace {
  /** Path in the reader for a link within the library; undefined for other links. Absent: no links at all. */
  pathOf?(address: string): string | undefined;
  /** Level and ID of a heading, by its Markdown. */
  headingOf(markdown: string): { readonly level: number; readonly id?: string | undefined };
}

/** Longer prose is shown as text, in characters: that of a passage has some thousands. */
const maxLength = 20_000;

const parser = createMarkdownIt({ html: false });
// What looks like a definition in a passage is a footnote: links have their addresses with them.
parser.disable(["reference"]);
// Addresses are judged here.
parser.validateLink = () => true;
parser.normalizeLink = (address) => address;
parser.inline.ruler.before("escape", "formula", formula);

/** Formulas of TeX, whose signs are no markup: `$…$` without blanks inside of the signs, `$$…$$`, `\(…\)`, `\[…\]`. */
const formulas =
  /\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n`]{0,500}(?<![\s\\])\$(?![\p{L}\p{N}])|\\\([^\n]{1,1000}?\\\)|\\\[[^]{1,2000}?\\\]/uy;

function formula(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const sign = src[pos];
  if (sign !== "$" && !(sign === "\\" && /[([]/.test(src[pos + 1] ?? ""))) return false;
  formulas.lastIndex = pos;
  const [found] = formulas.exec(src) ?? [];
  if (found === undefined) return false;
  if (!silent) state.push("formula", "", 0).content = found;
  state.pos += found.length;
  return true;
}

/** Markdown from outside as markup: every element is of a template, and every text is escaped, also of tags in it. */
export function markdownView(markdown: string, place: MarkdownPlace): Html {
  if (markdown.length > maxLength) return html`<pre tabindex="0">${markdown}</pre>`;
  return html`${viewOf(parser.parse(markdown, {}), place)}`;
}

/** Markdown within a line, such as a heading, without links. */
export function inlineView(markdown: string): Html {
  const place: MarkdownPlace = { headingOf: () => ({ level: 6 }) };
  return html`${viewOf(parser.parseInline(markdown, {}), place)}`;
}

/** An open element with its content so far. */
interface Open {
  readonly token: Token | undefined;
  readonly content: Part[];
}

function viewOf(tokens: readonly Token[], place: MarkdownPlace): readonly Part[] {
  const root: Open = { token: undefined, content: [] };
  const open = [root];
  for (const [at, token] of tokens.entries()) {
    const { content } = open.at(-1) ?? root;
    if (token.nesting === 1) open.push({ token, content: [] });
    else if (token.nesting === 0) {
      // A picture in a link is its text.
      const isLinked = open.some((one) => one.token?.type === "link_open");
      content.push(token.type === "image" && isLinked ? token.content : leaf(token, place));
    } else {
      const ended = open.pop();
      if (ended?.token === undefined) continue;
      const isHeading = ended.token.type === "heading_open";
      // Before the end of a heading is its text.
      const part = isHeading
        ? heading(ended.content, tokens[at - 1]?.content ?? "", place)
        : element(ended.token, ended.content, place);
      open.at(-1)?.content.push(part);
    }
  }
  return root.content;
}

function leaf(token: Token, place: MarkdownPlace): Part {
  switch (token.type) {
    case "inline":
      return viewOf(token.children ?? [], place);
    case "code_inline":
      return html`<code>${token.content}</code>`;
    case "fence":
    case "code_block":
      return codeView(token.content, token.info.trim().split(/\s/)[0] ?? "");
    case "image":
      return linkView([token.content || "Image"], String(token.attrGet("src")), place);
    case "softbreak":
      return "\n";
    case "hardbreak":
      return html`<br />`;
    case "hr":
      return html`<hr />`;
    default:
      return token.content;
  }
}

function element(token: Token, content: readonly Part[], place: MarkdownPlace): Part {
  switch (token.type) {
    case "paragraph_open":
      return token.hidden ? content : html`<p>${content}</p>`;
    case "bullet_list_open":
      return html`<ul>
        ${content}
      </ul>`;
    case "ordered_list_open":
      return html`<ol start="${token.attrGet("start") ?? 1}">
        ${content}
      </ol>`;
    case "list_item_open":
      return html`<li>${content}</li>`;
    case "blockquote_open":
      return html`<blockquote>${content}</blockquote>`;
    case "strong_open":
      return html`<strong>${content}</strong>`;
    case "em_open":
      return html`<em>${content}</em>`;
    case "s_open":
      return html`<s>${content}</s>`;
    case "link_open":
      return linkView(content, String(token.attrGet("href")), place);
    case "table_open":
      return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
        <table>
          ${content}
        </table>
      </div>`;
    case "thead_open":
      return html`<thead>
        ${content}
      </thead>`;
    case "tbody_open":
      return html`<tbody>
        ${content}
      </tbody>`;
    case "tr_open":
      return html`<tr>
        ${content}
      </tr>`;
    case "th_open":
      return html`<th scope="col">${content}</th>`;
    case "td_open":
      return html`<td>${content}</td>`;
    default:
      return content;
  }
}

function heading(content: readonly Part[], markdown: string, place: MarkdownPlace): Html {
  const { level, id } = place.headingOf(markdown);
  return headingView(level, content, id);
}

/** A heading of a level from 2 to 6. */
export function headingView(level: number, content: Part, id?: string): Html {
  const own = id === undefined ? nothing : html` id="${id}"`;
  if (level <= 2) return html`<h2${own}>${content}</h2>`;
  if (level === 3) return html`<h3${own}>${content}</h3>`;
  if (level === 4) return html`<h4${own}>${content}</h4>`;
  return level === 5 ? html`<h5${own}>${content}</h5>` : html`<h6${own}>${content}</h6>`;
}

/** A link to a page of the library or to a web page; only its content if it leads to neither. */
function linkView(content: readonly Part[], href: string, { pathOf }: MarkdownPlace): Part {
  if (pathOf === undefined) return content;
  const address = href.trim();
  const path = pathOf(address);
  if (path !== undefined) return html`<a href="${path}">${content}</a>`;
  if (/^mailto:[^\s@?]+@[^\s@?]+$/i.test(address))
    return html`<a href="${address}" rel="noopener noreferrer nofollow">${content}</a>`;
  return external(address) === undefined ? content : link(address, content);
}

/** Code, for the highlighter by its language. */
export function codeView(code: string, language: string): Html {
  return html`<pre tabindex="0"><code data-language="${language}">${code}</code></pre>`;
}
