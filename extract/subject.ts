import type { OutlinePage } from "../domain/outline.ts";
import type { Passage } from "../domain/passage.ts";
import type { Subject, WordCounts } from "../domain/subject.ts";

/** Maximum number of words of titles and of passages that are kept. */
const maxTitleWords = 500;
const maxPassageWords = 1500;
/** Maximum number of characters of a passage's prose that are read, and of a word. */
const maxProse = 1000;
const maxWord = 30;
/** Maximum number of distinct words that are counted at once; beyond it the rarest ones are forgotten. */
const maxDistinct = 50_000;

/** Counts the words of a generation, page by page. */
export interface SubjectCounter {
  add(page: Pick<OutlinePage, "title" | "sections">, served: readonly Passage[]): void;
  subject(): Subject;
}

/** Creates the counter of a generation's words. */
export function createSubjectCounter(): SubjectCounter {
  const titles = createWordCounter();
  const passages = createWordCounter();
  return {
    add({ title, sections }, served) {
      titles.add(title);
      for (const { heading } of sections) titles.add(heading);
      for (const passage of served) passages.add(proseOf(passage));
    },
    subject: () => ({ titles: titles.counts(maxTitleWords), passages: passages.counts(maxPassageWords) }),
  };
}

function createWordCounter() {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    add(text: string): void {
      total += 1;
      for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (let rare = 1; counts.size > maxDistinct; rare += 1)
        for (const [word, count] of counts) if (count <= rare) counts.delete(word);
    },
    counts(limit: number): WordCounts {
      const words = [...counts].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
      return { total, words: words.slice(0, limit) };
    },
  };
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*/gu;
const isNumber = /^[\d_-]+$/;
/** Scripts without spaces, whose words are counted as pairs of characters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/u;

/** The words of a text, in lower case unless they are identifiers such as useRouter. Numbers and long words are left out. */
function wordsOf(text: string): readonly string[] {
  return (text.match(wordPattern) ?? []).flatMap((word) => {
    if (unspaced.test(word))
      return Array.from(word).flatMap((one, at, all) => (all[at + 1] === undefined ? [] : [one + all[at + 1]]));
    if (word.length > maxWord || word.length < 2 || isNumber.test(word)) return [];
    return [/\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()];
  });
}

/** The beginning of a passage's prose, without the targets of links. */
function proseOf({ blocks }: Passage): string {
  let text = "";
  for (const block of blocks)
    if (block.type === "prose" && text.length < maxProse) text += ` ${block.markdown.slice(0, maxProse)}`;
  return text
    .slice(0, maxProse)
    .replace(/\]\([^)\s]*\)/g, "]")
    .replace(/https?:\/\/\S+/g, " ");
}
