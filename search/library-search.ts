import type { LibraryEntry } from "../domain/ports.ts";
import { analyse } from "./ranking/analyse-text.ts";
import { wordsOfLanguage } from "./ranking/languages.ts";
import { termsOfNames } from "./ranking/library-fit.ts";
import { distinct, namesOf, shortName, type LibraryNames } from "./ranking/names.ts";
import { readName, readTopics, spellingsOf } from "./ranking/requested-library.ts";
import { Failure } from "../domain/failures.ts";

/** Maximum number of words of a description that are indexed. */
const describedWords = 100;
/** Maximum number of terms of a question that are looked up. */
const maxTopics = 12;
/** Maximum number of spellings that names may resemble, and minimum length of a part of the text among them. */
const maxResembled = 4;
const minMisspeltLength = 5;

/** What a search for libraries looks up. Any list may be empty. */
export interface LibraryLookUp {
  readonly ids: readonly string[];
  /** Exact names for the whole text, and for parts of it. */
  readonly whole: readonly string[];
  readonly parts: readonly string[];
  /** The folded text, which names may begin with, contain or resemble; "": nothing to search. */
  readonly name: string;
  /** Other spellings that names may resemble: the text without versions and the like, and parts of it. */
  readonly resembled: readonly string[];
  /** Terms that must occur, all terms of the name, and terms that improve the order. */
  readonly core: readonly string[];
  readonly terms: readonly string[];
  readonly topics: readonly string[];
}

/** The terms of a library's names and of its description, each once. */
export function wordsOf(entry: LibraryEntry): readonly string[] {
  return [...new Set([...termsOfNames(entry), ...analyse(entry.description).slice(0, describedWords)])];
}

/** The folded names by which a library is found exactly, and its owners with a leading slash, which no name has. */
export interface LibraryKeys {
  /** From its ID and its title. */
  readonly own: readonly string[];
  /** Other names, claimed by manifests. */
  readonly claimed: readonly string[];
}

/** The exact names of a library. */
export function keysOf(entry: LibraryEntry): LibraryKeys {
  const { owners, ...given } = namesOf({ ...entry, aliases: [] });
  const own = new Set([
    ...withShort(given),
    ...owners.flatMap((owner) => [ownerKey(owner), ownerKey(shortName(owner) ?? owner)]),
  ]);
  return { own: distinct([...own]), claimed: distinct(withShort(namesOf(entry)).filter((name) => !own.has(name))) };
}

function withShort({ own, shared }: Pick<LibraryNames, "own" | "shared">): readonly string[] {
  return [...own, ...shared].flatMap((name) => [name, shortName(name) ?? name]);
}

/** The look-up for a name and a question. */
export function readLookUp(text: string, query: string): LibraryLookUp {
  const requested = readName(text);
  const topics = readTopics(query, requested);
  const [name = "", bare = ""] = requested.names;
  const languages = [...topics.languages].flatMap(wordsOfLanguage);
  const owners = [requested.owner, shortName(requested.owner) ?? ""].filter((owner) => owner !== "");
  return {
    ids: requested.ids,
    whole: [...spellingsOf(requested.names)],
    parts: distinct([requested.owned, ...owners.map(ownerKey), ...requested.runs.keys()]),
    name,
    resembled: distinct([name, bare, ...longestFirst(requested.runs)]).slice(0, maxResembled),
    core: requested.core,
    terms: requested.terms,
    topics: distinct([...requested.terms, ...topics.terms.slice(0, maxTopics), ...analyse(languages.join(" "))]).filter(
      (term) => !requested.core.includes(term),
    ),
  };
}

/** The parts of a text that are long enough to be misspelt, those with the most words first. */
function longestFirst(runs: ReadonlyMap<string, number>): readonly string[] {
  return [...runs]
    .filter(([name]) => name.length >= minMisspeltLength)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function ownerKey(owner: string): string {
  return `/${owner}`;
}

/** The failure of a search while a recreated index of libraries does not have all entries yet. */
export function incomplete(cause?: unknown): Failure {
  const message = "The index of libraries is being rebuilt. Ask again in 5 seconds.";
  return new Failure("index_rebuilding", message, { retryAfter: 5, cause });
}
