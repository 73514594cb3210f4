import type { Snippet } from "../domain/snippet.ts";
import { oneLine } from "./one-line.ts";

/**
 * The snippets of an answer, without what the text form would say twice: where the prose of the same page has already
 * said what leads in to code, of the lead-in only its last sentence is left, the one that speaks of the code. Code and
 * prose stay as they are.
 */
export function withoutRepeats(snippets: readonly Snippet[]): readonly Snippet[] {
  const pages = new Map<string, Said>();
  return snippets.map((snippet) => {
    const page = pages.get(snippet.page.url) ?? { plain: "", prose: [] };
    pages.set(snippet.page.url, page);
    const prose = snippet.content ?? snippet.description;
    // What comes first is no repeat, and neither is prose: of most pages the words are never compared.
    if (snippet.kind === "info" || (page.plain === "" && page.prose.length === 0)) {
      page.prose.push(prose);
      return snippet;
    }
    for (const said of page.prose.splice(0)) page.plain += ` ${plain(said)}`;
    const before = page.plain;
    const own = plain(prose);
    page.plain += ` ${own}`;
    if (own === "" || !before.includes(own)) return snippet;
    return { ...snippet, description: snippet.description.slice(lastSentenceOf(snippet.description)) };
  });
}

/** What was said of a page so far. */
interface Said {
  /** Without Markdown. */
  plain: string;
  /** What is to come behind `plain`, as Markdown. */
  readonly prose: string[];
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
