import { fillVariables, type ValueOf } from "./variables.ts";

export type Links = ReturnType<typeof createLinks>;

/** Maximum length of an address that is resolved, in characters. */
const maxAddressLength = 300;
/** Maximum length of a footnote that is inlined, in characters. */
const maxInlineNoteLength = 120;

// Code spans; else not an image, not a definition, not a checkbox, and not `[text](address)`.
const reference =
  /(?<!`)`+[^`\n]{1,500}`+|(?<![!\\\]\w])\[((?:[^[\]\n\\]|\\.|\n(?![ \t>]*\n)){1,200})\](?:\[([^[\]\n]{0,200})\](?![([])|(?![(:[\]]))/g;
const mark = /\[\^([^\]\s[]{1,100})\]/g;

/**
 * Resolves reference links, footnotes and variables of a page, so that each part can be read alone. `addressOf` is undefined for
 * pages without link definitions. `budget` is the maximum number of characters added to the page, as references may repeat long
 * addresses.
 */
export function createLinks(
  addressOf: ((name: string) => string | undefined) | undefined,
  footnotes: ReadonlyMap<string, string>,
  budget: number,
  valueOf: ValueOf,
) {
  let left = budget;
  return {
    /** Writes `[text][name]` and `[name]` with the addresses that the page defines; without one, `[text][name]` becomes its text. */
    resolve(markdown: string): string {
      if (addressOf === undefined && !markdown.includes("][")) return markdown;
      return markdown.replace(reference, (whole, text: string | undefined, name: string | undefined) => {
        if (text === undefined || text.startsWith("^") || left <= 0) return whole;
        const address = addressOf?.(name === undefined || name === "" ? text : name);
        // A name without definition on the page may be defined elsewhere, as with mkdocstrings.
        if (address === undefined || address.length > maxAddressLength) return name === undefined ? whole : text;
        left -= address.length;
        return `[${text}](${address})`;
      });
    },
    /** Replaces variables by their values. */
    fill: (markdown: string): string => fillVariables(markdown, valueOf),
    /** Replaces references to footnotes by short notes, and drops references to long ones. */
    inlineFootnotes(markdown: string): string {
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

/** Labels of the footnotes that a text refers to, without duplicates. */
export function footnotesIn(markdown: string): readonly string[] {
  if (!markdown.includes("[^")) return [];
  return [...new Set([...markdown.matchAll(mark)].map(([, name = ""]) => name))];
}

const note = /^[ \t>]{0,12}\[\^([^\]\s[]{1,100})\]:[ \t]*(?![ \t])(.*)$/;
/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNoteLength = 1000;

/** Adds the footnotes that a paragraph defines, with their continuation lines; false if it defines none. */
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
