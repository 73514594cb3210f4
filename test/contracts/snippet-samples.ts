import type { Snippet } from "../../domain/snippet.ts";

/** A code snippet; `id` also makes its page, unless `page` names one. */
export function codeSnippet(
  id: string,
  { title = "", description = "", language = "ts", code = "", page = id, path, flags }: CodeSample = {},
): Snippet {
  return {
    id,
    kind: "code",
    title,
    description,
    breadcrumb: [],
    codes: [{ language, code }],
    ...placed(page, path),
    ...(flags && { flags }),
  };
}

/** An info snippet with its prose. */
export function infoSnippet(
  id: string,
  content: string,
  { title = "", breadcrumb = [], page = id, path }: InfoSample = {},
): Snippet {
  return { id, kind: "info", title, description: "", breadcrumb, codes: [], content, ...placed(page, path) };
}

interface CodeSample extends Partial<Pick<Snippet, "title" | "description" | "flags">> {
  readonly language?: string;
  readonly code?: string;
  readonly page?: string;
  readonly path?: string;
}

interface InfoSample extends Partial<Pick<Snippet, "title" | "breadcrumb">> {
  readonly page?: string;
  readonly path?: string;
}

function placed(page: string, path = `docs/${page}.md`): Pick<Snippet, "page" | "source" | "tokens"> {
  const url = `https://docs.example.com/${page}`;
  return { page: { title: page, url }, source: { path, url, lines: [1, 9], revision: "r1" }, tokens: 40 };
}

/** Snippets as the parts of a generation: so many a part. */
export async function* partsOf(snippets: readonly Snippet[], size = 100): AsyncIterable<Uint8Array> {
  for (let at = 0; at < snippets.length; at += size) yield partOf(snippets.slice(at, at + size));
}

/** Snippets as one part: JSON, a line each. */
export function partOf(snippets: readonly unknown[]): Uint8Array {
  return Buffer.from(snippets.map((snippet) => `${JSON.stringify(snippet)}\n`).join(""));
}
