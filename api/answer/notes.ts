import type { Answer } from "../../domain/answering.ts";
import type { Unread } from "../../domain/generation.ts";
import { oneLine } from "../../domain/one-line.ts";
import type { Passage } from "../../domain/passage.ts";
import type { ClaimedName } from "../../domain/source.ts";

/** The properties of an answer that its notes depend on. */
export interface Answered extends Pick<Answer, "isIntroduction" | "missing" | "passages"> {
  /** Library and version, for display. */
  readonly answering: string;
  readonly query: string;
  /** Documentation in formats that are not read; absent: none, or unknown. */
  readonly unread?: Unread | undefined;
}

/** Sentences on the parts of the question that the library lacks; empty: nothing is missing. */
export function notesOf({ answering, query, isIntroduction, missing, passages, unread }: Answered): readonly string[] {
  const isMissing = isIntroduction || missing.length > 0;
  const language = languageNote(query, passages, { isIntroduction, isMissing });
  const words = disjunction.format(missing.map((word) => `"${oneLine(word)}"`));
  return [
    language,
    // Of a question in another language all words are missing.
    words === "" || language !== "" ? "" : `No passage of ${answering} has ${words}.`,
    // If most documentation is in unread formats, the answer may be there even if every word was found.
    unread !== undefined && (isMissing || unread.isMost === true) ? unreadNote(unread) : "",
  ].filter((note) => note !== "");
}

function unreadNote(unread: Unread): string {
  return `Not read: ${oneLine(unread.formats)}. ${unreadAdvice(unread)}`;
}

/** Registries whose archives may have other documents than a repository, by the manifest that names the package. */
const registries: ReadonlyMap<string, string> = new Map([
  ["pyproject.toml", "pypi"],
  ["package.json", "npm"],
  ["Cargo.toml", "crates"],
]);

/** Where else documentation that is not read may be, as a sentence with the command that adds it. */
export function unreadAdvice({ website }: Unread, claims: readonly ClaimedName[] = []): string {
  if (website !== undefined) return `Its website is: lectern add ${oneLine(website)}`;
  const named = claims.find(({ manifest }) => registries.has(manifest));
  const elsewhere = "If this documentation has a website, add that: lectern add <address>";
  if (named === undefined) return elsewhere;
  return `${elsewhere}. Or its package: lectern add ${registries.get(named.manifest) ?? ""}:${oneLine(named.name)}`;
}

/** Lists words as "a, b or c". */
const disjunction = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Length of the prose that is examined for its language, in characters. */
const maxProse = 4000;

function languageNote(
  query: string,
  passages: readonly Passage[],
  { isIntroduction, isMissing }: { readonly isIntroduction: boolean; readonly isMissing: boolean },
): string {
  const questionLanguage = languageOf(query);
  // Most questions and documents are in English: an English question is compared only if a word is missing.
  if (questionLanguage === undefined || (questionLanguage === "English" && !isMissing)) return "";
  let prose = "";
  for (const block of passages.flatMap(({ blocks }) => blocks)) {
    if (block.type === "prose" && prose.length < maxProse) prose += `${block.markdown.slice(0, maxProse)}\n`;
  }
  const documentLanguage = languageOf(prose);
  if (documentLanguage === questionLanguage) return "";
  if (documentLanguage === undefined && (!isIntroduction || questionLanguage === "English")) return "";
  const advice =
    documentLanguage === undefined
      ? "the documentation may be in another language: ask in that"
      : `the documentation in ${documentLanguage}: ask in ${documentLanguage}`;
  return `The question is in ${questionLanguage}, ${advice}.`;
}

/** Scripts of languages, the more specific first: Japanese has Chinese characters too. */
const scripts: readonly (readonly [language: string, letters: RegExp])[] = [
  ["Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Korean", /\p{Script=Hangul}/gu],
  ["Chinese", /\p{Script=Han}/gu],
  ["Cyrillic letters", /\p{Script=Cyrillic}/gu],
  ["Arabic letters", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Hindi", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
];

/** Minimum share of letters in a script for a text in its language: code and names are in Latin letters everywhere. */
const leastShare = 0.2;

/** Function words of a language that related languages lack. */
const functionWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    English:
      "the and of to how do does is are what with for can this that from when where which why should not i my it you",
    Spanish: "el los las una cómo puedo qué para con por del cuál dónde está son hacer necesito usar mi en y es se hay",
    Portuguese:
      "os uma não como posso para com por do da em meu minha fazer usar são está quais onde isso quando você um e",
    French:
      "le les une des du est dans pour avec sur comment puis je quel quelle où mon ma utiliser faire pas que qui peut et ce",
    German:
      "der die das und ist ein eine einen wie kann ich mit für nicht auf von zu den dem welche wo mein meine wird sind man im",
    Italian:
      "il gli della di che per con come posso una sono dove quale mio mia usare fare non si è nel più questo e un",
    Dutch: "het een van en hoe kan ik met voor niet op welke waar mijn wordt zijn naar te bij om deze dat als",
  }).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** Minimum number of foreign words. */
const leastWords = 2;

/** In texts of up to this many words one foreign word decides, unless it is English too, or as short as an identifier. */
const fewWords = 4;
const alsoEnglish = new Set("comment pour come dove fare quale".split(" "));

/** Spellings that only one of these languages has; each counts as two words. */
const spellings: ReadonlyMap<string, RegExp> = new Map([
  ["Spanish", /[¿¡ñ]|\p{L}ci(?:ón|ones)(?!\p{L})/u],
  ["Portuguese", /[ãõ]|\p{L}ç(?:ão|ões)(?!\p{L})/u],
  ["French", /(?<!\p{L})(?:l|d|qu|n|j)['’](?=[aeiouhéèê]\p{L})|œ/u],
  ["German", /ß|(?<!\p{L})\p{L}{3,30}(?:ieren|ierung)(?!\p{L})/u],
]);

/** The language of a text, by its script or its function words; undefined if neither decides, as for a name or two. */
export function languageOf(text: string): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const script = scripts.find(([, pattern]) => (text.match(pattern)?.length ?? 0) > leastShare * letters);
  if (script) return script[0];
  const lower = text.toLowerCase();
  const words = lower.match(/[\p{L}\p{M}]+/gu) ?? [];
  const counts = [...functionWords]
    .map(([language, vocabulary]) => {
      const matches = words.filter((word) => vocabulary.has(word));
      const spelled = spellings.get(language)?.test(lower) === true ? leastWords : 0;
      return { language, matches, count: matches.length + spelled };
    })
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counts;
  if (!first || first.count === second?.count) return undefined;
  const isCertain = first.count >= leastWords || (words.length <= fewWords && first.matches.some(isDistinctive));
  return isCertain ? first.language : undefined;
}

function isDistinctive(word: string): boolean {
  return (word.length > 3 || /[^\x20-\x7e]/.test(word)) && !alsoEnglish.has(word);
}
