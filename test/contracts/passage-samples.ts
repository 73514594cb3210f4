import type { ExampleBlock, Passage, PassageBlock } from "../../domain/passage.ts";

/** A passage of code, below prose that leads to it where there is a `description`; `id` also makes its page, unless `page` names one. */
export function codePassage(
  id: string,
  { title = "", description = "", language = "ts", code = "", page = id, path, flags }: CodeSample = {},
): Passage {
  const place = placed(page, path);
  const example: ExampleBlock = {
    type: "code",
    title,
    description,
    codes: [{ language, code }],
    url: place.source.url,
    lines: [4, 6],
  };
  const blocks: readonly PassageBlock[] =
    description === "" ? [example] : [{ type: "prose", markdown: description }, example];
  return { id, title, breadcrumb: [], blocks, ...place, ...(flags && { flags }) };
}

/** A passage of prose. */
export function prosePassage(
  id: string,
  markdown: string,
  { title = "", breadcrumb = [], page = id, path }: ProseSample = {},
): Passage {
  return { id, title, breadcrumb, blocks: [{ type: "prose", markdown }], ...placed(page, path) };
}

/** A passage of prose, code and prose. */
export function mixedPassage(
  id: string,
  before: string,
  code: string,
  after: string,
  { language = "ts", ...more }: ProseSample & Pick<CodeSample, "language"> = {},
): Passage {
  const passage = prosePassage(id, before, more);
  const {
    title,
    source: { url },
  } = passage;
  const example: ExampleBlock = { type: "code", title, description: "", codes: [{ language, code }], url };
  return { ...passage, blocks: [...passage.blocks, example, { type: "prose", markdown: after }] };
}

interface CodeSample extends Partial<Pick<Passage, "title" | "flags">> {
  readonly description?: string;
  readonly language?: string;
  readonly code?: string;
  readonly page?: string;
  readonly path?: string;
}

interface ProseSample extends Partial<Pick<Passage, "title" | "breadcrumb">> {
  readonly page?: string;
  readonly path?: string;
}

function placed(page: string, path = `docs/${page}.md`): Pick<Passage, "page" | "source" | "tokens"> {
  const url = `https://docs.example.com/${page}`;
  return { page: { title: page, url }, source: { path, url, lines: [1, 9], revision: "r1" }, tokens: 40 };
}

/** Passages as the parts of a generation, with a number of passages a part. */
export async function* partsOf(passages: readonly object[], size = 100): AsyncIterable<Uint8Array> {
  for (let at = 0; at < passages.length; at += size) yield partOf(passages.slice(at, at + size));
}

/** Passages as one part, a line of JSON each. */
export function partOf(passages: readonly unknown[]): Uint8Array {
  return Buffer.from(passages.map((passage) => `${JSON.stringify(passage)}\n`).join(""));
}
