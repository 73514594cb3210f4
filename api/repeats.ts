import type { ExampleBlock } from "../domain/passage.ts";
import { paragraphsOf } from "./markdown.ts";

/** What an answer has said already. */
export interface Repeats {
  /** Prose without the paragraphs that were there before; "" where nothing is left. */
  prose(markdown: string): string;
  /** Whether the same code was there before. */
  isRepeated(example: ExampleBlock): boolean;
}

/** Shorter text and code is not remembered, in characters: said twice it takes less than a word on it. */
const short = 40;

/** Begins an answer. */
export function createRepeats(): Repeats {
  const said = new Set<string>();
  const isNew = (text: string): boolean => {
    if (text.length <= short) return true;
    if (said.has(text)) return false;
    said.add(text);
    return true;
  };
  return {
    prose: (markdown) => {
      const kept: string[] = [];
      for (const paragraph of paragraphsOf(markdown)) {
        if (isNew(paragraph)) kept.push(paragraph);
        // What leads to something leads to nothing without a word on it.
        else if (kept.at(-1)?.endsWith(":") === true) kept.push("[as above]");
      }
      return kept.join("\n\n");
    },
    isRepeated: ({ codes }) => !isNew(codes.map(({ code }) => code).join("\n")),
  };
}
