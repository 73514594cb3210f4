import { hash } from "node:crypto";
import type { ExtractedSnippet, PlainSnippet } from "./page.ts";
import { estimateTokens } from "./tokens.ts";

/** Gives the snippets of a page their ids, their keys for finding duplicates, and their tokens. */
export function identify(path: string, snippets: readonly PlainSnippet[]): readonly ExtractedSnippet[] {
  const ordinals = new Map<string, number>();
  return snippets.map((snippet) => {
    const text = textOf(snippet);
    const key = digest([path, snippet.breadcrumb, snippet.kind, text]);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return {
      ...snippet,
      id: ordinal === 0 ? key : digest([key, ordinal]),
      sameness: digest([snippet.title, text].map((part) => part.replace(/\s+/g, " ").trim())),
      tokens: tokensOf(snippet),
    };
  });
}

function tokensOf({ title, description, breadcrumb, codes, content }: PlainSnippet): number {
  if (content !== undefined) return estimateTokens(content) + estimateTokens(breadcrumb.join(" > "));
  const code = codes.reduce((sum, block) => sum + estimateTokens(block.code), 0);
  return code + estimateTokens(title) + estimateTokens(description);
}

function textOf({ codes, content }: PlainSnippet): string {
  return content ?? codes.map(({ code }) => code).join("\n");
}

/** The first 22 characters, more than 128 bits, of SHA-256 in base64url. */
function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url").slice(0, 22);
}
