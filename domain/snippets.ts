import type { ExampleBlock, Passage } from "./passage.ts";
import { closeFences, headingText, piecesOf } from "./markdown.ts";

/** A passage split into its examples and all other prose. */
export interface SplitPassage {
  readonly examples: readonly { readonly example: ExampleBlock; readonly description: string }[];
  /** Other prose, as Markdown; "": none. */
  readonly prose: string;
}

/** Characters: a lead-in shorter than the first number includes the paragraph before it, unless that is longer than the second. */
const shortLead = 80;
const longContext = 500;

/**
 * Splits a passage into examples and prose. The paragraph directly above an example becomes its description, with the one before
 * it if it is short; without one the example keeps the description of the extraction.
 */
export function splitPassage({ blocks, page }: Pick<Passage, "blocks" | "page">): SplitPassage {
  const examples: { example: ExampleBlock; description: string }[] = [];
  /** Paragraphs so far; null in place of code. */
  const prose: (string | null)[] = [];
  for (const { text, example } of piecesOf(blocks, page.title)) {
    if (example) examples.push({ example, description: takeLead(prose) || example.description });
    prose.push(example ? null : text);
  }
  const kept = prose.filter((paragraph, at) => paragraph !== null && !leadsNowhere(prose, at));
  return { examples, prose: closeFences(kept.join("\n\n")) };
}

/** Number of snippets of a passage in the JSON form. */
export function snippetsOf(passage: Pick<Passage, "blocks" | "page">): number {
  const { examples, prose } = splitPassage(passage);
  return examples.length + (prose === "" ? 0 : 1);
}

/** Removes the lead-in to the following code from the end of the prose, and returns it; "" for none. */
function takeLead(prose: (string | null)[]): string {
  const last = prose.at(-1) ?? "";
  if (!isParagraph(last)) return "";
  prose.pop();
  const before = prose.at(-1) ?? "";
  if (last.length >= shortLead || before.length > longContext || !isParagraph(before)) return last.trim();
  prose.pop();
  return [before, last].map((text) => text.trim()).join("\n\n");
}

/** Whether a piece is a paragraph or a single list item: not a heading, table, quote, list or omission mark. */
function isParagraph(text: string): boolean {
  if (text === "" || headingText(text) !== undefined || /^\s*(?:[>|[<]|`{3}|~{3})/.test(text)) return false;
  const items = text.match(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm) ?? [];
  return items.length <= 1;
}

/** Whether a heading has nothing left below it, as all its text was code or lead-ins. */
function leadsNowhere(prose: readonly (string | null)[], at: number): boolean {
  const level = levelOf(prose[at]);
  if (level === 0) return false;
  let wasCode = false;
  for (const next of prose.slice(at + 1)) {
    if (next === null) wasCode = true;
    else if (levelOf(next) === 0) return false;
    else if (levelOf(next) <= level) break;
  }
  return wasCode;
}

/** Level of a heading; 0 for any other paragraph. */
function levelOf(paragraph: string | null | undefined): number {
  return paragraph && headingText(paragraph) !== undefined ? paragraph.indexOf(" ") : 0;
}
