import type { Snippet } from "../domain/snippet.ts";
import { oneLine } from "../domain/one-line.ts";

/**
 * The snippets of an answer, without what the text form would say twice: where the prose of the same page has already
 * said what leads in to code, of the lead-in only its last sentence is left, the one that speaks of the code. Code and
 * prose stay as they are.
 */
export function withoutRepeats(snippets: readonly Snippet[]): readonly Snippet[] {
  /** What was said of each page so far. */
  const said = new Map<string, string>();
  return snippets.map((snippet) => {
    const { url } = snippet.page;
    const before = said.get(url) ?? "";
    const own = plain(snippet.content ?? snippet.description);
    said.set(url, `${before} ${own}`);
    if (snippet.kind === "info" || own === "" || !before.includes(own)) return snippet;
    return { ...snippet, description: snippet.description.slice(lastSentenceOf(snippet.description)) };
  });
}

/** Prose without the signs of Markdown and with single spaces, so that the same words are the same text. */
function plain(markdown: string): string {
  return oneLine(markdown.replace(/\]\([^()\s]{0,500}\)/g, "]").replace(/[`*_\\![\]]/g, ""));
}

/** Where the last sentence begins. */
function lastSentenceOf(text: string): number {
  let start = 0;
  for (const { index, 0: gap } of text.matchAll(/[.!?]\s+(?=\S)/g)) start = index + gap.length;
  return start;
}
