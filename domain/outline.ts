import type { Cut, Part } from "./generation.ts";
import { isSameHeading } from "./markdown.ts";
import { oneLine } from "./one-line.ts";
import { quantity } from "./quantity.ts";
import type { Subject } from "./subject.ts";

/** A section of a page, also one of several in a passage. */
export interface OutlineSection {
  readonly heading: string;
  /** Its name in addresses, unique on the page. */
  readonly anchor: string;
  /** 1 for a section that is in no other one. */
  readonly level: number;
  /** Its passages: index of the first on the page, and number, with those of the sections in it. */
  readonly first: number;
  readonly count: number;
  /** Estimated tokens of its passages. */
  readonly tokens: number;
  /** First and last line in the file; absent if lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
}

/** A page with passages that are served. */
export interface OutlinePage {
  /** Its key: the path in a tree, or its address. */
  readonly page: string;
  /** The address of the page in its passages. */
  readonly url: string;
  readonly title: string;
  /** Estimated tokens of what is served of it. */
  readonly tokens: number;
  /** Number of passages that are held back. */
  readonly held: number;
  /** Indexes of its passages that are not served. */
  readonly absent: readonly number[];
  /** Where its passages are, as in `ManifestPage`. */
  readonly place: readonly [part: number, first: number, count: number];
  /** What is not served of its passages; their lines are counted from the first of the page. */
  readonly cuts: readonly Cut[];
  /** The first `idLength` characters of the IDs of all its passages, in order. */
  readonly ids: string;
  /** In the order of the page. */
  readonly sections: readonly OutlineSection[];
}

/** A page with its vector by the ranker's table. */
export interface OutlinedPage {
  readonly page: OutlinePage;
  readonly meaning: Int8Array;
}

/** Characters of a passage's ID in an outline: unique on a page. */
export const idLength = 6;

/** The facts of an outline besides its pages. */
export interface OutlineHeader {
  readonly format: typeof outlineFormat;
  /** As in `Manifest`. */
  readonly language: string;
  readonly parts: readonly Pick<Part, "key" | "sha256">[];
  /** Number of passages that are held back, also on pages that are left out, as all of them is held back. */
  readonly held: number;
  /** Headings of some of them, in lower case. They are compared with questions, and never shown. */
  readonly heldHeadings: readonly string[];
  readonly subject: Subject;
}

/** To be changed if outlines are written differently: those of another format count as missing. */
export const outlineFormat = 3;

/** The pages of a generation with their sections, by index in the order of the source. */
export interface Outline extends OutlineHeader {
  /** The shortest name of each page: that of its operation, or as much of the end of its key as no other page has. */
  readonly names: readonly string[];
  /** Whether it is of an API description. */
  readonly hasOperations: boolean;
  /** The vector of each page. */
  readonly meanings: readonly Int8Array[];
  at(index: number): OutlinePage;
  /** The index of the page with this key, address or unique suffix of a key; undefined: no such page. */
  find(name: string): number | undefined;
}

/** An outline as text: lines of JSON, first the header, then the vectors of the pages in Base64, one after the other, then the pages. */
export function writeOutline(header: OutlineHeader, pages: readonly OutlinedPage[]): string {
  const meanings = Buffer.concat(pages.map(({ meaning }) => Buffer.from(meaning.buffer))).toString("base64");
  return [header, meanings, ...pages.map(({ page }) => page)].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads the header of what `writeOutline` wrote; undefined for another format. @throws SyntaxError for invalid JSON */
export function readHeader(text: string): OutlineHeader | undefined {
  const header = JSON.parse(text.slice(0, text.indexOf("\n"))) as OutlineHeader;
  return header.format === outlineFormat ? header : undefined;
}

/** Reads what `writeOutline` wrote; undefined for another format. @throws SyntaxError for invalid JSON */
export function readOutline(text: string): Outline | undefined {
  const header = readHeader(text);
  if (header === undefined) return undefined;
  const [, second = '""', ...lines] = text.trimEnd().split("\n");
  // Pages are kept as text, which takes a third of the memory.
  const at = (index: number): OutlinePage => JSON.parse(lines[index] ?? "") as OutlinePage;
  const found = new Map<string, number>();
  /** Index by ends of keys; -1: several pages have it. */
  const ends = new Map<string, number>();
  const endsOf: (readonly string[])[] = [];
  const meanings = new Int8Array(Buffer.from(JSON.parse(second) as string, "base64"));
  const dimensions = meanings.length / Math.max(lines.length, 1);
  for (const index of lines.keys()) {
    const { page, url, sections } = at(index);
    // Shown names are on one line.
    const shown = oneLine(page);
    for (const name of [page, url, shown]) if (!found.has(name)) found.set(name, index);
    const own = shortNames(shown, sections);
    for (const name of own) ends.set(name, ends.has(name) && ends.get(name) !== index ? -1 : index);
    endsOf.push([...own, shown]);
  }
  const find = (name: string): number | undefined => {
    const index = found.get(name) ?? ends.get(name);
    return index === -1 ? undefined : index;
  };
  const names = endsOf.map((own, index) => own.find((name) => find(name) === index) ?? own.at(-1) ?? "");
  return {
    ...header,
    names,
    hasOperations: names.some(isOperation),
    meanings: Array.from(lines, (_, index) => meanings.subarray(index * dimensions, (index + 1) * dimensions)),
    at,
    find,
  };
}

/** Whether a heading or a name is method and path of an operation. */
export function isOperation(name: string): boolean {
  return /^[A-Z]{3,7} \/\S*$/.test(name);
}

/** The last one, two and three segments of a key; of an operation of an API description, its method and path. */
function shortNames(page: string, sections: readonly OutlineSection[]): readonly string[] {
  const heading = sections.find(({ heading: one }) => isOperation(one))?.heading;
  if (page.includes("#/") && heading !== undefined) return [heading];
  const segments = page.split("/");
  return [1, 2, 3]
    .filter((count) => count < segments.length)
    .map((count) => segments.slice(-count).join("/").trim())
    .filter((name) => name !== "");
}

/** A page, or a section of it, by name. */
export interface Found {
  readonly index: number;
  readonly page: OutlinePage;
  readonly section?: OutlineSection;
  /** The name of a section that the page lacks. */
  readonly missing?: string;
}

/** What addresses of passages have after `#` that is no section: lines, also of a file in an archive, and pages or slides of a document. */
const sourcePlace = /^(?:(?:L|lines-)?\d+(?:[-:]L?\d+)?|(?:page|slide)=\d+)$/;

/**
 * What an address names: a page by key or address, with `#` and the anchor of a section after it. The place of a passage after `#`, such as
 * its lines, names the page. Undefined: there is no such page.
 */
export function findPlace(outline: Outline, page: string, section?: string): Found | undefined {
  const index = findPage(outline, page);
  if (index !== undefined) return foundOn(outline, index, section ?? "");
  // A key may have `#` in it, and a heading too.
  for (let hash = page.lastIndexOf("#"); hash > 0; hash = page.lastIndexOf("#", hash - 1)) {
    const before = findPage(outline, page.slice(0, hash));
    if (before === undefined) continue;
    const anchor = page.slice(hash + 1);
    const found = foundOn(outline, before, section ?? anchor);
    return section === undefined && found.missing !== undefined && sourcePlace.test(anchor)
      ? foundOn(outline, before, "")
      : found;
  }
  const lines = page.includes("#") ? /:\d{1,9}-\d{1,9}$/.exec(page) : null;
  return lines === null ? undefined : findPlace(outline, page.slice(0, lines.index), section);
}

function foundOn(outline: Outline, index: number, name: string): Found {
  const page = outline.at(index);
  if (name === "") return { index, page };
  const section = findSection(page, name);
  return { index, page, ...(section ? { section } : { missing: name }) };
}

/** A page by name, with or without a slash at the beginning. */
function findPage(outline: Outline, name: string): number | undefined {
  return outline.find(name) ?? (name.startsWith("/") ? outline.find(name.slice(1)) : undefined);
}

/** The words of a text in lower case, separated by blanks. */
export function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}

/** The sentence on passages of a page, or of more, that the screen holds back. */
export function heldBack(name: string, held: number): string {
  return `${quantity(held, "passage")} of ${oneLine(name)} ${held === 1 ? "is" : "are"} held back by the screen.`;
}

/** Whether a question has the words of the heading of a passage that is held back. */
export function asksForHeld({ heldHeadings }: OutlineHeader, question: string): boolean {
  const asked = ` ${wordsOf(question)} `;
  return heldHeadings.some((heading) => heading.length >= leastHeading && asked.includes(` ${heading} `));
}

/** Minimum length of a heading that a question names, in characters. */
const leastHeading = 5;

/** A section by its anchor or its heading, or by its heading with those above it, joined with ` > `. */
function findSection({ sections }: OutlinePage, name: string): OutlineSection | undefined {
  const anchor = name.replace(/^#/, "");
  const heading = name.replace(/^#+/, "").trim();
  return (
    sections.find((section) => section.anchor === anchor) ??
    sections.find((section) => isSameHeading(section.heading, heading)) ??
    findByPath(sections, heading.split(" > "))
  );
}

/** The first section with the last heading of a path that has the most of the others above it; undefined for a path of one heading. */
function findByPath(sections: readonly OutlineSection[], path: readonly string[]): OutlineSection | undefined {
  const [last = "", ...above] = path.toReversed();
  if (above.length === 0) return undefined;
  const around: OutlineSection[] = [];
  let best: { readonly section: OutlineSection; readonly shared: number } | undefined;
  for (const section of sections) {
    while ((around.at(-1)?.level ?? 0) >= section.level) around.pop();
    if (isSameHeading(section.heading, last)) {
      const shared = above.filter((name) => around.some(({ heading }) => isSameHeading(heading, name))).length;
      if (best === undefined || shared > best.shared) best = { section, shared };
    }
    around.push(section);
  }
  return best?.section;
}

/** The index of a passage on its page by its ID; -1: it is not of the page. */
export function indexOn({ ids }: OutlinePage, id: string): number {
  const wanted = id.slice(0, idLength);
  for (let at = 0; at < ids.length; at += idLength) if (ids.startsWith(wanted, at)) return at / idLength;
  return -1;
}

/** The innermost section in which a passage begins; undefined for one above all sections. */
export function sectionAt({ sections }: OutlinePage, at: number): OutlineSection | undefined {
  return sections.findLast(({ first, count }) => first <= at && at < first + count);
}
