import { mediaTypeOf } from "../../extract/formats.ts";
import { extractPage } from "../../extract/index.ts";
import type { ExtractedCode, ExtractedExample, ExtractedPassage, PageResult } from "../../extract/page.ts";

const encoder = new TextEncoder();

/** Extracts from a page that is given as text or bytes. */
export function extract(path: string, text: string | Uint8Array): PageResult {
  return extractPage({
    path,
    mediaType: mediaTypeOf(path),
    bytes: typeof text === "string" ? encoder.encode(text) : text,
  });
}

/** A page's passages; none where it was skipped. */
export function passagesOf(result: PageResult): readonly ExtractedPassage[] {
  return result.outcome === "skipped" ? [] : result.passages;
}

/** The code of a page, in order, with the headings of its passages. */
export function examplesOf(result: PageResult): (ExtractedExample & Pick<ExtractedPassage, "breadcrumb">)[] {
  return passagesOf(result).flatMap(({ blocks, breadcrumb }) =>
    blocks.flatMap((block) => (block.type === "code" ? [{ ...block, breadcrumb }] : [])),
  );
}

/** The prose of a page, one text for each stretch between code or passages. */
export function proseOf(result: PageResult): string[] {
  return passagesOf(result).flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : [])),
  );
}

/** The prose of a page given as text, with a line of hyphens between its parts. */
export function proseIn(page: string, path = "a.md"): string {
  return proseOf(extract(path, page)).join("\n---\n");
}

/** The blocks of code of a page, in order, with the lines of their examples. */
export function codesOf(result: PageResult): (ExtractedCode & { readonly lines: readonly [number, number] })[] {
  return examplesOf(result).flatMap(({ codes, lines }) => codes.map((code) => ({ ...code, lines })));
}

/** The extraction of a page with these files in its tree. */
export function withFiles(path: string, text: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const toBytes = (content: string | Uint8Array) => (typeof content === "string" ? encoder.encode(content) : content);
  const entries = Object.entries(files).map(([name, content]) => [name, toBytes(content)] as const);
  return extractPage({ path, mediaType: mediaTypeOf(path), bytes: encoder.encode(text), files: new Map(entries) });
}
