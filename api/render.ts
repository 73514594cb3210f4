import type * as z from "zod";

import type { LibraryEntry } from "../domain/ports.ts";
import type { CodeBlock, Snippet } from "../domain/snippet.ts";
import { oneLine } from "../domain/one-line.ts";
import { withoutRepeats } from "./repeats.ts";
import type { contextSchema, librarySchema } from "./schemas/reading.ts";

/** Changes whenever the same snippets are rendered differently, so that kept answers are not used again. */
export const renderVersion = "4";

/** Between two snippets of the text form. */
const separator = `\n\n${"-".repeat(32)}\n\n`;

/**
 * The text form: both kinds in one order, as Markdown, without what it would say twice. `library` names what was asked
 * where nothing was found.
 */
export function renderText(library: string, snippets: readonly Snippet[]): string {
  if (snippets.length === 0) return `No snippet of ${library} answers this question; try other words.`;
  return withoutRepeats(snippets).map(renderSnippet).join(separator);
}

/** The JSON form of an answer: each kind in the order of the snippets. */
export function renderJson(snippets: readonly Snippet[]): z.infer<typeof contextSchema> {
  return {
    codeSnippets: snippets
      .filter(({ kind }) => kind === "code")
      .map(({ title, description, codes, tokens, source, page }) => ({
        codeTitle: title,
        codeDescription: description,
        codeLanguage: codes[0]?.language ?? "",
        codeTokens: tokens,
        codeId: source.url,
        pageTitle: page.title,
        codeList: codes.map(({ language, code, file, sources, madeFrom }) => ({
          language,
          code,
          ...(file !== undefined && { file }),
          ...(sources && { sources: sources.map(({ url }) => url) }),
          ...(madeFrom !== undefined && { madeFrom }),
        })),
      })),
    infoSnippets: snippets
      .filter(({ kind }) => kind === "info")
      .map(({ breadcrumb, content, tokens, source }) => ({
        pageId: source.url,
        breadcrumb: breadcrumb.join(" > "),
        content: content ?? "",
        contentTokens: tokens,
      })),
  };
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

function renderSnippet(snippet: Snippet): string {
  const title = oneLine(snippet.title);
  const body =
    snippet.kind === "code"
      ? [closeFences(snippet.description), ...snippet.codes.flatMap(renderCode)]
      : [closeFences(snippet.content ?? "")];
  return [title === "" ? "" : `### ${title}`, `Source: ${oneLine(snippet.source.url)}`, ...body]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A block with its file's name, and with where it stands if the page includes it from other files, or what it was made from. */
function renderCode({ language, code, file, sources, madeFrom }: CodeBlock): string[] {
  const name = file === undefined ? "" : `\`${oneLine(file).replaceAll("`", "'")}\`:`;
  const included = sources ? `Included from ${sources.map(({ url }) => oneLine(url)).join(" and ")}` : "";
  const made = madeFrom === undefined ? "" : `Made from ${oneLine(madeFrom)}`;
  return [name, included, made, fenced(language, code)];
}

/** Code in a fence that is longer than any run of backticks inside. */
function fenced(language: string, code: string): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  const label = language.replace(/[^\p{L}\p{N}+#._-]+/gu, "");
  return `${fence}${label}\n${code}${code.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Prose with a fence that it leaves open closed, so that it does not swallow the snippets behind it. */
function closeFences(markdown: string): string {
  const prose = markdown.trim();
  if (!prose.includes("```") && !prose.includes("~~~")) return prose;
  let open = "";
  for (const [, fence = "", rest = ""] of prose.matchAll(/^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)/gm)) {
    if (open === "") open = fence.startsWith("`") && rest.includes("`") ? "" : fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === "") open = "";
  }
  return open === "" ? prose : `${prose}\n${open}`;
}
