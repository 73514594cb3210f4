import { oneLine } from "../domain/one-line.ts";
import type { Block, CodeBlockFound, Document, LeftOut } from "./blocks.ts";
import { decodePage } from "./decode.ts";
import { isReadme } from "./finish.ts";
import { openApiPartType } from "./formats.ts";
import type { MediaType } from "./formats.ts";
import { expand, mayInclude } from "./includes.ts";
import { relocate } from "./includes/origins.ts";
import { createLanguageCount, guessLanguage, languageOfFile } from "./language.ts";
import { libraryName } from "./library-name.ts";
import { isLinkList, withoutNavigation } from "./link-lists.ts";
import { readMarkdown } from "./markdown/index.ts";
import type { Refused } from "./markdown/index.ts";
import { whyNoDocumentation } from "./not-documentation.ts";
import type { PageInput, PageResult, ExtractedPassage } from "./page.ts";
import { toPassages } from "./passages.ts";
import { readInPieces } from "./pieces.ts";
import { sample } from "./said.ts";
import { screen } from "./screen/index.ts";
import { toOutline } from "./sections.ts";
import { firstSentences } from "./sentences.ts";
import { isGenerated } from "./standing.ts";
import { readText } from "./text.ts";

/** What the reading of a page may ask for; formats that it means nothing to ignore it. */
export interface ReadOptions {
  /** CSS selectors whose elements are no content. */
  readonly exclude?: readonly string[];
  /** The page's address. */
  readonly url?: string;
}

type ReadFormat = (source: string, options?: ReadOptions) => Document | Refused;

/** How the pages of a format are read, by their media type. */
const formats: Readonly<Record<string, ReadFormat>> = {
  "text/markdown": (source) => readMarkdown(source, "markdown"),
  "text/mdx": (source) => readMarkdown(source, "mdx"),
  "text/plain": (source) => readText(source),
} satisfies Record<Exclude<MediaType, "text/html" | typeof openApiPartType>, ReadFormat>;

/** How pages of a media type are read; undefined if they are not. What few pages need is loaded only for them. */
export async function formatOf(mediaType: string): Promise<ReadFormat | undefined> {
  if (mediaType === ("text/html" satisfies MediaType)) return (await import("./html/index.ts")).readHtml;
  if (mediaType === openApiPartType) return (await import("./openapi/pages.ts")).readPart;
  return formats[mediaType];
}

/** Maximum length of a page's description, in characters. */
const maxDescriptionLength = 300;

/** What one page says, in passages. A pure function of key, media type and bytes; hostile input ends as `skipped`. */
export function extractPage(
  { path, mediaType, bytes, files = new Map(), exclude, url }: PageInput,
  format: ReadFormat | undefined = formats[mediaType],
): PageResult {
  if (format === undefined) return skipped("not_text", `The format of ${path} is none that is read.`);
  const decoded = decodePage(bytes);
  if ("code" in decoded) return skipped(decoded.code, decoded.reason);
  const expanded = mayInclude(path) ? expand(path, decoded.text, files) : null;
  const options = { ...(exclude && { exclude }), ...(url !== undefined && { url }) };
  const read = readInPieces(expanded?.text ?? decoded.text, mediaType in formats, (text) => format(text, options));
  if ("code" in read) return skipped(read.code, read.reason);
  const placed = expanded === null ? read : relocate(read, expanded);
  // The key of a part ends in a name of its description, which says nothing of a file.
  const key = mediaType === openApiPartType ? "" : path;
  const result = toResult(decoded.damaged ? withoutDamage(placed) : placed, key, decoded.text);
  const notes = [...(expanded?.notes ?? []), ...(placed.warnings ?? [])];
  return notes.length > 0 ? { ...result, notes } : result;
}

function skipped(code: Extract<PageResult, { outcome: "skipped" }>["code"], reason: string): PageResult {
  return { outcome: "skipped", code, reason };
}

/** Code that has lost bytes in decoding is not what the file has, so it is left out. */
function withoutDamage(document: Document): Document {
  const isDamaged = (block: Block): boolean => block.type === "code" && block.code.includes("\uFFFD");
  const damaged = document.blocks.filter(isDamaged).map(({ lines }): LeftOut => ({ lines, reason: "damaged" }));
  return {
    ...document,
    blocks: document.blocks.filter((block) => !isDamaged(block)),
    leftOut: [...document.leftOut, ...damaged],
  };
}

function toResult(read: Document, path: string, source: string): PageResult {
  const document = { ...read, blocks: withoutNavigation(read.blocks, path) };
  const outline = toOutline(document, path);
  const { title, whole } = outline;
  const why = whole
    ? `The page is a ${whole === "licence" ? "licence" : "change log"}.`
    : whyNoDocumentation({ path, title, source, ...sample(document.blocks, 0, 0) });
  if (why !== undefined) return skipped("not_documentation", why);
  const passages = toPassages(outline, languageFinder(document)).map((passage) => screened(inLines(passage), path));
  if (passages.length === 0) return skipped("no_snippets", "The page has neither code nor prose worth serving.");
  return {
    outcome: "indexed",
    title: oneLine(outline.title),
    description: oneLine(describe(document)),
    ...(read.subject !== undefined && { subject: read.subject }),
    ...(isReadme(path) && { name: oneLine(libraryName(source, oneLine(read.title))) }),
    generated: isGenerated(source),
    passages,
    leftOut: outline.leftOut,
  };
}

/** A passage whose title and headings are a line each. */
function inLines(passage: ExtractedPassage): ExtractedPassage {
  const breadcrumb = passage.breadcrumb.map(oneLine).filter((heading) => heading !== "");
  return { ...passage, title: oneLine(passage.title), breadcrumb };
}

function screened(passage: ExtractedPassage, path: string): ExtractedPassage {
  const { fragment = "" } = passage;
  const findings = screen(passage, fragment === "" ? path : `${path}#${fragment}`);
  return findings.length === 0 ? passage : { ...passage, findings };
}

/** A block's language: as declared, else by its file's name, by how it looks, or by what most of the page is in. */
function languageFinder({ blocks }: Document): (code: CodeBlockFound) => string {
  const count = createLanguageCount();
  for (const block of blocks) if (block.type === "code") count.add(block.language);
  const majority = count.majority();
  return ({ language, file, sources, code }) =>
    language ||
    languageOfFile(file ?? "") ||
    languageOfFile(sources?.[0]?.path ?? "") ||
    guessLanguage(code) ||
    majority;
}

function describe({ blocks, description }: Document): string {
  if (description !== "") return firstSentences(description, maxDescriptionLength);
  for (const block of blocks) {
    if (
      block.type === "code" ||
      block.type === "heading" ||
      isLinkList(block.markdown, 2) ||
      !/^["'“`*_[(]{0,3}\p{L}/u.test(block.markdown)
    )
      continue;
    const text = block.type === "paragraph" ? block.text() : block.markdown.slice(0, 1500).replace(/\s+/g, " ");
    if (/\p{L}{2}\s+\p{L}{2}|\p{Script=Han}{4}/u.test(text) && !text.endsWith(":"))
      return firstSentences(text, maxDescriptionLength);
  }
  return "";
}
