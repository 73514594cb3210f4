import type { CodeBlock, Passage } from "./passage.ts";

/** A line of a generation of format 1: code or prose alone. */
export interface SnippetLine extends Omit<Passage, "blocks"> {
  readonly kind: "code" | "info";
  readonly description: string;
  readonly codes: readonly CodeBlock[];
  readonly content?: string;
}

/**
 * Parses a line of a generation, whose parts were checked against their hashes. A line of format 1 becomes a passage of one
 * example with its description, or of prose.
 * @throws SyntaxError for invalid JSON
 */
export function readPassage(line: string): Passage {
  return toPassage(JSON.parse(line) as Passage | SnippetLine);
}

/** A parsed line of either format as a passage. */
export function toPassage(read: Passage | SnippetLine): Passage {
  if ("blocks" in read) return read;
  const { kind, description, codes, content = "", ...passage } = read;
  if (kind === "info") return { ...passage, blocks: [{ type: "prose", markdown: content }] };
  const { url, lines } = read.source;
  const example = { type: "code", title: read.title, description, codes, url, ...(lines && { lines }) } as const;
  return {
    ...passage,
    blocks: [...(description === "" ? [] : [{ type: "prose", markdown: description } as const]), example],
  };
}
