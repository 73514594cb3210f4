import type { Answer } from "../domain/answering.ts";
import type { Unread } from "../domain/generation.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { languageOf } from "./human-language.ts";

/** An answer, as far as its notes depend on it. */
export interface Answered extends Pick<Answer, "isIntroduction" | "missing" | "passages"> {
  /** Library and version, for display. */
  readonly answering: string;
  readonly query: string;
  /** Documentation in formats that are not read; absent: none, or unknown. */
  readonly unread?: Unread | undefined;
}

/** Notes on what the library lacks of the question, in sentences; empty: nothing is missing. */
export function notesOf({ answering, query, isIntroduction, missing, passages, unread }: Answered): readonly string[] {
  const isMissing = isIntroduction || missing.length > 0;
  const language = languageNote(query, passages, { isIntroduction, isMissing });
  const words = missing.map((word) => `"${oneLine(word)}"`);
  const last = words.at(-1) ?? "";
  const listed = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${last}` : last;
  return [
    language,
    // All words of another language are missing.
    words.length === 0 || language !== "" ? "" : `No passage of ${answering} has ${listed}.`,
    // Where most documentation is not read, the answer may be there even if every word was found.
    unread !== undefined && (isMissing || unread.isMost === true) ? unreadNote(unread) : "",
  ].filter((note) => note !== "");
}

function unreadNote({ formats, website }: Unread): string {
  const where =
    website === undefined
      ? "If this documentation has a website, add that: lectern add <address>"
      : `Its website is: lectern add ${oneLine(website)}`;
  return `Not read: ${oneLine(formats)}. ${where}`;
}

/** Length of prose by which its language is detected, in characters. */
const maxProse = 4000;

function languageNote(
  query: string,
  passages: readonly Passage[],
  { isIntroduction, isMissing }: { readonly isIntroduction: boolean; readonly isMissing: boolean },
): string {
  const asked = languageOf(query);
  // Most questions and documents are in English: the language of an answer is detected only where a word is missing.
  if (asked === undefined || (asked === "English" && !isMissing)) return "";
  let prose = "";
  for (const block of passages.flatMap(({ blocks }) => blocks)) {
    if (block.type === "prose" && prose.length < maxProse) prose += `${block.markdown.slice(0, maxProse)}\n`;
  }
  const written = languageOf(prose);
  if (written === asked || (written === undefined && (!isIntroduction || asked === "English"))) return "";
  const there =
    written === undefined
      ? "the documentation may be in another language: ask in that"
      : `the documentation in ${written}: ask in ${written}`;
  return `The question is in ${asked}, ${there}.`;
}
