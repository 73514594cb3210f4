import { outlineFormat, readOutline, writeOutline, type Outline, type OutlinePage } from "../../domain/outline.ts";
import type { Subject } from "../../domain/subject.ts";
import { readPassage, type Passage } from "../../domain/passage.ts";
import { outlineOf } from "../../extract/outline.ts";
import { toLines } from "../../extract/passage-lines.ts";
import { extract } from "../extract/extract.ts";
import { gitSpec } from "./git-spec.ts";

/** The address below which the pages of these tests are. */
export const base = "https://git.example.com/acme/widgets/blob/c0ffee/";

/** Prose of a number of sentences, about 25 tokens each: five are enough for a section to be a passage of its own. */
export function proseOf(name: string, sentences = 6): string {
  return Array.from(
    { length: sentences },
    (_, at) =>
      `Sentence ${at} on ${name} tells something that no other one does, of which nobody knows more than number ${at}.`,
  ).join("\n\n");
}

/** The passages of a page of a repository. */
export function passagesIn(path: string, text: string): readonly Passage[] {
  const source = { spec: gitSpec("https://git.example.com/acme/widgets"), revision: "c0ffee" };
  return toLines({ path, url: base + path }, extract(path, text), source).map(({ line }) => readPassage(line));
}

/** A passage that the screen holds back. */
export function held(passage: Passage): Passage {
  return { ...passage, findings: ["override"], flags: ["quarantined"] };
}

/** The outline of a page with some passages; undefined if nothing of it is served. */
export function outlinePage(
  page: string,
  passages: readonly Passage[],
  { at = 0, cuts = [] }: { readonly at?: number; readonly cuts?: OutlinePage["cuts"] } = {},
): OutlinePage | undefined {
  return outlineOf({ page, passages, place: [at, 0, passages.length], cuts }, () => new Int8Array(2))?.page;
}

/** What a generation without words is about. */
export const subject: Subject = { titles: { total: 0, words: [] }, passages: { total: 0, words: [] } };

/** The outline of some pages. */
export function outlineFor(pages: readonly (OutlinePage | undefined)[]): Outline {
  const served = pages.filter((page) => page !== undefined);
  const header = { format: outlineFormat, language: "", parts: [], held: 0, heldHeadings: [], subject } as const;
  const meaning = new Int8Array(2);
  const outline = readOutline(
    writeOutline(
      header,
      served.map((page) => ({ page, meaning })),
    ),
  );
  if (outline === undefined) throw new Error("The outline has another format.");
  return outline;
}

/** The outline of pages of Markdown by their paths. */
export function outlineOfTexts(texts: Readonly<Record<string, string>>): Outline {
  return outlineFor(Object.entries(texts).map(([path, text]) => outlinePage(path, passagesIn(path, text))));
}
