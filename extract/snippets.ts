import { hash } from "node:crypto";
import type { CodeBlock, CodeSource, Provenance, Snippet } from "../domain/snippet.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { SourceSpec } from "../domain/kinds/index.ts";
import type { SnippetMark } from "./marks.ts";
import { slug } from "github-slugger";
import { groupOf, signatureOf } from "./near.ts";
import type { ExtractedCode, ExtractedSnippet, PageResult } from "./page.ts";
import { screen } from "./screen/index.ts";
import { estimateTokens } from "./tokens.ts";

/** Where a page stands, and the address that shows it at the revision that was read. */
export interface FinishedPage {
  readonly path: string;
  readonly url: string;
  /** The files that it includes, with such addresses. */
  readonly includes?: readonly { readonly path: string; readonly url: string }[];
}

/** A text that was fetched, and the line of it at which a page begins, from 1. */
export interface FetchedText {
  readonly url: string;
  readonly firstLine: number;
}

/** What was read, and at which revision. */
export interface FinishedSource {
  readonly spec: SourceSpec;
  readonly revision: string;
  /** What lines are counted in, for pages that are not in a tree. */
  readonly resource?: FetchedText | undefined;
}

/** A snippet as a line of its generation. */
export interface SnippetLine extends SnippetMark {
  /** JSON of the Snippet. */
  readonly line: string;
}

/**
 * The snippets of a page as lines, in the order of the page. Ids are the same again for the same text below the same
 * headings.
 */
export function toLines(page: FinishedPage, result: PageResult, source: FinishedSource): SnippetLine[] {
  if (result.outcome !== "indexed") return [];
  const title = result.title || page.path;
  const ordinals = new Map<string, number>();
  return result.snippets.map((extracted, at) => {
    const { kind, description, content, findings } = extracted;
    const shownTitle = extracted.title || title;
    const sameness = samenessOf(shownTitle, extracted);
    const key = digest(page.path, ...extracted.breadcrumb, kind, sameness);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    const snippet: Snippet = {
      id: ordinal === 0 ? key : digest(key, String(ordinal)),
      kind,
      title: shownTitle,
      description,
      breadcrumb: extracted.breadcrumb.length === 0 ? [title] : extracted.breadcrumb,
      codes: toAddressed(extracted.codes, page, source),
      ...(content !== undefined && { content }),
      page: { title, url: page.url },
      source: provenanceOf(extracted, at, page, source),
      tokens: tokensOf(extracted),
      ...(findings && { findings }),
    };
    return toLine(snippet, sameness);
  });
}

function provenanceOf(
  { lines, breadcrumb }: ExtractedSnippet,
  ordinal: number,
  { path, url }: FinishedPage,
  { spec, revision, resource }: FinishedSource,
): Provenance {
  const kind = kindOf(spec);
  if (kind.hasPaths) return { path, url: kind.address(spec, url, { lines }), lines, revision };
  const heading = breadcrumb.length > 1 ? breadcrumb.at(-1) : undefined;
  const address = kind.address(spec, url, heading === undefined ? {} : { fragment: slug(heading) });
  if (resource === undefined) return { url: address, ordinal, revision };
  const shift = resource.firstLine - 1;
  return { url: address, resource: resource.url, lines: [lines[0] + shift, lines[1] + shift], revision };
}

/** A snippet that was read at an earlier revision, as it is at this one: its page has not changed. */
export function movedTo(snippet: Snippet, page: FinishedPage, { spec, revision }: FinishedSource): Snippet {
  const { lines } = snippet.source;
  return {
    ...beforeFinishing(snippet),
    codes: toAddressed(snippet.codes, page, { spec, revision }),
    page: { title: snippet.page.title, url: page.url },
    source: { ...snippet.source, url: kindOf(spec).address(spec, page.url, lines ? { lines } : {}), revision },
  };
}

/** Code with the addresses that its lines have at the revision that is read. */
function toAddressed(
  codes: readonly ExtractedCode[],
  page: FinishedPage,
  { spec }: FinishedSource,
): readonly CodeBlock[] {
  return codes.map(({ sources, ...code }) => {
    if (sources === undefined) return code;
    const addressed = sources.map(({ path, lines }): CodeSource => {
      const file = path === page.path ? page : page.includes?.find((one) => one.path === path);
      return { path, url: kindOf(spec).address(spec, file?.url ?? page.url, { lines }), lines };
    });
    return { ...code, sources: addressed };
  });
}

/** A snippet as it was before the finishing pass decided whether it is served. */
export function beforeFinishing({ flags: _flags, ...snippet }: Snippet): Snippet {
  return snippet;
}

/** A snippet from elsewhere, or of an earlier extractor, as this one screens it: what it says of findings does not count. */
export function screenedAgain({ findings: _findings, ...snippet }: Snippet): Snippet {
  const findings = screen(snippet, placeOf(snippet));
  return findings.length === 0 ? snippet : { ...snippet, findings };
}

/** Writes a snippet as a line. */
export function toLine(snippet: Snippet, sameness = samenessOf(snippet.title, snippet)): SnippetLine {
  const { id, kind, title, description, breadcrumb, codes, content, tokens, page, source, findings, flags } = snippet;
  // What is served comes first, in one piece, so that it is written once for the line and for its digest.
  const served = { kind, id, title, description, breadcrumb, codes, content, tokens };
  const start = JSON.stringify(served);
  const digested = codes.some(({ sources }) => sources !== undefined)
    ? JSON.stringify({ ...served, codes: codes.map(withoutAddresses) })
    : start;
  const place = JSON.stringify({
    page,
    source,
    ...(findings && { findings }),
    ...(flags && flags.length > 0 && { flags }),
  });
  return {
    line: `${start.slice(0, -1)},${place.slice(1)}`,
    digest: digest(digested, page.title, source.path ?? source.url, ...(source.lines ?? []).map(String)),
    sameness,
    signature: signatureOf([title, description, textOf(snippet)].join("\n")),
    group: groupOf([kind, ...breadcrumb]),
    kind,
    tokens,
    releaseKey: findings === undefined ? "" : releaseKeyOf(snippet),
  };
}

/** Equal for snippets that say the same in every part that an agent reads, in the same place. */
export function releaseKeyOf(snippet: Snippet): string {
  const { kind, title, description, breadcrumb, codes, content, page } = snippet;
  const said = codes.map(({ code, file, language }) => [code, file, language]);
  return digest(JSON.stringify([placeOf(snippet), kind, title, description, breadcrumb, said, content, page.title]));
}

/** The path of a snippet's page in a tree, else its address. */
function placeOf({ source, page }: Snippet): string {
  return source.path ?? page.url;
}

function withoutAddresses({ sources, ...code }: CodeBlock): ExtractedCode {
  return sources === undefined ? code : { ...code, sources: sources.map(({ path, lines }) => ({ path, lines })) };
}

function tokensOf({ title, description, breadcrumb, codes, content }: ExtractedSnippet): number {
  if (content !== undefined) return estimateTokens(content) + estimateTokens(breadcrumb.join(" > "));
  const code = codes.reduce((sum, block) => sum + estimateTokens(block.code), 0);
  return code + estimateTokens(title) + estimateTokens(description);
}

/** Blanks that are not one space already, which most are. */
const blanks = /[^\S ]\s*| \s+/g;

/** Whatever its blanks. */
function samenessOf(title: string, snippet: Pick<ExtractedSnippet, "codes" | "content">): string {
  return digest(title, textOf(snippet).replace(blanks, " ").trim());
}

function textOf({ codes, content }: Pick<ExtractedSnippet, "codes" | "content">): string {
  return content ?? codes.map(({ code }) => code).join("\n");
}

/** The first 22 characters, more than 128 bits, of SHA-256 in base64url. */
function digest(...parts: readonly string[]): string {
  return hash("sha256", parts.join("\0"), "base64url").slice(0, 22);
}
