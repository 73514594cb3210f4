import type { Cut, Part } from "./generation.ts";

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
}

/** To be changed if outlines are written differently: those of another format count as missing. */
export const outlineFormat = 1;

/** The pages of a generation with their sections, by index in the order of the source. */
export interface Outline extends OutlineHeader {
  /** The shortest name of each page: that of its operation, or as much of the end of its key as no other page has. */
  readonly names: readonly string[];
  /** The vector of each page. */
  readonly meanings: readonly Int8Array[];
  at(index: number): OutlinePage;
  /** The index of a page, by its key, its address, or an end of its key that no other page has; undefined: there is none. */
  find(name: string): number | undefined;
}

/** An outline as text: lines of JSON, first the header, then the vectors of the pages in Base64, one after the other, then the pages. */
export function writeOutline(header: OutlineHeader, pages: readonly OutlinedPage[]): string {
  const meanings = Buffer.concat(pages.map(({ meaning }) => Buffer.from(meaning.buffer))).toString("base64");
  return [header, meanings, ...pages.map(({ page }) => page)].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads what `writeOutline` wrote; undefined for another format. @throws SyntaxError for invalid JSON */
export function readOutline(text: string): Outline | undefined {
  const [first = "", second = '""', ...lines] = text.trimEnd().split("\n");
  const header = JSON.parse(first) as OutlineHeader;
  if (header.format !== outlineFormat) return undefined;
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
    for (const name of [page, url]) if (!found.has(name)) found.set(name, index);
    const own = shortNames(page, sections);
    for (const name of own) ends.set(name, ends.has(name) && ends.get(name) !== index ? -1 : index);
    endsOf.push([...own, page]);
  }
  const find = (name: string): number | undefined => {
    const index = found.get(name) ?? ends.get(name);
    return index === -1 ? undefined : index;
  };
  return {
    ...header,
    names: endsOf.map((own, index) => own.find((name) => find(name) === index) ?? own.at(-1) ?? ""),
    meanings: Array.from(lines, (_, index) => meanings.subarray(index * dimensions, (index + 1) * dimensions)),
    at,
    find,
  };
}

/** Method and path of an operation. */
const operation = /^[A-Z]{3,7} \/\S*$/;

/** The last one, two and three segments of a key; of an operation of an API description, its method and path. */
function shortNames(page: string, sections: readonly OutlineSection[]): readonly string[] {
  const heading = sections.find(({ heading: one }) => operation.test(one))?.heading;
  if (page.includes("#/") && heading !== undefined) return [heading];
  const segments = page.split("/");
  return [1, 2, 3].filter((count) => count < segments.length).map((count) => segments.slice(-count).join("/"));
}

/** A page, or a section of it, by name. */
export interface Found {
  readonly index: number;
  readonly page: OutlinePage;
  readonly section?: OutlineSection;
  /** The name of a section that the page lacks. */
  readonly missing?: string;
}

/**
 * What an address names: a page by key or address, with `#` and the anchor of a section after it. Line numbers after `#` are those of a
 * source line, and name the page. Undefined: there is no such page.
 */
export function findPlace(outline: Outline, page: string, section?: string): Found | undefined {
  const whole = findPage(outline, page);
  const hash = page.lastIndexOf("#");
  const isWhole = whole !== undefined || hash < 0;
  const index = isWhole ? whole : findPage(outline, page.slice(0, hash));
  if (index === undefined) return undefined;
  const found = outline.at(index);
  const anchor = isWhole ? "" : page.slice(hash + 1);
  const name = section ?? (/^(?:L|lines-)?\d+(?:[-:]L?\d+)?$/.test(anchor) ? "" : anchor);
  if (name === "") return { index, page: found };
  const named = findSection(found, name);
  return { index, page: found, ...(named ? { section: named } : { missing: name }) };
}

/** A page by name, with or without a slash at the beginning. */
function findPage(outline: Outline, name: string): number | undefined {
  return outline.find(name) ?? (name.startsWith("/") ? outline.find(name.slice(1)) : undefined);
}

/** The words of a text in lower case, separated by blanks. */
export function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}

/** Whether a question has the words of the heading of a passage that is held back. */
export function asksForHeld({ heldHeadings }: OutlineHeader, question: string): boolean {
  const asked = ` ${wordsOf(question)} `;
  return heldHeadings.some((heading) => heading.length >= leastHeading && asked.includes(` ${heading} `));
}

/** Minimum length of a heading that a question names, in characters. */
const leastHeading = 5;

/** A section by its anchor or its heading, or by its headings joined with ` > `. */
function findSection({ sections }: OutlinePage, name: string): OutlineSection | undefined {
  const plain = (text: string): string =>
    text
      .replace(/[`*_\s]+/g, " ")
      .trim()
      .toLowerCase();
  const wanted = plain(name.replace(/^#+/, ""));
  const last = plain(name.slice(name.lastIndexOf(" > ") + 3));
  return (
    sections.find(({ anchor }) => anchor === name.replace(/^#/, "")) ??
    sections.find(({ heading }) => plain(heading) === wanted) ??
    (name.includes(" > ") ? sections.find(({ heading }) => plain(heading) === last) : undefined)
  );
}

/** The index of a passage on its page by its ID; -1: it is not of the page. */
export function indexOn({ ids }: OutlinePage, id: string): number {
  const wanted = id.slice(0, idLength);
  for (let at = 0; at < ids.length; at += idLength) if (ids.startsWith(wanted, at)) return at / idLength;
  return -1;
}
