import type * as z from "zod";

import { byPage } from "../domain/arranging.ts";
import type { LibraryEntry } from "../domain/ports.ts";
import { kindsOf } from "../domain/passage.ts";
import type { ContentKind, ExampleBlock, Passage } from "../domain/passage.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { closeFences, namedCode, renderExample } from "./markdown.ts";
import type { contextSchema, librarySchema } from "./schemas/reading.ts";

/** Code of more lines or estimated tokens is an item of its own in the JSON form. */
const shortCode = { lines: 20, tokens: 300 };

type Context = z.infer<typeof contextSchema>;

/**
 * The JSON form of passages, the best first: in the order of their pages; code stands in its place in the prose. Long code of the first page is
 * named there and is among the code snippets; clients print these before all prose, so that of other pages stays in its place. Asked for code
 * alone, all of it is among them.
 */
export function renderJson(chosen: readonly Passage[], kind?: ContentKind): Context {
  const passages = byPage(chosen).flat();
  const first = passages[0]?.page.url;
  const isOwn = (passage: Passage, example: ExampleBlock): boolean =>
    kind === "code" || (passage.page.url === first && (isLong(example) || !kindsOf(passage).includes("info")));
  return {
    codeSnippets: passages.flatMap((passage) => codeSnippets(passage, (example) => isOwn(passage, example))),
    infoSnippets: passages.flatMap((passage) => infoSnippet(passage, (example) => isOwn(passage, example))),
  };
}

type Chosen = (example: ExampleBlock) => boolean;

function codeSnippets({ title, page, blocks }: Passage, isChosen: Chosen): Context["codeSnippets"] {
  return blocks.flatMap((block) => {
    if (block.type === "prose" || !isChosen(block)) return [];
    const codes = block.codes.map(({ language, code, file, sources, madeFrom }) => ({
      language,
      code,
      ...(file !== undefined && { file }),
      ...(sources && { sources: sources.map(({ url }) => url) }),
      ...(madeFrom !== undefined && { madeFrom }),
    }));
    const marks = block.codes.flatMap((code) => code.marks ?? []);
    const description = [block.description, ...marks].filter((text) => text !== "").join(" ");
    return [
      {
        codeTitle: block.title || title,
        codeDescription: description,
        codeLanguage: codes[0]?.language ?? "",
        codeTokens: estimateTokens([block.title, description, ...codes.map(({ code }) => code)].join("\n")),
        codeId: block.url,
        pageTitle: page.title,
        codeList: codes,
      },
    ];
  });
}

function infoSnippet({ blocks, source, breadcrumb }: Passage, isNamed: Chosen): Context["infoSnippets"] {
  if (blocks.every((block) => block.type === "code" && isNamed(block))) return [];
  const content = blocks
    .flatMap((block) => {
      if (block.type === "prose") return [closeFences(block.markdown)];
      return isNamed(block) ? [namedCode(block)] : renderExample(block);
    })
    .join("\n\n");
  return [{ pageId: source.url, breadcrumb: breadcrumb.join(" > "), content, contentTokens: estimateTokens(content) }];
}

function isLong({ codes }: ExampleBlock): boolean {
  const lines = codes.reduce((sum, { code }) => sum + code.split("\n").length, 0);
  return lines > shortCode.lines || codes.reduce((sum, { code }) => sum + estimateTokens(code), 0) > shortCode.tokens;
}

/** A library as an item of search results. */
export function renderLibrary(entry: LibraryEntry): z.infer<typeof librarySchema> {
  return {
    id: entry.id,
    title: entry.title,
    description: entry.description,
    branch: entry.branch,
    lastUpdateDate: new Date(entry.updatedAt).toISOString(),
    state: "finalized",
    totalTokens: entry.totalTokens,
    totalSnippets: entry.totalSnippets,
    stars: -1,
    ...(entry.trust !== null && { trustScore: Math.round(entry.trust) }),
    benchmarkScore: -1,
    versions: entry.versions.filter((version) => version !== ""),
    source: entry.source,
  };
}
