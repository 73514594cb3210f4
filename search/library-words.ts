import type { LibraryEntry } from "../domain/ports.ts";
import { analyse } from "../ranking/analyse.ts";
import { wordsOfLanguage } from "../ranking/languages.ts";
import { distinct, namesOf, shortName } from "../ranking/names.ts";
import type { LibraryNames } from "../ranking/names.ts";
import { readName, readTopics, spellingsOf } from "../ranking/requested.ts";

/** Words of a description that are indexed. */
const describedWords = 100;
/** Terms of a question that are looked up. */
const maxTopics = 12;
/** Spellings that names may resemble, and the shortest part of a text which counts as one. */
const maxResembled = 4;
const minMisspeltLength = 5;

/** What a search for libraries looks up. */
export interface LibraryLookUp {
  readonly ids: readonly string[];
  /** Exact names: what the whole of the text may be, and what parts of it may be. */
  readonly whole: readonly string[];
  readonly parts: readonly string[];
  /** The folded text, which names may begin with, hold or resemble; "" where there is nothing to look for. */
  readonly name: string;
  /** Other spellings which names may resemble: the text without versions and the like, and parts of it. */
  readonly resembled: readonly string[];
  /** Terms that have to occur, all that the name says, and other terms, which bring entries forward. */
  readonly core: readonly string[];
  readonly terms: readonly string[];
  readonly topics: readonly string[];
}

/** The analysed words that a library is found by, each once: of its names and of its description. */
export function wordsOf(entry: LibraryEntry): readonly string[] {
  const named = analyse([entry.title, entry.id, ...entry.aliases.map(({ name }) => name)].join(" "));
  return [...new Set([...named, ...analyse(entry.description).slice(0, describedWords)])];
}

/** The folded names that a library is found by exactly. Behind a slash, which no name has, stand its owners. */
export interface LibraryKeys {
  /** By its ID and its title. */
  readonly own: readonly string[];
  /** By what manifests claim, and not by these. */
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

/** Reads a name and a question as what to look up. */
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

/** Names of a text's parts that are long enough to be misspelt, those of the most words first. */
function longestFirst(runs: ReadonlyMap<string, number>): readonly string[] {
  return [...runs]
    .filter(([name]) => name.length >= minMisspeltLength)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function ownerKey(owner: string): string {
  return `/${owner}`;
}
