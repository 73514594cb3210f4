import type { LibraryEntry } from "../domain/ports.ts";
import { analyse } from "../ranking/analyse.ts";
import { foldName, shortName } from "../ranking/names.ts";

/** Words of a description that are indexed. */
const describedWords = 100;
/** Words of a text in which a library's name is looked for, and how many of them may spell it together. */
const readWords = 12;
const nameLengths = [1, 2, 3, 4];

/** The analysed words that a library is found by, each once: of its names and of its description. */
export function wordsOf(entry: LibraryEntry): readonly string[] {
  const named = analyse([entry.title, entry.id, ...entry.aliases].join(" "));
  return [...new Set([...named, ...analyse(entry.description).slice(0, describedWords)])];
}

/** The folded names that a text may mean: as a whole, without js or docs behind it, its last part, runs of its words. */
export function namesIn(text: string): readonly string[] {
  const folded = foldName(text);
  const words = text.split(/\s+/).slice(0, readWords);
  const runs = words.flatMap((_, at) => nameLengths.map((length) => foldName(words.slice(at, at + length).join(""))));
  return [...new Set([folded, shortName(folded) ?? folded, foldName(text.split("/").at(-1) ?? ""), ...runs])];
}
