import { foldId } from "../domain/library.ts";
import type { LibraryEntry } from "../domain/ports.ts";
import { languageOfNameWord, languagesIn, languagesOfNames } from "./languages.ts";
import type { LibraryNames } from "./names.ts";
import { distinct, errorsBetween, lastOf, nameWords, namesOf, shortName, toleratedErrors } from "./names.ts";
import type { RequestedName, RequestedTopics } from "./requested.ts";
import { isSoft, spellingsOf } from "./requested.ts";

/** What is compared of an entry. */
export interface NamedEntry {
  readonly entry: LibraryEntry;
  readonly names: LibraryNames;
  /** The words of its title, of its ID's last part and of each alias. */
  readonly spelled: readonly (readonly string[])[];
  /** Those names without the words that people leave out, folded. */
  readonly telling: readonly string[];
  /** The words of its description. */
  readonly described: readonly string[];
  /** The languages that its names and its description speak of. */
  readonly languages: ReadonlySet<string>;
}

/**
 * How well a name fits, the better the more; what lies between two of them is decided by what the question says and by
 * how well the library is known. At and above `exact` the name is the library's own.
 */
export const fits = {
  id: 1000,
  /** The name with words more, which the question says: another library of the family. */
  family: 960,
  /** The same owner's library for the language that is asked for, under another name. */
  relative: 930,
  name: 900,
  /** A name that people give without js, dev or docs. */
  short: 892,
  /** What remains of the text without a version and filling words. */
  reading: 885,
  /** The same words but for those that people leave out. */
  sameWords: 870,
  exact: 850,
  /** A name that it shares with others. Down to this the name is taken for what was meant. */
  shared: 800,
  owned: 690,
  /** Of the scope or owner that was written. */
  owner: 680,
  near: 640,
  prefix: 650,
  words: 560,
  run: 500,
  described: 400,
  part: 350,
  partlyDescribed: 250,
} as const;

/** What the beginning of a name is worth less that ends within its second word or a later one. */
const insideWord = 60;

/** Takes an entry's names apart. */
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

/** How an entry fits a name by its own names, of `fits` and what lies between them; 0 where it does not. */
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

/** A package or repository of the owner that was written, or one of another owner that has the name. */
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

/** A name that begins with what was written; the more of it is written the better, best up to the end of a word. */
function prefixFit(name: string, { names, spelled }: NamedEntry): number {
  if (name.length < 2) return 0;
  const rests = names.own.filter((one) => one.startsWith(name)).map((one) => name.length / one.length);
  if (rests.length === 0) return 0;
  const ends = spelled.some(
    ([first = "", ...others]) => first.startsWith(name) || beginningsOf([first, ...others]).includes(name),
  );
  return fits.prefix + 30 * Math.max(...rests) - (ends ? 0 : insideWord);
}

/** The first word of a name, the first two, and the first three. */
function beginningsOf(words: readonly string[]): readonly string[] {
  return words.slice(0, 3).map((_, at) => words.slice(0, at + 1).join(""));
}

/** How well the name fits if it has typing errors: the first readings of it, and names of which the end is left out. */
export function nearFit({ names: readings }: RequestedName, { names, spelled }: NamedEntry): number {
  const beginnings = spelled.flatMap(beginningsOf);
  let best = 0;
  for (const name of readings.slice(0, 3)) {
    for (const one of [...names.own, ...beginnings]) {
      const errors = errorsBetween(name, one, toleratedErrors(name, one));
      if (errors === Infinity) continue;
      // The first letter is the one that is rarely wrong.
      const wrong = errors + (name[0] === one[0] ? 0 : 0.5) + (names.own.includes(one) ? 0 : 1);
      best = Math.max(best, fits.near + 2 * Math.min(name.length, 12) - 30 * wrong);
    }
  }
  return best;
}

/** A part of what was written that is the name; languages are what a library is for, rather than its name. */
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

/** What an entry's name has besides the requested one. */
export interface NameBesides {
  /** The words more that say something. */
  readonly extra: readonly string[];
  /** All words more, and all words of the name. */
  readonly rest: readonly string[];
  readonly spelled: readonly string[];
}

/** What the names of an entry that have one of the given spellings in them have besides. */
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
      // A language that is written at the end without a space, as in langchaingo.
      const [, name = "", language = ""] = /^(.{3,}?)(js|ts|py|go|4j|rs|rb|net)$/u.exec(words[at] ?? "") ?? [];
      if (spellings.has(name)) rests.push([...words.slice(0, at), language, ...words.slice(at + 1)]);
    }
    return rests.map((rest) => ({ extra: rest.filter((word) => !isSoft(word)), rest, spelled: words }));
  });
}

/** Whether the question says what a name has besides: by language, or by its words. */
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

/** Two or more consecutive words. */
function isSpelledIn(words: readonly string[], run: readonly string[]): boolean {
  return run.length > 1 && ` ${words.join(" ")} `.includes(` ${run.join(" ")} `);
}
