import type { Answer } from "../domain/answering.ts";
import type { Unread } from "../domain/generation.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { languageOf } from "./human-language.ts";

/** What an answer is made of, as far as it tells what is not there. */
export interface Answered extends Pick<Answer, "isIntroduction" | "missing" | "passages"> {
  /** The library and version, as it is shown. */
  readonly answering: string;
  readonly query: string;
  /** Documentation that was not read; absent: none, or not known. */
  readonly unread?: Unread | undefined;
}

/** What of the question is not there and why, in sentences; none where nothing is missing. */
export function notesOf({ answering, query, isIntroduction, missing, passages, unread }: Answered): readonly string[] {
  const isMissing = isIntroduction || missing.length > 0;
  const language = languageNote(query, passages, { isIntroduction, isMissing });
  const words = missing.map((word) => `"${oneLine(word)}"`);
  const last = words.at(-1) ?? "";
  const listed = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${last}` : last;
  return [
    language,
    // Words of another language are all missing.
    words.length === 0 || language !== "" ? "" : `No passage of ${answering} has ${listed}.`,
    // Of a library that is mostly unread the answer may stand there even where every word of the question is found.
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

/** Prose that is looked at to tell its language, in characters. */
const maxProse = 4000;

function languageNote(
  query: string,
  passages: readonly Passage[],
  { isIntroduction, isMissing }: { readonly isIntroduction: boolean; readonly isMissing: boolean },
): string {
  const asked = languageOf(query);
  // Most questions and documents are in English: those that are answered cost nothing more.
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
