import { createHash } from "node:crypto";
import type { Counts, SnippetFlag } from "../domain/snippet.ts";
import { createLanguageCount } from "./language.ts";
import { countMarks, readMark } from "./marks.ts";
import { createNearTexts } from "./near.ts";
import type { PageResult } from "./page.ts";

/** What the passes over all pages need to know of one that was indexed. */
export interface PageSummary {
  readonly path: string;
  readonly title: string;
  /** First paragraph; only of a page that may describe the whole library. */
  readonly description?: string;
  /** Blocks of code in each language. */
  readonly languages: Readonly<Record<string, number>>;
}

/** What is known once every page has been taken. */
export interface Finished {
  readonly counts: Pick<Counts, "code" | "info" | "quarantined" | "duplicates" | "tokens">;
  /** SHA-256 over what is served, hex. */
  readonly contentHash: string;
  /** What most code of the library is in, "" where nothing tells: the language of code that names none. */
  readonly language: string;
  /** What the README says the library is, "" where it says nothing. */
  readonly title: string;
  readonly description: string;
  /** Keys of the snippets that are served although the screen has found something in them. */
  readonly released: readonly string[];
  /** The README is that of the library's own folder, which speaks of nothing else. */
  readonly hasOwnReadme: boolean;
}

/** The pass over all pages of a library, which sees them one by one. It keeps hashes, signatures and counters only. */
export interface Finisher {
  /**
   * Takes the next page with the marks of its snippets (`packMarks`), in the order of the source; answers why each is not
   * served, undefined where it is. A duplicate is one of an earlier snippet, or nearly of one below the same headings of another
   * page, as of a copy for another version. Elsewhere small differences are what the pages are about: the same example for
   * another function, an option on and off.
   */
  take(page: PageSummary, marks: Uint8Array): readonly (SnippetFlag | undefined)[];
  /** What there is to know of all. Nothing is taken after that. */
  finish(): Finished;
}

/** Names of the page that describes a library, the best first. */
const readmes = ["readme.md", "readme.mdx", "readme.markdown", "readme.txt", "home.md", "home.markdown"];

export interface FinishOptions {
  /**
   * The folder that the library has in a tree that it shares with others, "" if all of the tree is its own: a README there
   * describes it before the one at the root.
   */
  readonly folder?: string;
  /** Order of the pages in the content hash: as they are taken, or by their keys if a source finds them in any order. */
  readonly order?: "source" | "key";
  /** Whether a snippet is served although the screen has found something in it, by its `releaseKey`; by default none is. */
  readonly isReleased?: (key: string) => boolean;
}

/** Creates the finishing pass for one generation. */
export function createFinisher({
  folder = "",
  order = "source",
  isReleased = () => false,
}: FinishOptions = {}): Finisher {
  const languages = createLanguageCount();
  const seen = new Set<string>();
  const near = createNearTexts();
  let page = { path: "", number: 0 };
  let hash = createHash("sha256");
  const pageHashes = new Map<string, string>();
  /** Ends the hash of the page at hand. */
  const endPage = (): void => {
    if (order === "source") return;
    if (page.number > 0) pageHashes.set(page.path, hash.digest("hex"));
    hash = createHash("sha256");
  };
  const released = new Set<string>();
  const counts = { code: 0, info: 0, quarantined: 0, duplicates: 0, tokens: 0 };
  let described = { title: "", description: "", rank: 2 * readmes.length };
  const rankOf = (path: string): number => {
    const slash = path.lastIndexOf("/");
    const place = path.slice(0, Math.max(0, slash));
    const rank = readmes.indexOf(path.slice(slash + 1).toLowerCase());
    if (rank < 0 || (place !== folder && place !== "")) return 2 * readmes.length;
    return place === folder ? rank : rank + readmes.length;
  };

  return {
    take({ path, title, description = "", languages: found }, marks) {
      for (const [language, count] of Object.entries(found)) languages.add(language, count);
      const rank = rankOf(path);
      if (rank < described.rank) {
        // The first page of a wiki is called "Home", which is no name for a library.
        const isHome = /(?:^|\/)home\.[^/]*$/i.test(path);
        described = { title: isHome ? "" : title, description, rank };
      }
      if (path !== page.path) {
        endPage();
        page = { path, number: page.number + 1 };
      }
      return Array.from({ length: countMarks(marks) }, (_, at) => {
        const { digest, sameness, signature, group, kind, tokens, releaseKey } = readMark(marks, at);
        hash.update(digest);
        if (releaseKey !== "" && !isReleased(releaseKey)) {
          // It is not served, so a later one is no duplicate of it.
          counts.quarantined += 1;
          return "quarantined";
        }
        if (releaseKey !== "") released.add(releaseKey);
        if (seen.has(sameness) || (signature !== undefined && near.take(signature, page.number, group))) {
          counts.duplicates += 1;
          // Which copy is the first depends on the order of the pages.
          if (order === "source") hash.update("duplicate");
          return "duplicate";
        }
        seen.add(sameness);
        counts[kind] += 1;
        counts.tokens += tokens;
        return undefined;
      });
    },
    finish() {
      const language = languages.majority();
      endPage();
      for (const [path, digest] of [...pageHashes].toSorted(([one], [other]) => (one < other ? -1 : 1)))
        hash.update(`${path}\0${digest}\n`);
      const { title, description, rank } = described;
      const hasOwnReadme = folder !== "" && rank < readmes.length && title !== "";
      const contentHash = hash.update(language).digest("hex");
      return { counts, contentHash, language, title, description, released: [...released].toSorted(), hasOwnReadme };
    },
  };
}

/** What the finishing pass needs of an indexed page. */
export function summarise(path: string, result: Extract<PageResult, { outcome: "indexed" }>): PageSummary {
  const languages: Record<string, number> = {};
  for (const { codes } of result.snippets) {
    for (const { language } of codes) languages[language] = (languages[language] ?? 0) + 1;
  }
  const describes = readmes.includes(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
  return { path, title: result.title, languages, ...(describes && { description: result.description }) };
}
