import { mediaTypeOf } from "../../extract/formats.ts";
import { extractPage } from "../../extract/index.ts";
import type { ExtractedCode, ExtractedSnippet, PageResult } from "../../extract/page.ts";

const encoder = new TextEncoder();

/** Extracts from a page that is given as text or bytes. */
export function extract(path: string, text: string | Uint8Array): PageResult {
  return extractPage({
    path,
    mediaType: mediaTypeOf(path),
    bytes: typeof text === "string" ? encoder.encode(text) : text,
  });
}

/** A page's snippets; none where it was skipped. */
export function snippetsOf(result: PageResult, kind?: "code" | "info"): readonly ExtractedSnippet[] {
  if (result.outcome === "skipped") return [];
  return result.snippets.filter((snippet) => kind === undefined || snippet.kind === kind);
}

/** The prose of a page, its snippets parted by a line of hyphens. */
export function proseOf(page: string, path = "a.md"): string {
  return snippetsOf(extract(path, page), "info")
    .map(({ content }) => content)
    .join("\n---\n");
}

/** The blocks of code of a page, in order, with the lines of their snippets. */
export function codesOf(result: PageResult): (ExtractedCode & { readonly lines: readonly [number, number] })[] {
  return snippetsOf(result, "code").flatMap(({ codes, lines }) => codes.map((code) => ({ ...code, lines })));
}

/** What a page gives with these files in its tree. */
export function withFiles(path: string, text: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const toBytes = (content: string | Uint8Array) => (typeof content === "string" ? encoder.encode(content) : content);
  const entries = Object.entries(files).map(([name, content]) => [name, toBytes(content)] as const);
  return extractPage({ path, mediaType: mediaTypeOf(path), bytes: encoder.encode(text), files: new Map(entries) });
}
