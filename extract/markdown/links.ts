import { fillVariables } from "./variables.ts";
import type { ValueOf } from "./variables.ts";

/** Resolves reference links, footnotes and variables of a page, so that a part of it can be read alone. */
export interface Links {
  /** Writes `[text][name]` and `[name]` with the addresses that the page defines; `[text][name]` without one becomes its text. */
  resolve(markdown: string): string;
  /** Writes variables as their values. */
  fill(markdown: string): string;
  /** Replaces references to footnotes by the notes where those are short, and drops the others. */
  inlineFootnotes(markdown: string): string;
}

/** Maximum length of an address that is written in place of its name, in characters. */
const maxAddressLength = 300;
/** Maximum length of a footnote that is written into a description, in characters. */
const maxInlineNoteLength = 120;

// Code spans; else not an image, not a definition, not a checkbox, and not `[text](address)`.
const reference =
  /(?<!`)`+[^`\n]{1,500}`+|(?<![!\\\]\w])\[((?:[^[\]\n\\]|\\.|\n(?![ \t>]*\n)){1,200})\](?:\[([^[\]\n]{0,200})\](?![([])|(?![(:[\]]))/g;
const mark = /\[\^([^\]\s[]{1,100})\]/g;

/**
 * `addressOf` finds the address of a reference, undefined on pages without definitions; `footnotes` are those of the page by label, `valueOf`
 * finds what its front matter says of a name. `budget`: maximum number of characters that are added to the page in all, which keeps
 * references to long addresses from blowing it up.
 */
export function createLinks(
  addressOf: ((name: string) => string | undefined) | undefined,
  footnotes: ReadonlyMap<string, string>,
  budget: number,
  valueOf: ValueOf,
): Links {
  let left = budget;
  return {
    resolve(markdown) {
      if (addressOf === undefined && !markdown.includes("][")) return markdown;
      return markdown.replace(reference, (whole, text: string | undefined, name: string | undefined) => {
        if (text === undefined || text.startsWith("^") || left <= 0) return whole;
        const address = addressOf?.(name === undefined || name === "" ? text : name);
        // A name that the page does not define is defined elsewhere, as those of mkdocstrings are.
        if (address === undefined || address.length > maxAddressLength) return name === undefined ? whole : text;
        left -= address.length;
        return `[${text}](${address})`;
      });
    },
    fill: (markdown) => fillVariables(markdown, valueOf),
    inlineFootnotes(markdown) {
      if (!markdown.includes("[^")) return markdown;
      return markdown.replace(mark, (_, name: string) => {
        const note = footnotes.get(name) ?? "";
        if (note === "" || note.length > maxInlineNoteLength || left <= 0) return "";
        left -= note.length;
        return ` (${note.replace(/(?<![.\s])[.\s]+$/, "")})`;
      });
    },
  };
}

/** Labels of the footnotes that a text refers to, each once. */
export function footnotesIn(markdown: string): readonly string[] {
  if (!markdown.includes("[^")) return [];
  return [...new Set([...markdown.matchAll(mark)].map(([, name = ""]) => name))];
}

const note = /^[ \t>]{0,12}\[\^([^\]\s[]{1,100})\]:[ \t]*(?![ \t])(.*)$/;
/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNoteLength = 1000;

/** Adds the footnotes that a paragraph defines; false where it defines none. Lines behind a footnote's first go on with it. */
export function readFootnotes(paragraph: string, footnotes: Map<string, string>): boolean {
  if (!/^[ \t>]{0,12}\[\^/.test(paragraph)) return false;
  let name: string | undefined;
  for (const line of paragraph.split("\n")) {
    const [, label, text = ""] = note.exec(line) ?? [];
    if (label !== undefined) name = label;
    if (name === undefined) return false;
    const before = label === undefined ? `${footnotes.get(name) ?? ""} ` : "";
    if (before.length < maxNoteLength)
      footnotes.set(name, (before + (label === undefined ? line.trim() : text)).trim().slice(0, maxNoteLength));
  }
  return true;
}
