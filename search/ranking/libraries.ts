import type { LibraryEntry } from "../../domain/ports.ts";
import type { ClaimedName } from "../../domain/source.ts";
import { analyse } from "./analyse-text.ts";
import {
  fitOfName,
  fits,
  namesBesides,
  nearFit,
  saysBesides,
  termsOfNames,
  toNamed,
  type NamedEntry,
} from "./library-fit.ts";
import { languageOfNameWord } from "./languages.ts";
import { isKnown } from "./meaning.ts";
import { foldName, partOfClaim, shortName } from "./names.ts";
import {
  isSoft,
  readName,
  readTopics,
  spellingsOf,
  type RequestedName,
  type RequestedTopics,
} from "./requested-library.ts";

/** Minimum length of a folded name that is searched for inside other names. */
const minPartLength = 3;
/** The score if names, and if the description, have all terms of the question. */
const namedTopics = 25;
const describedTopics = 18;
/** The score for the wanted language, and for another one, of libraries with another name than the requested one. */
const rightLanguage = 150;
const otherLanguage = -200;
/** The same for libraries with the requested name. */
const rightLanguageOfName = 12;
const otherLanguageOfName = -60;
/** Malus of a name that resembles the requested one, if other names are or begin with that. */
const spelledElsewhere = 150;
/** Minimum share of the name's terms in a description. */
const leastDescribed = 0.6;
/** A family member of another owner must have at least the `renown` of the best known member less this. */
const knownBetter = 8;
/** Words for something made from or for a library. */
const derived: ReadonlySet<string> = new Set(
  "awesome boilerplate clone course demo demos fork mirror playground sample samples starter template templates".split(
    " ",
  ),
);

/**
 * Orders libraries for a name and a question: by exact ID; then members of the named family that the question asks for by
 * language or name; then by exact name, by claimed name, by names that begin with, resemble or contain the requested one, and by
 * description. Within these, the question, trust and size decide, then the ID. Entries that do not match the name are left
 * out. A claimed name puts no library before one that has the name by its ID or title.
 */
export function rankLibraries(name: string, query: string, entries: readonly LibraryEntry[]): LibraryEntry[] {
  const requested = readName(name);
  const topics = readTopics(query, requested);
  const unclaimed = entries.map((entry) => ({ ...entry, aliases: [] }));
  const given = new Map(scored(requested, topics, unclaimed).map((one) => [one.entry.uid, one]));
  const hasClaims = entries.some(({ aliases }) => aliases.length > 0);
  const claiming = hasClaims ? entries.map((entry) => withFewClaims(requested, entry)) : [];
  const claimed = new Map(scored(requested, topics, claiming).map(({ entry, score }) => [entry.uid, score]));
  const named = [...given.values()].filter(({ fit }) => fit >= fits.exact).map(({ score }) => score);
  const most = Math.min(...named) - 1;
  return entries
    .flatMap((entry) => {
      const own = given.get(entry.uid)?.score ?? -Infinity;
      const score = Math.max(own, Math.min(claimed.get(entry.uid) ?? -Infinity, most));
      return score === -Infinity ? [] : [{ entry, score }];
    })
    .toSorted((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1))
    .map(({ entry }) => entry);
}

/** Whether a name is, nearly is, or is part of a library's name. Its description does not count. */
export function isNamed(name: string, entry: LibraryEntry): boolean {
  const requested = readName(name);
  const named = toNamed(entry);
  if (fitOfName(requested, named) > 0 || nearFit(requested, named) > 0) return true;
  const inNames = new Set(termsOfNames(entry));
  return requested.terms.length > 0 && requested.terms.every((term) => inNames.has(term));
}

/** Maximum number of words of a text that is rather a name than a question, besides those that people leave out. */
const maxNameWords = 3;

/**
 * Whether a text finds any of some entries by its names, or by its words in names and description: by most words of a name, by all of a
 * question.
 */
export function fitsName(text: string, entries: readonly LibraryEntry[]): boolean {
  const requested = readName(text);
  const isName = requested.words.length <= maxNameWords;
  const isIn = nameFinder(requested, text);
  return entries.some((entry) => {
    const named = toNamed(entry);
    if (isIn(named) || (isName && fitOfName(requested, named) > 0)) return true;
    const [inNames, inText] = [termsOfNames(entry), analyse(entry.description)];
    const fit = fitOfWords(requested, named, new Set(inNames), new Set(inText));
    return fit >= (isName ? fits.partlyDescribed : fits.described);
  });
}

/**
 * The entries whose name a text is, nearly is or begins, and those whose name is in it. Common words and languages are no names in a
 * text.
 */
export function namedIn(text: string, entries: readonly LibraryEntry[]): readonly LibraryEntry[] {
  const isIn = nameFinder(readName(text), text);
  return entries.filter((entry) => isIn(toNamed(entry)));
}

function nameFinder(requested: RequestedName, text: string): (named: NamedEntry) => boolean {
  const runs = [...readName(tellingWords(text)).runs.keys()].filter((run) => languageOfNameWord(run) === undefined);
  return (named) => {
    if (fitOfName(requested, named) >= fits.near || nearFit(requested, named) > 0) return true;
    const names = new Set(named.names.own.flatMap((name) => [name, shortName(name) ?? name]));
    return runs.some((run) => names.has(run));
  };
}

/** The words of a text that may be names: those that are no common words, and those within it with a capital. */
function tellingWords(text: string): string {
  const words = text.split(/\s+/).map((word) => {
    const characters = Array.from(word);
    const first = characters.findIndex((one) => /[\p{L}\p{N}@/]/u.test(one));
    const last = characters.findLastIndex((one) => /[\p{L}\p{N}+#]/u.test(one));
    return first < 0 ? "" : characters.slice(first, last + 1).join("");
  });
  return words.filter((word, at) => !isKnown(word) || (at > 0 && /^\p{Lu}.*\p{Ll}/u.test(word))).join(" ");
}

/** The claim of a library that has a name; undefined: none. */
export function claimFor(name: string, { aliases }: Pick<LibraryEntry, "aliases">): ClaimedName | undefined {
  return claimOf(readName(name), aliases);
}

function claimOf({ names, owned }: RequestedName, aliases: LibraryEntry["aliases"]): ClaimedName | undefined {
  const whole = aliases.find((alias) => names.includes(foldName(alias.name)));
  return whole ?? aliases.find(({ name }) => [...names, owned].includes(foldName(partOfClaim(name))));
}

/** Maximum number of claims of a library that are compared with a name, besides an equal one. */
const comparedClaims = 8;

function withFewClaims(requested: RequestedName, entry: LibraryEntry): LibraryEntry {
  if (entry.aliases.length <= comparedClaims) return entry;
  const claim = claimOf(requested, entry.aliases);
  return { ...entry, aliases: [...(claim ? [claim] : []), ...entry.aliases.slice(0, comparedClaims)] };
}

/** An entry with its fit by name and its score. */
interface Scored {
  readonly entry: LibraryEntry;
  readonly fit: number;
  readonly score: number;
}

/** Scores the entries that match the name. */
function scored(
  requested: RequestedName,
  topics: RequestedTopics,
  entries: readonly LibraryEntry[],
): readonly Scored[] {
  const own = entries.map(toNamed).map((named) => ({ named, fit: fitOfName(requested, named) }));
  const isSpelledRight = requested.words.length > 1 && own.some(({ fit }) => fit >= fits.prefix);
  const compared = own.map(({ named, fit }) => {
    const near = fit < fits.prefix ? nearFit(requested, named) - (isSpelledRight ? spelledElsewhere : 0) : 0;
    return { named, fit: Math.max(fit, near) };
  });
  const family = toFamily(
    requested,
    compared.filter(({ fit }) => fit >= fits.exact).map(({ named }) => named),
  );
  return compared.flatMap(({ named, fit }) => {
    const score = scoreOf(named, fit, requested, topics, family);
    return score === undefined ? [] : [{ entry: named.entry, fit, score }];
  });
}

/** The libraries that have the name. */
interface Family {
  /** Spellings of the family's folded name. */
  readonly spellings: ReadonlySet<string>;
  /** Their owners, and owners with the family's name. */
  readonly owners: ReadonlySet<string>;
  /** The `renown` of the best known of them. */
  readonly known: number;
  /** The languages of the best known of them. */
  readonly languages: ReadonlySet<string>;
}

function toFamily(requested: RequestedName, exact: readonly NamedEntry[]): Family {
  const exactName = requested.names.find((name) => {
    const spellings = spellingsOf([name]);
    return exact.some(({ names }) => names.own.some((one) => spellings.has(one)));
  });
  const core = requested.words.filter((word) => !isSoft(word) && languageOfNameWord(word) === undefined).join("");
  const known = Math.max(-Infinity, ...exact.map(({ entry }) => renown(entry)));
  const best = exact.find(({ entry }) => renown(entry) === known);
  const spellings = spellingsOf([...(exactName === undefined ? requested.names.slice(0, 3) : [exactName]), core]);
  return {
    spellings,
    owners: new Set([...spellings, ...(best?.names.owners ?? [])]),
    known,
    languages: best?.languages ?? new Set(),
  };
}

function scoreOf(
  named: NamedEntry,
  ownFit: number,
  requested: RequestedName,
  topics: RequestedTopics,
  family: Family,
): number | undefined {
  const { entry, languages } = named;
  let fit = ownFit < fits.id ? Math.max(ownFit, memberFit(named, topics, family)) : ownFit;
  const inNames = new Set(termsOfNames(entry));
  const inText = new Set(analyse(entry.description));
  if (fit < fits.words) fit = Math.max(fit, fitOfWords(requested, named, inNames, inText));
  if (fit === 0) return undefined;

  const shared = [...topics.languages].some((language) => languages.has(language));
  const other = speaksAnother(named, topics);
  if (fit >= fits.shared) fit += shared ? rightLanguageOfName : other && fit < fits.id ? otherLanguageOfName : 0;
  else if (shared && !isLanguage(named)) fit += rightLanguage;
  else if (other) fit += otherLanguage;

  const terms = topics.terms.length;
  const scores = topics.terms.map((term): number =>
    inNames.has(term) ? namedTopics : inText.has(term) ? describedTopics : 0,
  );
  const topicScore = terms === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / terms;
  const isDerived = [...named.spelled.flat(), ...named.described].some((word) => derived.has(word));
  const asksForDerived = isDerived && [...topics.words, ...requested.words].some((word) => derived.has(word));
  return fit + topicScore + renown(entry) * (fit < fits.near ? 2 : 1) - (isDerived && !asksForDerived ? 10 : 0);
}

/** Whether an entry is for other languages than the requested ones. */
function speaksAnother({ languages }: NamedEntry, topics: RequestedTopics): boolean {
  const wanted = [...topics.languages];
  return wanted.length > 0 && languages.size > 0 && !wanted.some((language) => languages.has(language));
}

/** The fit of an entry as the member of the named family that the question asks for; 0: none. */
function memberFit(named: NamedEntry, topics: RequestedTopics, family: Family): number {
  const { owners } = named.names;
  if (speaksAnother(named, topics)) return 0;
  const sameOwner = owners.some((owner) => family.owners.has(owner));
  if (!sameOwner && renown(named.entry) < family.known - knownBetter) return 0;
  const besides = namesBesides(family.spellings, named);
  const asked = besides.map((one) => saysBesides(one, topics, sameOwner));
  if (asked.includes("words")) return fits.family;
  if ([...topics.languages].some((language) => family.languages.has(language))) return 0;
  if (asked.includes("language")) return fits.family;
  // A library for a language with another name, such as FlutterFire of Firebase. JavaScript does not count, as most libraries
  // of web products are written in it.
  const owned = owners.some((owner) => family.spellings.has(owner));
  const mentioned = [...named.spelled.flat(), ...named.described].some((word) => family.spellings.has(word));
  const wanted = [...topics.languages].filter((language) => language !== "javascript");
  const speaks = wanted.some((language) => named.languages.has(language));
  const hasFamilyName = namesBesides(family.spellings, { spelled: named.spelled.slice(0, 2) }).length > 0;
  return owned && mentioned && speaks && !hasFamilyName ? fits.relative : 0;
}

/** The fit of an entry by the terms of its names and its description; 0: none. */
function fitOfWords(
  requested: RequestedName,
  { names }: NamedEntry,
  inNames: ReadonlySet<string>,
  inText: ReadonlySet<string>,
): number {
  const { terms } = requested;
  const [whole = ""] = requested.names;
  if (terms.length === 0) return 0;
  if (terms.every((term) => inNames.has(term))) return fits.words;
  const described = terms.filter((term) => inNames.has(term) || inText.has(term)).length;
  if (described === terms.length) return fits.described;
  if (whole.length >= minPartLength && names.own.some((name) => name.includes(whole))) return fits.part;
  return described >= leastDescribed * terms.length ? fits.partlyDescribed : 0;
}

/** Whether it is the library of a language itself. */
function isLanguage({ names }: NamedEntry): boolean {
  return names.own.some((name) => languageOfNameWord(name) !== undefined);
}

/** How well known a library is: up to 15 for trust, and 4 for each power of ten of passages. */
function renown({ trust, totalSnippets }: LibraryEntry): number {
  return 1.5 * (trust ?? 4) + 4 * Math.log10(1 + Math.max(0, totalSnippets));
}
