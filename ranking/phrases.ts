import { analyseText } from "./analyse.ts";
import { phraseTable } from "./phrase-table.ts";

/** What people say in several words. */
interface Phrase {
  /** Its words, stemmed; where it has a gap, those before it. */
  readonly words: readonly string[];
  /** The words behind the gap; none where it has no gap. */
  readonly rest: readonly string[];
  /** Terms by which documentation has it. */
  readonly meant: readonly string[];
}

/** Meanings that one question has; more than any question of a sentence has. */
const mostMeanings = 8;
/** Words that may stand in a gap. */
const widestGap = 3;
/** Words that count as they are written: who asks about logging in production does not ask about logging in. */
const asWritten: ReadonlySet<string> = new Set(["log", "logs", "logged", "logging"]);

/** The phrases of the table by their first word. */
const phrases: ReadonlyMap<string, readonly Phrase[]> = toMap();

/**
 * For each phrase of a question, the terms by which documentation has what it means: those of "disable" for "how do I turn
 * it off". Each meaning once, and the first few: every term is one more to look up.
 */
export function meantBy(query: string): readonly (readonly string[])[] {
  const words = formsOf(query);
  const found = words.flatMap((word, at) =>
    (phrases.get(word) ?? []).filter((phrase) => isAt(words, at, phrase)).map(({ meant }) => meant),
  );
  return [...new Set(found)].slice(0, mostMeanings);
}

function isAt(words: readonly string[], at: number, { words: first, rest }: Phrase): boolean {
  const stand = (row: readonly string[], from: number) => row.every((word, offset) => words[from + offset] === word);
  if (!stand(first, at)) return false;
  for (let gap = 0; gap <= widestGap; gap++) if (stand(rest, at + first.length + gap)) return true;
  return false;
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

function toMap(): Map<string, Phrase[]> {
  const found = new Map<string, Phrase[]>();
  for (const rule of phraseTable.split(",")) {
    const [said = "", meant = ""] = rule.split(">");
    const terms = [...new Set(meant.trim().split(/\s+/).map(analyseText))];
    for (const phrase of said.split("|")) {
      const [words = [], rest = []] = phrase.split("*").map(formsOf);
      const [first = ""] = words;
      found.set(first, [...(found.get(first) ?? []), { words, rest, meant: terms }]);
    }
  }
  return found;
}
