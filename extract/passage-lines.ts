import { hash } from "node:crypto";
import { kindsOf } from "../domain/passage.ts";
import type {
  CodeBlock,
  CodeSource,
  ExampleBlock,
  Passage,
  PassageBlock,
  ProseBlock,
  Provenance,
  PassageFlag,
} from "../domain/passage.ts";
import { splitPassage } from "../domain/snippets.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { SourceSpec } from "../domain/kinds/index.ts";
import { formats } from "./index.ts";
import { packFingerprints } from "./fingerprints.ts";
import type { PassageFingerprint } from "./fingerprints.ts";
import { slug } from "github-slugger";
import type { ExtractedBlock, ExtractedCode, ExtractedPassage, PageResult } from "./page.ts";
import { tokensOfExample } from "./passages.ts";
import { screen } from "./screen/index.ts";
import { estimateTokens } from "../domain/tokens.ts";

/** A page's key, and the address that shows it at the revision that was read. */
export interface FinishedPage {
  readonly path: string;
  readonly url: string;
  /** Decides whether line numbers mean something to a reader; absent if they do. */
  readonly mediaType?: string;
  /** The files that it includes, with their addresses. */
  readonly includes?: readonly { readonly path: string; readonly url: string }[];
}

/** A text that was fetched, and its line at which a page begins, from 1. */
export interface FetchedText {
  readonly url: string;
  readonly firstLine: number;
}

/** The source of a page, and the revision that was read. */
export interface FinishedSource {
  readonly spec: SourceSpec;
  readonly revision: string;
  /** The text that lines are counted in, for pages that are not in a tree. */
  readonly resource?: FetchedText | undefined;
}

/** A passage as a line of its generation. */
interface PassageLine extends PassageFingerprint {
  /** JSON of the Passage. */
  readonly line: string;
}

/**
 * The passages of a page as lines, in the order of the page. Equal text below equal headings has the same ids in every
 * run.
 */
export function toLines(page: FinishedPage, result: PageResult, source: FinishedSource): PassageLine[] {
  if (result.outcome !== "indexed") return [];
  const title = result.title || page.path;
  const ordinals = new Map<string, number>();
  return result.passages.map((extracted, at) => {
    const shownTitle = extracted.title || title;
    const text = textOf(extracted.blocks);
    const sameness = digest(shownTitle, text);
    const key = digest(page.path, ...extracted.breadcrumb, sameness);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    const { findings } = extracted;
    const provenance = provenanceOf(extracted, at, page, source);
    const passage: Passage = {
      id: ordinal === 0 ? key : digest(key, String(ordinal)),
      title: shownTitle,
      breadcrumb: extracted.breadcrumb.length === 0 ? [title] : extracted.breadcrumb,
      blocks: extracted.blocks.map((block) => toAddressed(block, page, source, provenance)),
      page: { title, url: page.url, ...(result.subject !== undefined && { subject: result.subject }) },
      source: provenance,
      tokens: tokensOf(extracted.blocks),
      ...(findings && { findings }),
    };
    return toLine(passage, text, sameness);
  });
}

function provenanceOf(
  { lines, breadcrumb, fragment }: Pick<ExtractedPassage, "lines" | "breadcrumb" | "fragment">,
  ordinal: number,
  { path, url, mediaType }: FinishedPage,
  { spec, revision, resource }: FinishedSource,
): Provenance {
  const kind = kindOf(spec);
  if (kind.hasPaths && !hasLines(mediaType)) return { path, url, ordinal, revision };
  if (kind.hasPaths) return { path, url: kind.address(spec, url, { lines }), lines, ordinal, revision };
  const heading = breadcrumb.length > 1 ? breadcrumb.at(-1) : undefined;
  const anchor = fragment ?? (heading === undefined ? "" : slug(heading));
  const address = kind.address(spec, url, anchor === "" ? {} : { fragment: anchor });
  if (resource === undefined) return { url: address, ordinal, revision };
  return { url: address, resource: resource.url, lines: shifted(lines, resource), ordinal, revision };
}

function hasLines(mediaType = ""): boolean {
  return formats.get(mediaType)?.hasLines ?? true;
}

function shifted([first, last]: readonly [number, number], { firstLine }: FetchedText): readonly [number, number] {
  return [first + firstLine - 1, last + firstLine - 1];
}

/** A block with the addresses of its code at the revision that is read. `around`: the provenance of its passage. */
function toAddressed(
  block: ExtractedBlock,
  page: FinishedPage,
  { spec, resource }: FinishedSource,
  around: Provenance,
): PassageBlock {
  if (block.type === "prose") return block;
  const { lines, ...example } = block;
  const { hasPaths, address } = kindOf(spec);
  const codes = addressedCodes(example.codes, page, spec);
  if (hasPaths && hasLines(page.mediaType))
    return { ...example, codes, url: address(spec, page.url, { lines }), lines };
  return { ...example, codes, url: around.url, ...(resource && { lines: shifted(lines, resource) }) };
}

function addressedCodes(codes: readonly ExtractedCode[], page: FinishedPage, spec: SourceSpec): readonly CodeBlock[] {
  return codes.map(({ sources, ...code }) => {
    if (sources === undefined) return code;
    const addressed = sources.map(({ path, lines }): CodeSource => {
      const file = path === page.path ? page : page.includes?.find((one) => one.path === path);
      return { path, url: kindOf(spec).address(spec, file?.url ?? page.url, { lines }), lines };
    });
    return { ...code, sources: addressed };
  });
}

/** A passage of an unchanged page, moved from an earlier revision to this one. */
export function movedTo(passage: Passage, page: FinishedPage, { spec, revision }: FinishedSource): Passage {
  const address = (lines: readonly [number, number] | undefined): string =>
    kindOf(spec).address(spec, page.url, lines ? { lines } : {});
  return {
    ...beforeFinishing(passage),
    blocks: passage.blocks.map((block) =>
      block.type === "prose"
        ? block
        : { ...block, codes: addressedCodes(block.codes, page, spec), url: address(block.lines) },
    ),
    page: { ...passage.page, url: page.url },
    source: { ...passage.source, url: address(passage.source.lines), revision },
  };
}

/** A passage without the flags of a finishing pass. */
export function beforeFinishing({ flags: _flags, ...passage }: Passage): Passage {
  return passage;
}

/** A passage from elsewhere, or of an earlier extractor, screened anew: the findings it comes with do not count. */
export function screenedAgain({ findings: _findings, ...passage }: Passage): Passage {
  const findings = screen(passage, placeOf(passage));
  return findings.length === 0 ? passage : { ...passage, findings };
}

/** Writes a passage as a line. */
export function toLine(
  passage: Passage,
  text = textOf(passage.blocks),
  sameness = digest(passage.title, text),
): PassageLine {
  const { id, title, breadcrumb, blocks, tokens, page, source, findings, flags } = passage;
  const place = { page, source, ...(findings && { findings }), ...(flags && flags.length > 0 && { flags }) };
  const hasProse = kindsOf(passage).includes("info");
  const served = JSON.stringify({ id, title, breadcrumb, blocks: blocks.map(withoutAddresses), tokens });
  return {
    line: JSON.stringify({ id, title, breadcrumb, blocks, tokens, ...place }),
    digest: digest(served, page.title, source.path ?? source.url, ...(source.lines ?? []).map(String)),
    sameness,
    heading: digest((breadcrumb.at(-1) ?? "").toLowerCase()).slice(0, 11),
    text: digest(text.replace(linkTarget, "]")).slice(0, 11),
    examples: blocks.filter(({ type }) => type === "code").length,
    hasProse,
    hasOwnProse: hasProse && splitPassage(passage).prose !== "",
    tokens,
    releaseKey: findings === undefined ? "" : releaseKeyOf(passage),
  };
}

/** Equal for passages in the same place with the same text in every part that an agent reads. */
export function releaseKeyOf(passage: Passage): string {
  const { title, breadcrumb, blocks, page } = passage;
  const said = blocks.map((block) =>
    block.type === "prose"
      ? block.markdown
      : [
          block.title,
          block.description,
          block.codes.map(({ code, file, language, label, marks }) => [code, file, language, label, marks]),
        ],
  );
  return digest(JSON.stringify([placeOf(passage), title, breadcrumb, said, page.title]));
}

/** The path of a passage's page in a tree, else its address. */
function placeOf({ source, page }: Passage): string {
  return source.path ?? page.url;
}

function withoutAddresses(block: PassageBlock): ProseBlock | Omit<ExampleBlock, "url"> {
  if (block.type === "prose") return block;
  const { url: _url, codes, ...example } = block;
  // The place of included code counts, its revision does not.
  const plain = codes.map(({ sources, ...code }) =>
    sources === undefined ? code : { ...code, sources: sources.map(({ path, lines }) => ({ path, lines, url: "" })) },
  );
  return { ...example, codes: plain };
}

function tokensOf(blocks: readonly ExtractedBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "prose" ? estimateTokens(block.markdown) + 1 : tokensOfExample(block)),
    0,
  );
}

/** Blanks other than a single space, as most are. */
const blanks = /[^\S ]\s*| \s+/g;

/** The end of a link of Markdown with its address. */
const linkTarget = /\]\([^\s()]{0,2000}\)/g;

/** Prose and code, with single spaces for all blanks. */
function textOf(blocks: readonly (ExtractedBlock | PassageBlock)[]): string {
  return blocks
    .flatMap((block) => (block.type === "prose" ? [block.markdown] : block.codes.map(({ code }) => code)))
    .join("\n")
    .replace(blanks, " ")
    .trim();
}

/** The first 22 characters, more than 128 bits, of SHA-256 in base64url. */
function digest(...parts: readonly string[]): string {
  return hash("sha256", parts.join("\0"), "base64url").slice(0, 22);
}

/** The passages of a page as they are handed between threads: in one piece, as many strings take long and much memory. */
export interface PageLines {
  /** JSON of each passage, with a line break behind each, in UTF-8. */
  readonly lines: Uint8Array;
  /** Those of the passages, in the same order, packed (`packFingerprints`). */
  readonly fingerprints: Uint8Array;
}

const encoder = new TextEncoder();
const [lineBreak, brace] = [10, 125];
const flagged = {
  duplicate: encoder.encode(',"flags":["duplicate"]}\n'),
  quarantined: encoder.encode(',"flags":["quarantined"]}\n'),
} satisfies Record<PassageFlag, Uint8Array>;

/** Joins passages. */
export function toPageLines(passages: readonly PassageLine[]): PageLines {
  return {
    lines: encoder.encode(passages.map(({ line }) => `${line}\n`).join("")),
    fingerprints: packFingerprints(passages),
  };
}

/** The lines, none of which has flags yet, with the flag of each. */
export function flagLines(lines: Uint8Array, flags: readonly (PassageFlag | undefined)[]): Uint8Array {
  if (flags.every((flag) => flag === undefined)) return lines;
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const flag of flags) {
    const end = lines.indexOf(lineBreak, start) + 1;
    if (flag !== undefined) parts.push(lines.subarray(start, lines.lastIndexOf(brace, end)), flagged[flag]);
    else parts.push(lines.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}
