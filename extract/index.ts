import { oneLine } from "../domain/one-line.ts";
import type { Block, CodeContent, Document, LeftOut } from "./blocks.ts";
import { withoutData } from "./data-uris.ts";
import type { LanguageName } from "./declared/languages.ts";
import { decodePage, encodingNotes } from "./decode.ts";
import { describing, describingPart } from "./describing.ts";
import { isReadme } from "./finish.ts";
import {
  apiTypes,
  confluencePageType,
  documentTypes,
  notionPageType,
  openApiPartType,
  rstType,
  sourceFileType,
  type MediaType,
} from "./formats.ts";
import { expand, mayInclude, valuesOf } from "./includes/index.ts";
import { relocate } from "./includes/origins.ts";
import { createLanguageCount, guessLanguage, languageOfFile } from "./language.ts";
import { imageTexts, libraryName } from "./library-name.ts";
import { withoutNavigation } from "./link-lists.ts";
import { readMarkdoc } from "./markdown/markdoc.ts";
import { readMarkdown, type Refused } from "./markdown/index.ts";
import type { ValueOf } from "./markdown/variables.ts";
import { readNotebook } from "./notebook/index.ts";
import { reasonNotDocumentation, sampleText } from "./left-out.ts";
import type { PageInput, PageResult, ExtractedPassage } from "./page.ts";
import { openOffice } from "./office/index.ts";
import { toPassages } from "./passages.ts";
import { readInPieces } from "./read-in-pieces.ts";
import { screen } from "./screen/index.ts";
import { toOutline } from "./sections.ts";
import { readSourceFile } from "./source-file.ts";
import { whyByProduct } from "./website/by-products.ts";
import { isGenerated } from "./page-precedence.ts";
import { readText } from "./plain-text.ts";
import { createRstParts, createRstReader, type Autodoc } from "./rst/index.ts";
import { isRst } from "./rst/places.ts";
import { findProgramOutput } from "./program-output.ts";

/** Options of reading a page; each format uses those that concern it. */
export interface ReadOptions extends Pick<PageInput, "exclude" | "url">, Partial<Pick<PageInput, "path" | "files">> {
  /** Looks up the repository's values for names in double braces. */
  readonly siteValueOf?: ValueOf;
}

type ReadFormat = (source: string, options?: ReadOptions) => Document | Refused;

/** A format of pages. */
interface Format {
  /** Reads a page; absent for rare formats, whose reader `load` imports on demand. A format with both needs no `load` for most pages. */
  readonly read?: ReadFormat;
  readonly load?: (page: PageInput) => Promise<ReadFormat>;
  /** Text that is too long to parse at once is cut where a section begins. */
  readonly canBeCut: boolean;
  /** Line numbers mean something to a reader of the source. */
  readonly hasLines: boolean;
  /** Its pages are no text; `load` reads them whole. */
  readonly isBinary?: true;
  /** What the lines of its blocks number; absent: nothing that a reader knows. */
  readonly places?: "page" | "slide";
  /** Its pages are not whole files, so their keys are not paths. */
  readonly isPart?: true;
  /** Decoded as browsers do. */
  readonly isHtml?: true;
  /** CPU time budget for a page of `bytes` bytes, as a multiple of that of a small page. */
  budget(bytes: number): number;
}

/** Markdown and text of 10 MB take a second, and so does HTML of 1 MB. */
const bySize: Format["budget"] = (bytes) => 1 + bytes / 5_000_000;

const text = { canBeCut: true, hasLines: true, budget: bySize };

/** Parsing source code takes as long as parsing HTML. */
const api = { canBeCut: false, hasLines: true, budget: (): number => 6 };

/** Text files of Sphinx, without the documentation that is in sources. */
const readRstText = createRstReader();

/** A format with parts in reStructuredText. Without Python among the files of a page, what is in sources is not read. */
function withAutodoc(create: (autodoc?: Autodoc) => ReadFormat) {
  const read = create();
  const load = async ({ files }: PageInput): Promise<ReadFormat> =>
    [...(files?.keys() ?? [])].some((path) => path.endsWith(".py"))
      ? create((await import("./rst/autodoc.ts")).createAutodoc)
      : read;
  return { read, load };
}

const generated = { canBeCut: false, hasLines: false, budget: bySize };

/** A language that is read by its row in a table. */
const itemsOf = (language: LanguageName): Format => ({
  ...api,
  load: async () => (await import("./declared/items.ts")).createItemReader(language),
});

/** Documents of office programs are mostly pictures, so their size says little. */
const office = { ...generated, isBinary: true, budget: (bytes: number): number => 6 + bytes / 1_000_000 } as const;

/** The formats by their media type. */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>(
  Object.entries({
    "text/markdown": {
      ...text,
      ...withAutodoc(
        (autodoc) => (source, options) =>
          readMarkdown(source, "markdown", options?.siteValueOf, createRstParts(source, options, autodoc)),
      ),
    },
    "text/mdx": { ...text, read: (source, options) => readMarkdown(source, "mdx", options?.siteValueOf) },
    "text/x-markdoc": {
      ...text,
      read: (source, options) => readMarkdown(readMarkdoc(source), "markdown", options?.siteValueOf),
    },
    "text/plain": {
      ...text,
      read: (source, options) => (isRst(source, options) ? readRstText(source, options) : readText(source)),
    },
    [sourceFileType]: { ...text, canBeCut: false, read: (source, options) => readSourceFile(source, options?.url) },
    "application/x-ipynb+json": {
      ...text,
      canBeCut: false,
      ...withAutodoc((autodoc) => (source, options) => readNotebook(source, options, autodoc)),
    },
    "text/asciidoc": {
      ...text,
      canBeCut: false,
      budget: () => 6,
      load: async (page) => (await import("./asciidoc/index.ts")).openAsciidoc(page),
    },
    [rstType]: {
      ...text,
      canBeCut: false,
      budget: (bytes) => 2 + bytes / 1_000_000,
      load: async () => createRstReader((await import("./rst/autodoc.ts")).createAutodoc),
    },
    "text/html": {
      ...generated,
      isHtml: true,
      budget: () => 6,
      load: async () => (await import("./html/index.ts")).readHtml,
    },
    [documentTypes[".pdf"]]: {
      ...office,
      places: "page",
      load: async (page) => openOffice(page, (await import("./office/pdf.ts")).convertPdf),
    },
    [documentTypes[".docx"]]: {
      ...office,
      load: async (page) => openOffice(page, (await import("./office/docx.ts")).convertDocx),
    },
    [documentTypes[".pptx"]]: {
      ...office,
      places: "slide",
      load: async (page) => openOffice(page, (await import("./office/pptx.ts")).convertPptx),
    },
    [confluencePageType]: {
      ...generated,
      isPart: true,
      budget: () => 6,
      load: async () => (await import("./confluence/index.ts")).readConfluence,
    },
    [openApiPartType]: { ...generated, isPart: true, load: async () => (await import("./openapi/pages.ts")).readPart },
    [apiTypes.typescript]: { ...api, load: async () => (await import("./declared/typescript.ts")).readTypeScript },
    [apiTypes.python]: { ...api, load: async () => (await import("./declared/python.ts")).readPython },
    [apiTypes.rust]: { ...api, load: async () => (await import("./declared/rust.ts")).readRust },
    [apiTypes.go]: { ...api, load: async () => (await import("./declared/go.ts")).readGo },
    [apiTypes.java]: itemsOf("java"),
    [apiTypes.csharp]: itemsOf("csharp"),
    [apiTypes.ruby]: itemsOf("ruby"),
    [apiTypes.php]: itemsOf("php"),
    [apiTypes.cpp]: itemsOf("cpp"),
    [notionPageType]: {
      ...generated,
      isPart: true,
      load: async () => (await import("./notion/index.ts")).readNotionPage,
    },
  } satisfies Record<MediaType, Format>),
);

/** The reader of a media type; undefined for an unknown one. Formats whose parser is asynchronous parse `page` here, and read only it. */
export async function formatOf(
  mediaType: string,
  page: PageInput = { path: "", mediaType, bytes: new Uint8Array() },
): Promise<ReadFormat | undefined> {
  const { read, load } = formats.get(mediaType) ?? {};
  return (await load?.(page)) ?? read;
}

/** Extracts the passages of a page of text. A pure function of its input; hostile input is `skipped`. */
export function extractPage(
  { path, mediaType, bytes, files = new Map(), exclude, url }: PageInput,
  read: ReadFormat | undefined = formats.get(mediaType)?.read,
): PageResult {
  const format = formats.get(mediaType);
  if (format === undefined || read === undefined)
    return skipped("not_text", `The format of ${path} is not one that is read.`);
  const decoded = format.isBinary === true ? { text: "", damaged: false } : decodePage(bytes, format);
  if ("code" in decoded) return skipped(decoded.code, decoded.reason);
  const byProduct = format.isHtml === true ? whyByProduct(`/${path}`, decoded.text) : undefined;
  if (byProduct !== undefined) return skipped("not_documentation", byProduct);
  const isMarkup = mayInclude(path) && !isRst(decoded.text, { path, files });
  const expanded = isMarkup ? expand(path, decoded.text, files) : null;
  const siteValueOf = isMarkup ? valuesOf(path, expanded?.text ?? decoded.text, files) : undefined;
  const options = {
    path,
    files,
    ...(exclude && { exclude }),
    ...(url !== undefined && { url }),
    ...(siteValueOf && { siteValueOf }),
  };
  const { text: source, restore } = withoutData(expanded?.text ?? decoded.text);
  const parsed = readInPieces(source, format.canBeCut, (part) => read(part, options));
  if ("code" in parsed) return skipped(parsed.code, parsed.reason);
  const document = restore(expanded === null ? parsed : relocate(parsed, expanded));
  const key = format.isPart === true ? "" : path;
  const result = toResult(decoded.damaged ? withoutDamage(document) : document, key, decoded.text);
  const notes = [...encodingNotes("The page", decoded), ...(expanded?.notes ?? []), ...(document.warnings ?? [])];
  return notes.length > 0 ? { ...result, notes } : result;
}

function skipped(code: Extract<PageResult, { outcome: "skipped" }>["code"], reason: string): PageResult {
  return { outcome: "skipped", code, reason };
}

/** Leaves out code with invalid characters, which is not verbatim. */
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
  const reason = whole
    ? `The page is a ${whole === "licence" ? "licence" : "change log"}.`
    : reasonNotDocumentation({ path, title, source, ...sampleText(document.blocks, 0, 0) });
  if (reason !== undefined) return skipped("not_documentation", reason);
  const passages = toPassages(outline, languageFinder(document)).map((passage) => screened(onOneLine(passage), path));
  if (passages.length === 0) return skipped("no_snippets", "The page has neither code nor prose worth serving.");
  const name = isReadme(path) ? oneLine(libraryName(source, oneLine(read.title))) : undefined;
  // Only a README may describe the library.
  const ofIntroduction = name === undefined ? document.blocks.slice(0, 8) : document.blocks;
  const images = name === undefined ? [] : imageTexts(source);
  return {
    outcome: "indexed",
    title: oneLine(outline.title),
    description: oneLine(describing(read.description) || describingPart(ofIntroduction, name || outline.title, images)),
    ...(read.subject !== undefined && { subject: read.subject }),
    ...(name !== undefined && { name }),
    generated: isGenerated(source),
    passages,
    leftOut: outline.leftOut,
    ...(Object.keys(read.dropped ?? {}).length > 0 && { dropped: read.dropped }),
  };
}

/** A passage with each title and heading on one line. */
function onOneLine(passage: ExtractedPassage): ExtractedPassage {
  const breadcrumb = passage.breadcrumb.map(oneLine).filter((heading) => heading !== "");
  return { ...passage, title: oneLine(passage.title), breadcrumb };
}

function screened(passage: ExtractedPassage, path: string): ExtractedPassage {
  const { fragment = "" } = passage;
  const findings = screen(passage, fragment === "" ? path : `${path}#${fragment}`);
  return findings.length === 0 ? passage : { ...passage, findings };
}

/** Finds a block's language: declared, by file name, by its text, "text" for a program's output, or the majority of the page. */
function languageFinder({ blocks }: Document): (code: CodeContent) => string {
  const count = createLanguageCount();
  for (const block of blocks) if (block.type === "code") count.add(block.language);
  const majority = count.majority();
  const outputLines = findProgramOutput(blocks, majority);
  return ({ language, file, sources, code, lines }) =>
    language ||
    languageOfFile(file ?? "") ||
    languageOfFile(sources?.[0]?.path ?? "") ||
    guessLanguage(code) ||
    (outputLines.has(lines[0]) ? "text" : majority);
}
