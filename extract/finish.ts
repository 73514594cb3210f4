import { createHash } from "node:crypto";
import type { Counts, Fold } from "../domain/generation.ts";
import type { PassageFlag } from "../domain/passage.ts";
import { createLanguageCount } from "./language.ts";
import { gatheredPages } from "./gathered.ts";
import { countMarks, readMark } from "./marks.ts";
import type { ExtractedCode, ExtractedPassage, PageResult } from "./page.ts";
import { standingOf } from "./standing.ts";
import type { StandingPage } from "./standing.ts";

/** What the passes over all pages need to know of one that was indexed. */
export interface PageSummary extends StandingPage {
  readonly title: string;
  /** First paragraph; only of a page that may describe the whole library. */
  readonly description?: string;
  /** What it calls the library; only of such a page. */
  readonly name?: string;
  /** Blocks of code in each language. */
  readonly languages: Readonly<Record<string, number>>;
}

/** What is known once every page has been taken. */
export interface Finished {
  readonly counts: Pick<Counts, "passages" | "code" | "info" | "quarantined" | "duplicates" | "tokens">;
  /** SHA-256 over what is served, hex. */
  readonly contentHash: string;
  /** Passages that are not served as another one says the same, in the order of their lines. */
  readonly folds: readonly Fold[];
  /** What most code of the library is in, "" where nothing tells: the language of code that names none. */
  readonly language: string;
  /** What the README says the library is, "" where it says nothing. */
  readonly title: string;
  readonly description: string;
  /** Keys of the passages that are served although the screen has found something in them. */
  readonly released: readonly string[];
  /** The README is that of the library's own folder, which speaks of nothing else. */
  readonly hasOwnReadme: boolean;
}

/** The pass over all pages of a library, which sees them one by one. It keeps the marks of their passages, some 80 bytes each. */
export interface Finisher {
  /**
   * Takes the next page with the marks of its passages (`packMarks`), in the order of the source; answers why each is not
   * served, undefined where it is unless `finish` folds it.
   */
  take(page: PageSummary, marks: Uint8Array): readonly (PassageFlag | undefined)[];
  /** What there is to know of all. Nothing is taken after that. */
  finish(): Finished;
}

/** Names of the page that describes a library, the best first. */
const readmes: readonly string[] = [
  "readme.md",
  "readme.mdx",
  "readme.markdown",
  "readme.txt",
  "home.md",
  "home.markdown",
];

/** True for a page that may describe its library. */
export function isReadme(path: string): boolean {
  return readmes.includes(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}

export interface FinishOptions {
  /**
   * The folder that the library has in a tree that it shares with others, "" if all of the tree is its own: a README there
   * describes it before the one at the root.
   */
  readonly folder?: string;
  /** Order of the pages in the content hash: as they are taken, or by their keys if a source finds them in any order. */
  readonly order?: "source" | "key";
  /** Whether a passage is served although the screen has found something in it, by its `releaseKey`; by default none is. */
  readonly isReleased?: (key: string) => boolean;
}

/** Creates the finishing pass for one generation. */
export function createFinisher({
  folder = "",
  order = "source",
  isReleased = () => false,
}: FinishOptions = {}): Finisher {
  const languages = createLanguageCount();
  const pages: FinishedPage[] = [];
  let lines = 0;
  const released = new Set<string>();
  const counts = { passages: 0, code: 0, info: 0, quarantined: 0, duplicates: 0, tokens: 0 };
  let described = { title: "", description: "", rank: 2 * readmes.length };
  const rankOf = (path: string): number => {
    const slash = path.lastIndexOf("/");
    const place = path.slice(0, Math.max(0, slash));
    const rank = readmes.indexOf(path.slice(slash + 1).toLowerCase());
    if (rank < 0 || (place !== folder && place !== "")) return 2 * readmes.length;
    return place === folder ? rank : rank + readmes.length;
  };

  return {
    take(page, marks) {
      const { path, title, name = title, description = "", languages: found } = page;
      for (const [language, count] of Object.entries(found)) languages.add(language, count);
      const rank = rankOf(path);
      if (rank < described.rank) {
        // The first page of a wiki is called "Home", which is no name for a library.
        const isHome = /(?:^|\/)home\.[^/]*$/i.test(path);
        described = { title: isHome ? "" : name, description, rank };
      }
      const flags = Array.from({ length: countMarks(marks) }, (_, at) => {
        const { releaseKey } = readMark(marks, at);
        if (releaseKey === "") return undefined;
        if (!isReleased(releaseKey)) return "quarantined";
        released.add(releaseKey);
        return undefined;
      });
      const { generated = false } = page;
      pages.push({ path, title, standing: standingOf(page), generated, firstLine: lines, marks, flags });
      lines += flags.length;
      return flags;
    },
    finish() {
      const language = languages.majority();
      const ordered = order === "source" ? pages : pages.toSorted((one, other) => byPath(one.path, other.path));
      const folds = foldCopies(ordered);
      const folded = new Set(folds.map(({ line }) => line));
      const hash = createHash("sha256");
      for (const { marks, flags, firstLine } of ordered) {
        for (const [at, flag] of flags.entries()) {
          const { digest, examples, hasProse, tokens } = readMark(marks, at);
          hash.update(digest);
          if (flag !== undefined) counts.quarantined += 1;
          else if (folded.has(firstLine + at)) {
            counts.duplicates += 1;
            hash.update("folded");
          } else {
            counts.passages += 1;
            counts.code += examples;
            counts.info += hasProse ? 1 : 0;
            counts.tokens += tokens;
          }
        }
      }
      const { title, description, rank } = described;
      const hasOwnReadme = folder !== "" && rank < readmes.length && title !== "";
      const contentHash = hash.update(language).digest("hex");
      return {
        counts,
        contentHash,
        folds,
        language,
        title,
        description,
        released: [...released].toSorted(),
        hasOwnReadme,
      };
    },
  };
}

/** A page that was taken. */
interface FinishedPage {
  readonly path: string;
  readonly title: string;
  readonly standing: number;
  readonly generated: boolean;
  /** The line of its first passage in all parts. */
  readonly firstLine: number;
  readonly marks: Uint8Array;
  readonly flags: readonly (PassageFlag | undefined)[];
}

function byPath(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * The passages that say what another one says. What stays is that of the page with the best standing, then of the first one; pages that were
 * put together of others give way to those. What is
 * quarantined is no copy, and has none.
 */
function foldCopies(pages: readonly FinishedPage[]): Fold[] {
  const kept = new Map<string, number>();
  /** The first passage under a heading, of pages that a generated one may have been made of. */
  const written = new Map<string, number>();
  const folds: Fold[] = [];
  const gathered = gatheredPages(pages);
  const given = new Map<number, number>();
  const order = (page: FinishedPage): number => (gathered.has(page) ? page.flags.length : 0);
  for (const page of pages.toSorted((a, b) => order(a) - order(b) || a.standing - b.standing)) {
    const { path, title, standing, firstLine, marks, flags, generated } = page;
    const edited = generated ? editedIn(page, written) : undefined;
    // Fragments, old versions and tests have the headings of pages that are no copies of theirs.
    const isSource = !generated && standing < 1;
    for (const [at, flag] of flags.entries()) {
      if (flag !== undefined) continue;
      const line = firstLine + at;
      const { sameness, heading } = readMark(marks, at);
      const part = gathered.get(page)?.[at];
      const into = kept.get(sameness) ?? (part === undefined ? edited?.[at] : (given.get(part) ?? part));
      if (isSource && !written.has(heading)) written.set(heading, into ?? line);
      if (into === undefined) kept.set(sameness, line);
      else {
        folds.push({ line, into, place: `${path} ${title}` });
        given.set(line, into);
      }
    }
  }
  return folds.toSorted((one, other) => one.line - other.line);
}

/** Fewer headings than that may be those of any page. */
const leastHeadings = 5;
/** Share of its headings that a generated page has in common with the pages that it was made of. */
const madeOfShare = 0.8;

/**
 * Of a generated page that was made of others which are here too: for each passage the one that stands under its heading there, or
 * under the last one before it; undefined for any other page. The text may differ, as what it was made of has been edited since.
 */
function editedIn(
  { marks, flags }: FinishedPage,
  written: ReadonlyMap<string, number>,
): readonly (number | undefined)[] | undefined {
  const headings = flags.map((_, at) => readMark(marks, at).heading);
  const all = new Set(headings);
  const known = [...all].filter((heading) => written.has(heading));
  if (all.size < leastHeadings || known.length < all.size * madeOfShare) return undefined;
  let last = known[0];
  return headings.map((heading) => {
    if (written.has(heading)) last = heading;
    return last === undefined ? undefined : written.get(last);
  });
}

/** What the finishing pass needs of an indexed page. */
export function summarise(path: string, result: Extract<PageResult, { outcome: "indexed" }>): PageSummary {
  const languages: Record<string, number> = {};
  for (const passage of result.passages) {
    for (const { language } of codesIn(passage)) languages[language] = (languages[language] ?? 0) + 1;
  }
  const { title, description, name, generated } = result;
  return {
    path,
    title,
    languages,
    ...(generated && { generated }),
    ...(isReadme(path) && { description, ...(name !== undefined && { name }) }),
  };
}

function codesIn({ blocks }: ExtractedPassage): readonly ExtractedCode[] {
  return blocks.flatMap((block) => (block.type === "code" ? block.codes : []));
}
