import { hash } from "node:crypto";
import {
  kindsOf,
  type CodeBlock,
  type CodeSource,
  type Passage,
  type PassageBlock,
  type Provenance,
  type PassageFlag,
} from "../domain/passage.ts";
import { splitPassage } from "../domain/snippets.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { formats } from "./index.ts";
import { packFingerprints, type PassageFingerprint } from "./fingerprints.ts";
import { slug } from "github-slugger";
import type { ExtractedBlock, ExtractedCode, ExtractedPassage, PageResult } from "./page.ts";
import { linkTarget } from "./link-lists.ts";
import { tokensOf } from "./passages.ts";
import { screen } from "./screen/index.ts";

/** A page's key, and its address at the revision that was read. */
export interface FinishedPage {
  readonly path: string;
  readonly url: string;
  /** Decides whether its line numbers are shown; absent if they are. */
  readonly mediaType?: string;
  /** The files it includes, with their addresses. */
  readonly includes?: readonly { readonly path: string; readonly url: string }[];
}

/** A fetched text, and the line where a page begins in it, from 1. */
export interface FetchedText {
  readonly url: string;
  readonly firstLine: number;
}

/** The source and revision of a page. */
export interface FinishedSource {
  readonly spec: SourceSpec;
  readonly revision: string;
  /** The text whose lines are counted, for pages outside of a tree. */
  readonly resource?: FetchedText | undefined;
}

/** A passage as a line of its generation. */
interface PassageLine extends PassageFingerprint {
  /** JSON of the Passage. */
  readonly line: string;
}

/** The passages of a page as lines, in its order. Equal text below equal headings has the same ID in every run. */
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
  if (kind.hasPaths && !hasLines(mediaType)) {
    const place = partOf(lines, mediaType) ?? fragment;
    return { path, url: place ? kind.address(spec, url, { fragment: place }) : url, ordinal, revision };
  }
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

/** The page or slide that a block of a converted document begins on, as a fragment; undefined for other formats. */
function partOf([first]: readonly [number, number], mediaType = ""): string | undefined {
  const part = formats.get(mediaType)?.places;
  return part && `${part}=${first}`;
}

function shifted([first, last]: readonly [number, number], { firstLine }: FetchedText): readonly [number, number] {
  return [first + firstLine - 1, last + firstLine - 1];
}

/** A block with the addresses of its code at the source's revision. `around`: the provenance of its passage. */
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
  const place = partOf(lines, page.mediaType);
  if (place !== undefined) return { ...example, codes, url: address(spec, page.url, { fragment: place }) };
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

/** A passage of an unchanged page, updated to the source's revision. */
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

/** Screens a passage of another instance or an earlier extractor; its own findings are dropped. */
export function rescreened({ findings: _findings, ...passage }: Passage): Passage {
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

/** Equal for passages on the same page whose text is the same in every part that an agent reads. */
export function releaseKeyOf(passage: Passage): string {
  const { title, breadcrumb, blocks, page } = passage;
  const texts = blocks.map((block) =>
    block.type === "prose"
      ? block.markdown
      : [
          block.title,
          block.description,
          block.codes.map(({ code, file, language, label, marks }) => [code, file, language, label, marks]),
        ],
  );
  return digest(JSON.stringify([placeOf(passage), title, breadcrumb, texts, page.title]));
}

/** The path of a passage's page in a tree, or its address. */
function placeOf({ source, page }: Passage): string {
  return source.path ?? page.url;
}

function withoutAddresses(block: PassageBlock) {
  if (block.type === "prose") return block;
  const { url: _url, codes, ...example } = block;
  // The path and lines of included code count, its revision does not.
  const plain = codes.map(({ sources, ...code }) =>
    sources === undefined ? code : { ...code, sources: sources.map(({ path, lines }) => ({ path, lines, url: "" })) },
  );
  return { ...example, codes: plain };
}

/** Blanks other than single spaces. */
const blanks = /[^\S ]\s*| \s+/g;

/** Prose and code, with blanks replaced by single spaces. */
function textOf(blocks: readonly (ExtractedBlock | PassageBlock)[]): string {
  return blocks
    .flatMap((block) => (block.type === "prose" ? [block.markdown] : block.codes.map(({ code }) => code)))
    .join("\n")
    .replace(blanks, " ")
    .trim();
}

/** The first 22 characters (132 bits) of the SHA-256 in base64url. */
function digest(...parts: readonly string[]): string {
  return hash("sha256", parts.join("\0"), "base64url").slice(0, 22);
}

/** The passages of a page as they are passed between threads: two buffers, as many strings take much time and memory. */
export interface PageLines {
  /** JSON of each passage, followed by a line break, in UTF-8. */
  readonly lines: Uint8Array;
  /** Their fingerprints in the same order (`packFingerprints`). */
  readonly fingerprints: Uint8Array;
  /** Both ends of a page of a website (`edgesOf`); absent for other pages. */
  readonly edges?: Uint32Array;
}

const encoder = new TextEncoder();
const [lineBreak, brace] = [10, 125];
const flagged = {
  duplicate: encoder.encode(',"flags":["duplicate"]}\n'),
  quarantined: encoder.encode(',"flags":["quarantined"]}\n'),
} satisfies Record<PassageFlag, Uint8Array>;

/** Encodes the passages of a page. */
export function toPageLines(passages: readonly PassageLine[]): PageLines {
  return {
    lines: encoder.encode(passages.map(({ line }) => `${line}\n`).join("")),
    fingerprints: packFingerprints(passages),
  };
}

/** Adds the flag of each passage to its line, which has none yet. */
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
