import { analyseText } from "./analyse.ts";
import { phraseTables } from "./phrases/index.ts";

/** A phrase as it is written in a table, and the words behind its `>`. */
interface WrittenPhrase {
  readonly said: string;
  readonly meant: string;
}

/** What people say in several words. */
interface Phrase {
  /** Its words, stemmed; where it has a gap, those before it. */
  readonly words: readonly string[];
  /** The words behind the gap; none where it has no gap. */
  readonly rest: readonly string[];
  /** Words by which documentation has it, as the table has them: phrases that have the same are of one meaning. */
  readonly meant: string;
  /** The same as terms. */
  readonly terms: readonly string[];
}

const none: readonly Phrase[] = [];
/** Meanings that one question has; more than any question of a sentence has. */
const mostMeanings = 8;
/** Words that may stand in a gap. */
const widestGap = 3;
/** Words that count as they are written: who asks about logging in production does not ask about logging in. */
const asWritten: ReadonlySet<string> = new Set(["log", "logs", "logged", "logging"]);

/**
 * For each phrase of a question, the terms by which documentation has what it means: those of "disable" for "how do I turn
 * it off". Each meaning once, and the first few: every term is one more to look up.
 */
export const meantBy: (query: string) => readonly (readonly string[])[] = createPhrases(phraseTables);

/**
 * What phrases mean by these tables. A table has one meaning a line: phrases with `|` between them, `>`, and words by which
 * documentation has it; `*` in a phrase stands for up to three words. Nothing of them is read before the first question,
 * and of the phrases only those that begin with a word that a question has.
 */
export function createPhrases(tables: readonly string[]): (query: string) => readonly (readonly string[])[] {
  let written: ReadonlyMap<string, readonly WrittenPhrase[]> | undefined;
  const read = new Map<string, readonly Phrase[]>();
  const startingWith = (word: string): readonly Phrase[] => {
    written ??= byFirstWord(tables);
    const known = read.get(word);
    if (known !== undefined) return known;
    const found = written.get(word)?.map(toPhrase) ?? none;
    if (found.length > 0) read.set(word, found);
    return found;
  };
  return (query) => {
    const words = formsOf(query);
    const found = new Map<string, readonly string[]>();
    for (const [at, word] of words.entries())
      for (const phrase of startingWith(word)) if (isAt(words, at, phrase)) found.set(phrase.meant, phrase.terms);
    return [...found.values()].slice(0, mostMeanings);
  };
}

function isAt(words: readonly string[], at: number, { words: first, rest }: Phrase): boolean {
  const stand = (row: readonly string[], from: number) => row.every((word, offset) => words[from + offset] === word);
  if (!stand(first, at)) return false;
  for (let gap = 0; gap <= widestGap; gap++) if (stand(rest, at + first.length + gap)) return true;
  return false;
}

/** The phrases of the tables by the form of their first word. */
function byFirstWord(tables: readonly string[]): Map<string, WrittenPhrase[]> {
  const phrases = tables.flatMap((table) => table.trim().split("\n")).flatMap(phrasesOfLine);
  const found = new Map<string, WrittenPhrase[]>();
  for (const [first, those] of Map.groupBy(phrases, ({ said }) => said.split(" ", 1).join(""))) {
    const [form = ""] = formsOf(first);
    found.set(form, [...(found.get(form) ?? []), ...those]);
  }
  return found;
}

function phrasesOfLine(line: string): WrittenPhrase[] {
  const [phrases = "", meant = ""] = line.split(" > ");
  return phrases.split("|").map((said) => ({ said: said.trim(), meant }));
}

function toPhrase({ said, meant }: WrittenPhrase): Phrase {
  const [words = [], rest = []] = said.split("*").map(formsOf);
  return { words, rest, meant, terms: [...new Set(meant.split(" ").map(analyseText))] };
}

/** The words of a text, hyphens and apostrophes between them, each stemmed. */
function formsOf(text: string): readonly string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (asWritten.has(word) ? word : analyseText(word)));
}
