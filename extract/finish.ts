import { createHash } from "node:crypto";
import { isSourceCode } from "../domain/addresses.ts";
import type { Counts, Cut, Fold } from "../domain/generation.ts";
import type { PassageFlag } from "../domain/passage.ts";
import { findBoilerplate } from "./boilerplate.ts";
import { createLanguageCount } from "./language.ts";
import { compiledPages, type SeenPage } from "./compiled-pages.ts";
import { countFingerprints, readFingerprint } from "./fingerprints.ts";
import type { PageResult } from "./page.ts";
import { precedenceOf, type PrecedenceFacts } from "./page-precedence.ts";

/** The facts of an indexed page that the passes over all pages need. */
export interface PageSummary extends PrecedenceFacts {
  readonly title: string;
  /** What it says of the library; only for a page that may describe it. */
  readonly description?: string;
  /** Its name for the library; only for a page that may describe it. */
  readonly name?: string;
  /** Number of code blocks by language. */
  readonly languages: Readonly<Record<string, number>>;
  /** Numbers of elements that are not served, as in `PageResult`. */
  readonly dropped?: Readonly<Record<string, number>>;
}

/** The result of the pass over all pages. */
export interface Finished {
  readonly counts: Pick<Counts, "passages" | "code" | "info" | "snippets" | "quarantined" | "duplicates" | "tokens">;
  /** SHA-256 of the served content, hex. */
  readonly contentHash: string;
  /** Passages that are not served because another one has the same text, in the order of their lines. */
  readonly folds: readonly Fold[];
  /** What is left out of passages of a website, in the order of their lines. */
  readonly cuts: readonly Cut[];
  /** The majority language, assumed for code without a language; "" if unknown. */
  readonly language: string;
  /** Name and description of the library in its README; "" without. */
  readonly title: string;
  readonly description: string;
  /** Release keys of the passages with findings that are served. */
  readonly released: readonly string[];
  /** SHA-256 over the release keys of the quarantined passages, hex; undefined without any. */
  readonly held: string | undefined;
  /** The README is in the library's own folder, so it describes only this library. */
  readonly hasOwnReadme: boolean;
}

/** Names of the page that describes a library, the best first. */
const readmes = ["readme.md", "readme.mdx", "readme.markdown", "readme.rst", "readme.txt", "home.md", "home.markdown"];

/** True for a page that may describe its library. */
export function isReadme(path: string): boolean {
  return readmes.includes(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}

export interface FinishOptions {
  /**
   * The library's folder in a tree that it shares with others; "" if the whole tree is its own. A README there is preferred to one at
   * the root.
   */
  readonly folder?: string;
  /** Order of the pages in the content hash: as added, or by key for sources without a fixed order. */
  readonly order?: "source" | "key";
  /** Whether a passage with findings is served, by its `releaseKey`; by default it is not. */
  readonly isReleased?: (key: string) => boolean;
}

/** The pass over all pages of a generation, one by one. It keeps the fingerprint of each passage, about 80 bytes. */
export function createFinisher({ folder = "", order = "source", isReleased = () => false }: FinishOptions = {}) {
  const languages = createLanguageCount();
  const pages: SeenPage[] = [];
  let lines = 0;
  const released = new Set<string>();
  const counts = { passages: 0, code: 0, info: 0, snippets: 0, quarantined: 0, duplicates: 0, tokens: 0 };
  let described = { title: "", description: "", rank: 2 * readmes.length };
  const rankOf = (path: string): number => {
    const slash = path.lastIndexOf("/");
    const place = path.slice(0, Math.max(0, slash));
    const rank = readmes.indexOf(path.slice(slash + 1).toLowerCase());
    if (rank < 0 || (place !== folder && place !== "")) return 2 * readmes.length;
    return place === folder ? rank : rank + readmes.length;
  };

  return {
    /**
     * Adds the next page, in the order of the source, with the packed fingerprints of its passages, and its ends. Returns the flag of each passage;
     * undefined for a passage that is served, unless `finish` folds it.
     */
    take(page: PageSummary, fingerprints: Uint8Array, edges?: Uint32Array): readonly (PassageFlag | undefined)[] {
      const { path, title, name = title, description = "", languages: counted } = page;
      for (const [language, count] of Object.entries(counted)) languages.add(language, count);
      const rank = rankOf(path);
      if (rank < described.rank) {
        // "Home", the first page of a wiki, is no name for a library.
        const isHome = /(?:^|\/)home\.[^/]*$/i.test(path);
        described = { title: isHome ? "" : name, description, rank };
      }
      const flags = Array.from({ length: countFingerprints(fingerprints) }, (_, at): PassageFlag | undefined => {
        const { releaseKey } = readFingerprint(fingerprints, at);
        if (releaseKey === "") return undefined;
        if (!isReleased(releaseKey)) return "quarantined";
        released.add(releaseKey);
        return undefined;
      });
      const { generated = false } = page;
      pages.push({
        path,
        title,
        precedence: precedenceOf(page),
        generated,
        firstLine: lines,
        fingerprints,
        flags,
        edges,
      });
      lines += flags.length;
      return flags;
    },
    /** Ends the pass; call it last. */
    finish(): Finished {
      const language = languages.majority();
      const ordered = order === "source" ? pages : pages.toSorted((one, other) => byPath(one.path, other.path));
      const folds = foldCopies(ordered);
      const folded = new Set(folds.map(({ line }) => line));
      const cuts = findBoilerplate(ordered, folded);
      const cutAt = new Map(cuts.map((cut) => [cut.line, cut]));
      const hash = createHash("sha256");
      const held = createHash("sha256");
      for (const { fingerprints, flags, firstLine } of ordered) {
        for (const [at, flag] of flags.entries()) {
          const { digest, examples, hasProse, hasOwnProse, tokens, releaseKey } = readFingerprint(fingerprints, at);
          hash.update(digest);
          if (flag !== undefined) {
            counts.quarantined += 1;
            held.update(releaseKey);
          } else if (folded.has(firstLine + at)) {
            counts.duplicates += 1;
            hash.update("folded");
          } else if (cutAt.get(firstLine + at)?.parts.length === 0) counts.duplicates += 1;
          else {
            counts.passages += 1;
            counts.code += examples;
            counts.info += hasProse ? 1 : 0;
            counts.snippets += examples + (hasOwnProse ? 1 : 0);
            counts.tokens += tokens - (cutAt.get(firstLine + at)?.tokens ?? 0);
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
        cuts: cuts.map(({ line, parts }) => ({ line, parts })).toSorted((one, other) => one.line - other.line),
        language,
        title,
        description,
        released: [...released].toSorted(),
        held: counts.quarantined > 0 ? held.digest("hex") : undefined,
        hasOwnReadme,
      };
    },
  };
}

function byPath(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * Counts the code blocks of a page by language, for the library's default language. Sources do not count: the commands that documents show
 * are mostly in another one.
 */
export function countLanguages(path: string, codes: readonly { readonly language: string }[]): Record<string, number> {
  if (isSourceCode(path)) return {};
  const groups = Map.groupBy(codes, ({ language }) => language);
  return Object.fromEntries(Array.from(groups, ([language, { length }]) => [language, length]));
}

/** Summarises an indexed page for the finishing pass. */
export function summarise(path: string, result: Extract<PageResult, { outcome: "indexed" }>): PageSummary {
  const blocks = result.passages.flatMap((passage) => passage.blocks);
  const codes = blocks.flatMap((block) => (block.type === "code" ? block.codes : []));
  const { title, description, name, generated, dropped } = result;
  return {
    path,
    title,
    languages: countLanguages(path, codes),
    ...(generated && { generated }),
    ...(dropped && { dropped }),
    ...(isReadme(path) && { description, ...(name !== undefined && { name }) }),
  };
}

/**
 * The passages whose text another passage has, in the order of their lines. The passage of the page with the lowest precedence number
 * is kept, then that of the first page. Passages of compiled pages are replaced by those of their parts. Quarantined passages are
 * neither copies nor originals.
 */
function foldCopies(pages: readonly SeenPage[]): Fold[] {
  const kept = new Map<string, number>();
  /** The first passage under each heading, on pages that a generated page may come from. */
  const written = new Map<string, number>();
  const folds: Fold[] = [];
  const compiled = compiledPages(pages);
  const replaced = new Map<number, number>();
  const order = (page: SeenPage): number => (compiled.has(page) ? page.flags.length : 0);
  for (const page of pages.toSorted((a, b) => order(a) - order(b) || a.precedence - b.precedence)) {
    const { path, title, precedence, firstLine, fingerprints, flags, generated } = page;
    const edited = generated ? passagesUnderHeadings(page, written) : undefined;
    // Fragments, old versions and tests share headings with pages that are no copies of them.
    const isSource = !generated && precedence < 1;
    for (const [at, flag] of flags.entries()) {
      if (flag !== undefined) continue;
      const line = firstLine + at;
      const { sameness, heading } = readFingerprint(fingerprints, at);
      const part = compiled.get(page)?.[at];
      const into = kept.get(sameness) ?? (part === undefined ? edited?.[at] : (replaced.get(part) ?? part));
      if (isSource && !written.has(heading)) written.set(heading, into ?? line);
      if (into === undefined) kept.set(sameness, line);
      else {
        folds.push({ line, into, place: `${path} ${title}` });
        replaced.set(line, into);
      }
    }
  }
  return folds.toSorted((one, other) => one.line - other.line);
}

/** Minimum number of headings to match a generated page with its sources: fewer may be on any page. */
const minHeadings = 5;
/** Minimum share of a generated page's headings that its sources have. */
const madeOfShare = 0.8;

/**
 * For each passage of a generated page, the source page's passage under the same heading, or under the last known heading before it;
 * undefined if the sources are missing. The text may differ, as the sources may have been edited since.
 */
function passagesUnderHeadings(
  { fingerprints, flags }: SeenPage,
  written: ReadonlyMap<string, number>,
): readonly (number | undefined)[] | undefined {
  const headings = flags.map((_, at) => readFingerprint(fingerprints, at).heading);
  const all = new Set(headings);
  const known = [...all].filter((heading) => written.has(heading));
  if (all.size < minHeadings || known.length < all.size * madeOfShare) return undefined;
  let last = known[0];
  return headings.map((heading) => {
    if (written.has(heading)) last = heading;
    return last === undefined ? undefined : written.get(last);
  });
}
