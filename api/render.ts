import type * as z from "zod";

import type { LibraryEntry } from "../domain/ports.ts";
import type { ClaimedName } from "../domain/source.ts";
import type { CodeBlock, ExampleBlock, Passage } from "../domain/passage.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { apartOf } from "./apart.ts";
import { headingsOf } from "./headings.ts";
import type { contextSchema, librarySchema } from "./schemas/reading.ts";

type Context = z.infer<typeof contextSchema>;
type Snippets = Pick<Context, "codeSnippets" | "infoSnippets">;

/**
 * The JSON form of passages, the best first: each example of code with the prose that explains it, and all other prose, each in the
 * order of the passages.
 */
export function renderJson(passages: readonly Passage[]): Snippets {
  const apart = passages.map((passage) => ({ passage, ...apartOf(passage) }));
  return {
    codeSnippets: apart.flatMap(({ passage, examples }) =>
      examples.map(({ example, description }) => codeSnippet(passage, example, description)),
    ),
    infoSnippets: apart.flatMap(({ passage, prose }) => (prose === "" ? [] : [infoSnippet(passage, prose)])),
  };
}

function codeSnippet(
  { title, page, source }: Passage,
  example: ExampleBlock,
  explained: string,
): Context["codeSnippets"][0] {
  const codes = example.codes.map(toCode);
  const marks = example.codes.flatMap((code) => code.marks ?? []);
  const description = [explained, marks.join(" ")].filter((text) => text !== "").join("\n\n");
  return {
    codeTitle: example.title || title,
    codeDescription: description,
    codeLanguage: codes[0]?.language ?? "",
    codeTokens: estimateTokens([example.title, description, ...codes.map(({ code }) => code)].join("\n")),
    codeId: example.url,
    pageTitle: page.title,
    codeList: codes,
    ...includedFrom(example, source.path),
  };
}

/** The file that all code of an example is included from, if that is one file and not the page itself. */
function includedFrom(
  { codes }: ExampleBlock,
  own: string | undefined,
): Pick<Context["codeSnippets"][0], "isDynamic" | "sourceFile"> {
  const files = new Set(codes.flatMap(({ sources }) => (sources ?? [{ path: own }]).map(({ path }) => path)));
  const [sourceFile] = files;
  return files.size !== 1 || sourceFile === undefined || sourceFile === own ? {} : { isDynamic: true, sourceFile };
}

function toCode({
  language,
  code,
  file,
  label,
  sources,
  madeFrom,
}: CodeBlock): Context["codeSnippets"][0]["codeList"][0] {
  return {
    language,
    code,
    ...(file !== undefined && { file }),
    ...(label !== undefined && { label }),
    ...(sources && { sources: sources.map(({ url }) => url) }),
    ...(madeFrom !== undefined && { madeFrom }),
  };
}

function infoSnippet({ source, breadcrumb, page }: Passage, content: string): Context["infoSnippets"][0] {
  const way = [page.title, ...headingsOf(breadcrumb, page.title)].filter((heading) => heading !== "");
  return { pageId: source.url, breadcrumb: way.join(" > "), content, contentTokens: estimateTokens(content) };
}

/** A library as an item of search results; `claim` is the one by which it is found. */
export function renderLibrary(entry: LibraryEntry, claim?: ClaimedName): z.infer<typeof librarySchema> {
  return {
    id: entry.id,
    title: entry.title,
    description: entry.description,
    branch: entry.branch,
    lastUpdateDate: new Date(entry.updatedAt).toISOString(),
    state: "finalized",
    totalTokens: entry.totalTokens,
    totalSnippets: entry.totalSnippets,
    ...(entry.stars !== undefined && { stars: entry.stars }),
    ...(entry.trust !== null && { trustScore: Math.round(entry.trust) }),
    versions: entry.versions.filter((version) => version !== ""),
    ...(claim && { package: { name: claim.name, manifest: claim.manifest } }),
    source: entry.source,
  };
}
