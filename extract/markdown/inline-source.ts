import { haveNamedAnchors, withoutAnchor } from "./headings.ts";
import { outsideFormulas } from "./inline-rules.ts";
import { stripAttributes } from "./tags.ts";
import { fillVariables, type ValueOf } from "./variables.ts";

/** Icons of Material for MkDocs. */
const icon = /`[^`\n]{0,500}`|:(?:material|octicons|fontawesome|simple)-[\w-]{1,80}:/g;
/** An import on a page of Docusaurus, whose `.md` files are MDX. */
const importLine = /^import [\w$*{}, ]{1,200} from ["'][^"'\n]{1,300}["'];?[ \t]*$/gm;
/** A space of MDX that is written as an expression, to be kept. */
const spacer = /`[^`\n]{0,500}`|\{[ \t]*(["'])[ \t]*\1[ \t]*\}|\{[ \t]*`[ \t]*`[ \t]*\}/g;
/** Code spans and comments of MDX. */
const comment = /(?<!`)`+[^`\n]{1,500}`+|\{\/\*[^]*?\*\/\}/g;
/** Code spans, and links by name that are not images or definitions. */
const reference =
  /(?<!`)`+[^`\n]{1,500}`+|(?<![!\\\]\w])\[((?:[^[\]\n\\]|\\.|\n(?![ \t>]*\n)){1,200})\]\[([^[\]\n]{0,200})\](?![([])/g;

/**
 * Prepares the source of a paragraph, heading or cell for the parser: variables get their values, and what only a generator reads is
 * removed. Code spans and formulas stay.
 */
export function inlineSource(
  source: string,
  mdx: boolean,
  valueOf: ValueOf,
  isDefined: (name: string) => boolean,
): string {
  return outsideFormulas(source, (text) => prepared(text, mdx, valueOf, isDefined));
}

function prepared(source: string, mdx: boolean, valueOf: ValueOf, isDefined: (name: string) => boolean): string {
  let text = fillVariables(source, valueOf);
  if (text.includes("{/*")) {
    // Searched only as far as a comment can end, or code round it, so that those without an end cost nothing.
    const end = text.lastIndexOf("*/}") + 503;
    text = text.slice(0, end).replace(comment, keepCode) + text.slice(end);
    // One that nothing closes extends to the end.
    if (mdx && !text.includes("`{/*")) text = text.replace(/\{\/\*[^]*$/, "");
  }
  if (mdx && text.includes("{"))
    text = text.replace(spacer, (whole) => (whole.length > 2 && whole.startsWith("`") ? whole : " "));
  if (text.includes("{") || text.includes("[](")) text = stripAttributes(text);
  // A name without definition on the page may be defined elsewhere, as with mkdocstrings.
  if (text.includes("]["))
    text = text.replace(reference, (whole, words: string | undefined, name = "") =>
      words === undefined || words.startsWith("^") || isDefined(name === "" ? words : name) ? whole : words,
    );
  if (/:(?:m|o|f|s)\w{5,10}-/.test(text)) text = text.replace(icon, keepCode);
  return text.includes("import ") ? text.replace(importLine, "") : text;
}

function keepCode(whole: string): string {
  return whole.startsWith("`") ? whole : "";
}

/** Removes the anchors at the end of a page's headings. `headings` are their sources. */
export function anchorRemover(headings: readonly string[]): (source: string) => string {
  const areNamed = haveNamedAnchors(headings);
  return (source) => withoutAnchor(source, areNamed);
}
