import type { Snippet } from "../domain/snippet.ts";

/** The snippet as it is served: code blocks that name no language are in the library's. "" leaves them as they are. */
export function withLanguage(snippet: Snippet, language: string): Snippet {
  if (language === "" || snippet.codes.every((block) => block.language !== "")) return snippet;
  return { ...snippet, codes: snippet.codes.map((block) => (block.language === "" ? { ...block, language } : block)) };
}
