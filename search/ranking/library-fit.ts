import { foldId } from "../../domain/library.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import { analyse } from "./analyse-text.ts";
import { languageOfNameWord, languagesIn, languagesOfNames } from "./languages.ts";
import {
  distinct,
  errorsBetween,
  lastOf,
  nameWords,
  namesOf,
  shortName,
  toleratedErrors,
  type LibraryNames,
} from "./names.ts";
import { isSoft, spellingsOf, type RequestedName, type RequestedTopics } from "./requested-library.ts";

/** An entry with its compared parts. */
export interface NamedEntry {
  readonly entry: LibraryEntry;
  readonly names: LibraryNames;
  /** The words of its title, of the last part of its ID and of each alias. */
  readonly spelled: readonly (readonly string[])[];
  /** Those names, folded, without words that people leave out. */
  readonly telling: readonly string[];
  /** The words of its description. */
  readonly described: readonly string[];
  /** The languages in its names and its description. */
  readonly languages: ReadonlySet<string>;
}

/**
 * Fits of names: higher is better. Between neighbours the question and the renown of the library decide. From `exact` on the name
 * is the library's own.
 */
export const fits = {
  id: 1000,
  /** The name with more words that the question has: another library of the family. */
  family: 960,
  /** A library of the same owner for the requested language, with another name. */
  relative: 930,
  name: 900,
  /** The name without js, dev or docs. */
  short: 892,
  /** The text without a version and filling words. */
  reading: 885,
  /** The same words, except for those that people leave out. */
  sameWords: 870,
  exact: 850,
  /** A name that it shares with others. From here on the library counts as the requested one. */
  shared: 800,
  owned: 690,
  /** A library of the requested scope or owner. */
  owner: 680,
  near: 640,
  prefix: 650,
  words: 560,
  run: 500,
  described: 400,
  part: 350,
  partlyDescribed: 250,
} as const;

/** Malus if the text ends inside a word of the name. */
const insideWord = 60;

/** The analysed terms of an entry's title, ID and aliases. */
export function termsOfNames({ title, id, aliases }: LibraryEntry): readonly string[] {
  return analyse([title, id, ...aliases.map(({ name }) => name)].join(" "));
}

export function toNamed(entry: LibraryEntry): NamedEntry {
  const spelled = [entry.title, lastOf(entry.id), ...entry.aliases.map(({ name }) => name)].map(nameWords);
  const described = nameWords(entry.description);
  return {
    entry,
    names: namesOf(entry),
    spelled,
    telling: distinct(spelled.map((words) => words.filter((word) => !isSoft(word)).join(""))),
    described,
    languages: new Set([...languagesOfNames(spelled.flat()), ...languagesIn(entry.description, described)]),
  };
}

/** The fit of an entry's names, one of `fits` or a value between them; 0: none. */
export function fitOfName(requested: RequestedName, named: NamedEntry): number {
  const { entry, names, telling } = named;
  if (requested.ids.includes(foldId(entry.id))) return fits.id;
  const { own, shared, owners } = names;
  const [whole = ""] = requested.names;
  const isOwn = (name: string) =>
    own.includes(name) || owners.some((owner) => name.startsWith(owner) && own.includes(name.slice(owner.length)));
  const exact = requested.names.findIndex(isOwn);
  if (exact >= 0) return exact === 0 ? fits.name : fits.reading - exact;
  const shorts = own.map((name) => shortName(name) ?? name);
  const short = requested.names.findIndex((name) => shorts.includes(name) || own.includes(shortName(name) ?? name));
  if (short >= 0) return short === 0 ? fits.short : fits.reading - short;
  if (telling.some((name) => requested.names.slice(0, 3).includes(name))) return fits.sameWords;
  return Math.max(
    requested.names.some((name) => shared.includes(name)) ? fits.shared : 0,
    ownedFit(requested, names),
    prefixFit(whole, named),
    runFit(requested, own),
  );
}

/** The fit of a library of the requested owner, or of another owner with the requested name. */
function ownedFit({ owner, owned }: RequestedName, { own, owners }: LibraryNames): number {
  if (owner === "") return 0;
  const spellings = spellingsOf([owner]);
  if (owners.some((one) => spellings.has(one) || spellings.has(shortName(one) ?? one))) {
    const alike = own.some((name) => name.includes(owned) || (name.length > 2 && owned.includes(name)));
    const main = own.some((name) => spellings.has(name));
    return fits.owner + (alike ? 40 : 0) + (main ? 30 : 0);
  }
  return own.includes(owned) ? fits.owned : 0;
}

/** The fit of a name that begins with the text: the larger the share, the better; best if the text ends with a word. */
function prefixFit(name: string, { names, spelled }: NamedEntry): number {
  if (name.length < 2) return 0;
  const shares = names.own.filter((one) => one.startsWith(name)).map((one) => name.length / one.length);
  if (shares.length === 0) return 0;
  const ends = spelled.some(
    ([first = "", ...others]) => first.startsWith(name) || beginningsOf([first, ...others]).includes(name),
  );
  return fits.prefix + 30 * Math.max(...shares) - (ends ? 0 : insideWord);
}

/** The first word, the first two, and the first three words, each joined. */
function beginningsOf(words: readonly string[]): readonly string[] {
  return words.slice(0, 3).map((_, at) => words.slice(0, at + 1).join(""));
}

/** The fit of a misspelt name, or of the misspelt beginning of a longer one; 0: none. */
export function nearFit({ names: readings }: RequestedName, { names, spelled }: NamedEntry): number {
  const beginnings = spelled.flatMap(beginningsOf);
  let best = 0;
  for (const name of readings.slice(0, 3)) {
    for (const one of [...names.own, ...beginnings]) {
      const errors = errorsBetween(name, one, toleratedErrors(name, one));
      if (errors === Infinity) continue;
      // The first letter is rarely wrong.
      const wrong = errors + (name[0] === one[0] ? 0 : 0.5) + (names.own.includes(one) ? 0 : 1);
      best = Math.max(best, fits.near + 2 * Math.min(name.length, 12) - 30 * wrong);
    }
  }
  return best;
}

/** The fit of a name that is a part of the text. Names of languages count less, as libraries are for them. */
function runFit({ runs, words }: RequestedName, own: readonly string[]): number {
  let best = 0;
  const shorts = own.map((name) => shortName(name) ?? name);
  for (const [run, share] of runs) {
    const language = languageOfNameWord(run) !== undefined && share < 1 ? 80 : 0;
    const position = 12 * Math.min(3, Math.max(0, words.indexOf(run)));
    const whole = own.includes(run) ? 0 : shorts.includes(run) ? 5 : undefined;
    if (whole !== undefined) best = Math.max(best, fits.run + 200 * share - language - position - whole);
    else if (share < 1 && run.length > 5) {
      const errors = Math.min(...own.map((name) => errorsBetween(run, name, toleratedErrors(run, name))));
      if (errors !== Infinity) best = Math.max(best, fits.run + 150 * share - language - position - 30 * errors);
    }
  }
  return best;
}

/** The other words of a name that contains the requested one. */
export interface NameBesides {
  readonly rest: readonly string[];
  /** Those of `rest` that people do not leave out. */
  readonly extra: readonly string[];
  /** All words of the name. */
  readonly spelled: readonly string[];
}

/** The other words of those names of an entry that contain one of the spellings. */
export function namesBesides(
  spellings: ReadonlySet<string>,
  { spelled }: Pick<NamedEntry, "spelled">,
): readonly NameBesides[] {
  return spelled.flatMap((words) => {
    const rests: (readonly string[])[] = [];
    for (let at = 0; at < words.length; at++) {
      for (let end = at + 1; end <= words.length; end++) {
        if (spellings.has(words.slice(at, end).join(""))) rests.push([...words.slice(0, at), ...words.slice(end)]);
      }
      // A language at the end without a space, as in langchaingo.
      const [, name = "", language = ""] = /^(.{3,}?)(js|ts|py|go|4j|rs|rb|net)$/u.exec(words[at] ?? "") ?? [];
      if (spellings.has(name)) rests.push([...words.slice(0, at), language, ...words.slice(at + 1)]);
    }
    return rests.map((rest) => ({ extra: rest.filter((word) => !isSoft(word)), rest, spelled: words }));
  });
}

/** Whether the question has the other words of a name, or only its language; undefined: neither. */
export function saysBesides(
  { extra, rest, spelled }: NameBesides,
  topics: RequestedTopics,
  sameOwner: boolean,
): "language" | "words" | undefined {
  if (extra.length === 0) return undefined;
  const isAsked = (word: string) => topics.languages.has(languageOfNameWord(word) ?? "");
  if (extra.every(isAsked)) return "language";
  const asked = extra.every((word) => topics.words.includes(word) || isAsked(word));
  if (!asked) return undefined;
  return sameOwner || isSpelledIn(topics.words, rest) || isSpelledIn(topics.words, spelled) ? "words" : undefined;
}

/** Whether the words contain a run of at least two words. */
function isSpelledIn(words: readonly string[], run: readonly string[]): boolean {
  return run.length > 1 && ` ${words.join(" ")} `.includes(` ${run.join(" ")} `);
}
