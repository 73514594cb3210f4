import { readAddress } from "./address.ts";
import { analyse } from "./analyse.ts";
import { languageOfNameWord, languagesIn } from "./languages.ts";
import { distinct, foldName, idsOf, lastOf, nameWords, shortName } from "./names.ts";
import { longFormsOf } from "./nicknames.ts";
import { analyseQuestion } from "./question.ts";

/** A text that asks for a library, and what it may mean. Everything is folded. */
export interface RequestedName {
  /** Possible IDs. */
  readonly ids: readonly string[];
  /** Names that the whole text may be, the most certain first. */
  readonly names: readonly string[];
  /** Its last part, if it has an owner or a scope in front; otherwise "". */
  readonly owned: string;
  /** That owner or scope, or "". */
  readonly owner: string;
  /** Its words without versions and filling words. */
  readonly words: readonly string[];
  /** Names that runs of its words may spell, with the share of its words that each has. */
  readonly runs: ReadonlyMap<string, number>;
  /** Its analysed terms, and those that are neither a language nor often left out. */
  readonly terms: readonly string[];
  readonly core: readonly string[];
  /** Languages that it names. */
  readonly languages: ReadonlySet<string>;
}

/** What a search asks for besides the library's name. */
export interface RequestedTopics {
  readonly terms: readonly string[];
  /** The folded words of the question. */
  readonly words: readonly string[];
  readonly languages: ReadonlySet<string>;
}

/** Maximum characters and words of a name that are read, and maximum words that may spell a name together. */
const maxNameLength = 200;
const maxWords = 12;
const maxRunLength = 5;

/** Filling words: they do not tell which library is meant. */
const filler: ReadonlySet<string> = new Set(
  `a an and about context doc docs documentation documents find for framework from get github guide how i in is it
  latest library libraries lib manual me module need npm of official on package please reference show stable the to
  tutorial up use using v version want website what with`.split(/\s+/),
);

/** Words that people leave out of a product's name, or add to it. */
const soft: ReadonlySet<string> = new Set(
  "api apis binding bindings client clients driver for in library lib official of package sdk sdks the wrapper".split(
    " ",
  ),
);

const ecosystem =
  /^(?:pkg:)?(?:npm|pypi|pip|cargo|crates|gem|rubygems|composer|nuget|maven|golang|hex|pub|jsr)[:/](?=.)/i;
const typings = /^@types\/(?=.)/;
/** A version behind a name: name@1.2, name@latest, name==1.2, name^1. */
const versionBehind =
  /(?<=[^\s@=<>~^!])(?:@(?=[\dv^~=<>*]|(?:latest|next|canary|beta|alpha|rc|stable|lts)$)|[=<>~!]=|[<>^~](?=\d)).*$/i;
const version = /^[v^~=<>]*\d+(?:[.x*]\S*)?$/i;
const topDomain = /(?<=[^.\s])\.(?:com|org|net|io|app|ai|sh|co)$/i;
const digitsBehind = /(?<=\p{L}{2})\d{1,2}$/u;
const genericBehind = /(?<=.{3})(?:project|framework|lang|library|hq|python|binary)$/u;

/** Whether people leave a word out of a product's name, or add it. */
export function isSoft(word: string): boolean {
  return soft.has(word) || filler.has(word) || version.test(word);
}

/** Reads a name: as written, as an ID, address or package, and without version, digits and filling words. */
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

/** Reads the question besides the name. */
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

/** The names with and without `js` and the like behind them. */
export function spellingsOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, `${name}js`, shortName(name) ?? name]));
}

/** Names that runs of words may spell, with the share of the words. Runs of words that people leave out do not count. */
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
