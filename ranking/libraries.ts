import { foldId } from "../domain/library.ts";
import type { LibraryEntry } from "../domain/ports.ts";
import { analyse } from "./analyse.ts";
import { foldName, idsOf, isNear, namesOf, shortName, toleratedErrors } from "./names.ts";
import { analyseQuestion } from "./question.ts";

/** How an entry fits the name that was asked for, the best first; what fits in none of these ways is left out. */
const fits = ["id", "name", "shortName", "prefix", "inName", "near", "words", "part", "described"] as const;
type Fit = (typeof fits)[number];

/** Shortest folded name that is looked for inside other names. */
const shortestPart = 3;

/**
 * Orders libraries for a name and a question: exact ID, name or alias, then prefix and spelling tolerance, then how
 * much of the question the entry speaks of, then trust, then size. Entries that have nothing to do with the name are
 * left out; equal ones are ordered by ID.
 */
export function rankLibraries(name: string, query: string, entries: readonly LibraryEntry[]): LibraryEntry[] {
  const wanted = toWanted(name);
  const topics = analyseQuestion(query).terms;
  return entries
    .flatMap((entry) => {
      const words = new Set(analyse([entry.title, entry.id, ...entry.aliases].join(" ")));
      const told = new Set(analyse(entry.description));
      const fit = fitOf(wanted, entry, words, told);
      if (fit === undefined) return [];
      const spoken = topics.filter((term) => words.has(term) || told.has(term)).length;
      return [{ entry, order: [-fits.indexOf(fit), spoken, entry.trust ?? -1, entry.totalSnippets] }];
    })
    .toSorted((a, b) => compare(a.order, b.order) || (a.entry.id < b.entry.id ? -1 : 1))
    .map(({ entry }) => entry);
}

interface Wanted {
  readonly ids: readonly string[];
  readonly folded: string;
  /** Names that a run of its words may spell. */
  readonly runs: ReadonlySet<string>;
  readonly terms: readonly string[];
}

function toWanted(name: string): Wanted {
  const text = name.trim();
  const words = text.split(/\s+/).slice(0, 12);
  const runs = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    for (let length = 1; length <= 4; length++) runs.add(foldName(words.slice(at, at + length).join("")));
  }
  // An ID that is not there may still name a library of another owner.
  if (text.includes("/")) runs.add(foldName(text.split("/").at(-1) ?? ""));
  runs.delete("");
  return { ids: idsOf(text), folded: foldName(text), runs, terms: analyseQuestion(text).terms };
}

function fitOf(
  wanted: Wanted,
  entry: LibraryEntry,
  words: ReadonlySet<string>,
  told: ReadonlySet<string>,
): Fit | undefined {
  const { folded, terms } = wanted;
  if (wanted.ids.includes(foldId(entry.id))) return "id";
  const names = namesOf(entry);
  if (names.includes(folded)) return "name";
  if (names.some((name) => shortName(name) === folded || shortName(folded) === name)) return "shortName";
  if (folded.length > 1 && names.some((name) => name.startsWith(folded))) return "prefix";
  if (names.some((name) => name.length > 1 && wanted.runs.has(name))) return "inName";
  if (names.some((name) => isNear(name, folded, toleratedErrors(folded)))) return "near";
  if (terms.length === 0) return undefined;
  if (terms.every((term) => words.has(term))) return "words";
  if (folded.length >= shortestPart && names.some((name) => name.includes(folded))) return "part";
  if (terms.every((term) => words.has(term) || told.has(term))) return "described";
  return undefined;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = (b[at] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}
