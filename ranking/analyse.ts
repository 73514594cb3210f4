import { searchFields } from "../domain/ports.ts";
import type { SearchField } from "../domain/ports.ts";
import type { Snippet } from "../domain/snippet.ts";
import { TermNumbers } from "./term-numbers.ts";
import { writeTerms } from "./write-terms.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "2";

/** Where terms are numbered that are wanted as text. */
const scratch = new TermNumbers();
/** So many different terms are kept for the next text. */
const mostKept = 20_000;

/** Identifiers of one snippet that are kept whole. */
const mostIdentifiers = 200;

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised and stemmed. An identifier gives its parts and
 * then itself as a whole, without `_` and `-`, so that useRouter, use_router and use-router meet in one term.
 * Scripts without spaces give pairs of characters.
 */
export function analyse(text: string): string[] {
  clearScratch();
  writeTerms(scratch, text);
  return scratch.texts();
}

/** As `analyse`, joined with single spaces. */
export function analyseText(text: string): string {
  return analyse(text).join(" ");
}

/** The analysed fields of a snippet, each a list of terms joined with single spaces. */
export function analyseSnippet(snippet: Snippet): Record<SearchField, string> {
  clearScratch();
  const fields: Record<string, string> = {};
  let start = 0;
  let field = 0;
  writeSnippet(scratch, snippet, () => {
    fields[searchFields[field++] ?? ""] = scratch.texts(start).join(" ");
    start = scratch.length;
  });
  // All fields are written.
  return fields as Record<SearchField, string>;
}

/** Writes the fields of a snippet in the order of `searchFields`; `ended` is called behind each. */
export function writeSnippet(out: TermNumbers, snippet: Snippet, ended: () => void): void {
  const { title, breadcrumb, codes } = snippet;
  const prose = snippet.content === undefined ? snippet.description : `${snippet.description}\n${snippet.content}`;
  const blocks = codes.map(({ file, code }) => (file === undefined ? code : `${file}\n${code}`));
  const identifiers = new Set<number>();
  collectInline(out, prose, identifiers);

  const field = (text: string, found?: Set<number>): void => {
    writeTerms(out, text, found && { found, compoundOnly: true, most: mostIdentifiers });
    ended();
  };
  field(title);
  field((breadcrumb.at(-1) === title ? breadcrumb.slice(0, -1) : breadcrumb).join(" "));
  field(pagePath(snippet));
  field(prose.includes("](") ? prose.replace(/\]\([^)\s]*\)/g, "]") : prose);
  field(blocks.join("\n"), identifiers);
  for (const identifier of identifiers) out.push(identifier);
  ended();
}

/**
 * Whether a snippet stands below the title of its page and in no section of it: an introduction, the whole of a page without
 * sections, or prose of several short sections in one. Its own title is the page's or begins with it.
 */
export function isBelowTitle<T>(title: ArrayLike<T>, breadcrumb: ArrayLike<T>): boolean {
  for (let at = 0; at < breadcrumb.length; at++) if (title[at] !== breadcrumb[at]) return false;
  return true;
}

/** Collects everything that prose sets as inline code. Its terms themselves are those of the prose. */
function collectInline(out: TermNumbers, prose: string, found: Set<number>): void {
  if (!prose.includes("`")) return;
  const inline = prose.match(/`[^`\n]{1,100}`/g)?.join("\n") ?? "";
  const { length } = out;
  writeTerms(out, inline, { found, compoundOnly: false, most: mostIdentifiers });
  out.length = length;
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath(snippet: Snippet): string {
  const path = snippet.source.path ?? URL.parse(snippet.page.url)?.pathname ?? "";
  return path.replace(/\.\w{1,8}$/, "").replaceAll("/", " ");
}

function clearScratch(): void {
  if (scratch.table.size > mostKept) scratch.clear();
  scratch.length = 0;
}
