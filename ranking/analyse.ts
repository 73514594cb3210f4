import type { SearchField } from "../domain/ports.ts";
import type { Snippet } from "../domain/snippet.ts";
import { TermBuffer } from "./term-buffer.ts";
import { writeTerms } from "./write-terms.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "2";

/** The fields in the order in which `writeSnippet` writes them. */
export const writtenFields = ["title", "breadcrumb", "path", "prose", "code", "identifiers"] as const;

/** Where single texts are analysed: a question has many short ones. */
const scratch = new TermBuffer(1024);
/** Where inline code is analysed, of which only the identifiers are kept. */
const unkept = new TermBuffer(1024);

/** Identifiers of one snippet that are kept whole. */
const mostIdentifiers = 200;

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised and stemmed. An identifier gives its parts and
 * then itself as a whole, without `_` and `-`, so that useRouter, use_router and use-router meet in one term.
 * Scripts without spaces give pairs of characters.
 */
export function analyse(text: string): string[] {
  const terms = analyseText(text);
  return terms === "" ? [] : terms.split(" ");
}

/** As `analyse`, joined with single spaces. */
export function analyseText(text: string): string {
  scratch.length = 0;
  writeTerms(scratch, text);
  return scratch.text(0).trimEnd();
}

/** The analysed fields of a snippet, each a list of terms joined with single spaces. */
export function analyseSnippet(snippet: Snippet): Record<SearchField, string> {
  const out = new TermBuffer(1024);
  writeSnippet(out, snippet, () => undefined);
  const [title = "", breadcrumb = "", path = "", prose = "", code = "", identifiers = ""] = out.text(0).split("\n");
  return { title, breadcrumb, path, identifiers, prose, code };
}

/**
 * Writes the fields of a snippet, those of `writtenFields`; `ended` is called behind each with its number of terms.
 * Identifiers are terms of prose and code, and have no numbers of their own.
 */
export function writeSnippet(out: TermBuffer, snippet: Snippet, ended: (terms: number) => void): void {
  const { title, breadcrumb, codes } = snippet;
  const prose = snippet.content === undefined ? snippet.description : `${snippet.description}\n${snippet.content}`;
  const blocks = codes.map(({ file, code }) => (file === undefined ? code : `${file}\n${code}`));
  const identifiers = new Set<string>();
  collectInline(prose, identifiers);

  field(title);
  field((breadcrumb.at(-1) === title ? breadcrumb.slice(0, -1) : breadcrumb).join(" "));
  field(pagePath(snippet));
  field(prose.includes("](") ? prose.replace(/\]\([^)\s]*\)/g, "]") : prose);
  field(blocks.join("\n"), identifiers);
  const start = out.length;
  for (const identifier of identifiers) out.addUnnumbered(identifier);
  out.endField(start);
  ended(identifiers.size);

  function field(text: string, found?: Set<string>): void {
    const start = out.length;
    const before = out.terms;
    writeTerms(out, text, found && { found, compoundOnly: true, most: mostIdentifiers });
    out.endField(start);
    ended(out.terms - before);
  }
}

/** Collects everything that prose sets as inline code. */
function collectInline(prose: string, found: Set<string>): void {
  if (!prose.includes("`")) return;
  const inline = prose.match(/`[^`\n]{1,100}`/g)?.join("\n") ?? "";
  unkept.length = 0;
  writeTerms(unkept, inline, { found, compoundOnly: false, most: mostIdentifiers });
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath(snippet: Snippet): string {
  const path = snippet.source.path ?? URL.parse(snippet.page.url)?.pathname ?? "";
  return path.replace(/\.\w{1,8}$/, "").replaceAll("/", " ");
}
