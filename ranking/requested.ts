import { readAddress } from "./address.ts";
import { analyse } from "./analyse.ts";
import { languageOfNameWord, languagesIn } from "./languages.ts";
import { distinct, foldName, idsOf, lastOf, nameWords, shortName } from "./names.ts";
import { longFormsOf } from "./nicknames.ts";
import { analyseQuestion } from "./question.ts";

/** What a text that asks for a library may mean. Everything is folded. */
export interface RequestedName {
  /** IDs that it may be. */
  readonly ids: readonly string[];
  /** Names that the whole of it may be, the surest first. */
  readonly names: readonly string[];
  /** Its last part where an owner or a scope is written in front of it; otherwise "". */
  readonly owned: string;
  /** That owner or scope, or "". */
  readonly owner: string;
  /** Its words without versions and without what only says that a library is meant. */
  readonly words: readonly string[];
  /** Names that a run of its words may spell, and the share of the words that each takes. */
  readonly runs: ReadonlyMap<string, number>;
  /** Its words as the index has them, and those of them that are neither a language nor left out by many. */
  readonly terms: readonly string[];
  readonly core: readonly string[];
  /** Languages that it speaks of. */
  readonly languages: ReadonlySet<string>;
}

/** What a search asks for besides the name. */
export interface RequestedTopics {
  readonly terms: readonly string[];
  /** The words as they stand there, folded. */
  readonly words: readonly string[];
  readonly languages: ReadonlySet<string>;
}

/** Characters of a name that are read, words of it, and how many of them may spell a name together. */
const maxNameLength = 200;
const maxWords = 12;
const maxRunLength = 5;

/** Words that say that a library is meant, and none that says which. */
const filler: ReadonlySet<string> = new Set(
  `a an and about context doc docs documentation documents find for framework from get github guide how i in is it
  latest library libraries lib manual me module need npm of official on package please reference show stable the to
  tutorial up use using v version want website what with`.split(/\s+/),
);

/** Words of a product's name that people leave out or add. */
const soft: ReadonlySet<string> = new Set(
  "api apis binding bindings client clients driver for in library lib official of package sdk sdks the wrapper".split(
    " ",
  ),
);

const ecosystem =
  /^(?:pkg:)?(?:npm|pypi|pip|cargo|crates|gem|rubygems|composer|nuget|maven|golang|hex|pub|jsr)[:/](?=.)/i;
const typings = /^@types\/(?=.)/;
/** A version behind a name, as in name@1.2, name@latest, name==1.2 and name^1. */
const versionBehind =
  /(?<=[^\s@=<>~^!])(?:@(?=[\dv^~=<>*]|(?:latest|next|canary|beta|alpha|rc|stable|lts)$)|[=<>~!]=|[<>^~](?=\d)).*$/i;
const version = /^[v^~=<>]*\d+(?:[.x*]\S*)?$/i;
const topDomain = /(?<=[^.\s])\.(?:com|org|net|io|app|ai|sh|co)$/i;
const digitsBehind = /(?<=\p{L}{2})\d{1,2}$/u;
const genericBehind = /(?<=.{3})(?:project|framework|lang|library|hq|python|binary)$/u;

/** True for a word that people leave out of a product's name, or add to it. */
export function isSoft(word: string): boolean {
  return soft.has(word) || filler.has(word) || version.test(word);
}

/** Reads what a name may mean: as written, as an ID, address or package, without version, digits and filling words. */
export function readName(text: string): RequestedName {
  const written = text.normalize("NFKC").trim().slice(0, maxNameLength).replace(ecosystem, "").replace(typings, "");
  const address = readAddress(written);
  const tokens = (address?.names[0] ?? written).split(/\s+/).map((token) => token.replace(versionBehind, ""));
  const bare = tokens.filter((token) => !version.test(token) && !filler.has(foldName(token)));
  const kept = bare.length > 0 ? bare : tokens;
  const path = kept.length === 1 ? /^@?([^/]+)\/(?:.*\/)?([^/]+)$/u.exec(kept[0] ?? "") : null;
  const words = kept.flatMap(nameWords).slice(0, maxWords);
  const glued = foldName(kept.join(""));
  const terms = termsOf(kept.map((token) => (path === null ? token : lastOf(token))));
  const core = termsOf(words.filter((word) => !isSoft(word) && languageOfNameWord(word) === undefined));
  const names = distinct([
    foldName(written),
    foldName(tokens.join("")),
    glued,
    ...(address?.names ?? []).map(foldName),
    foldName(written.replace(topDomain, "")),
    words.map((word) => longFormsOf(word)[0] ?? word).join(""),
    ...longFormsOf(glued),
    glued.replace(digitsBehind, ""),
    glued.replace(genericBehind, ""),
  ]);
  return {
    ids: distinct(
      [written, ...(address?.ids ?? [])].flatMap((id) => [...idsOf(id), ...idsOf(id.replace(versionBehind, ""))]),
    ),
    names,
    owned: foldName(path?.[2] ?? ""),
    owner: foldName(path?.[1] ?? ""),
    words,
    runs: runsOf(words),
    terms,
    core: core.length > 0 ? core : terms,
    languages: languagesIn(written, words),
  };
}

/** Reads what is asked besides the name. */
export function readTopics(query: string, name: RequestedName): RequestedTopics {
  const words = nameWords(query);
  return {
    terms: analyseQuestion(query).terms,
    words,
    languages: new Set([...languagesIn(query, words), ...name.languages]),
  };
}

function termsOf(words: readonly string[]): readonly string[] {
  return distinct(analyse(words.join(" ")));
}

/** The names with what JavaScript's libraries are called with or without. */
export function spellingsOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, `${name}js`, shortName(name) ?? name]));
}

/** Runs of words, which may spell a name; those of words that say little by themselves are left to longer ones. */
function runsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  const add = (name: string, share: number) => {
    if (name.length > 1 && share > (runs.get(name) ?? 0)) runs.set(name, share);
  };
  for (let at = 0; at < words.length; at++) {
    for (let length = 1; length <= maxRunLength && at + length <= words.length; length++) {
      const run = words.slice(at, at + length);
      if (run.every((word) => soft.has(word))) continue;
      const share = length / words.length;
      const name = run.join("");
      add(name, share);
      for (const long of longFormsOf(name)) add(long, share);
      add(name.replace(digitsBehind, ""), 0.9 * share);
    }
  }
  return runs;
}
