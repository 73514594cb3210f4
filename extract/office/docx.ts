import { elementsIn, parseTree, walk } from "../html/tree.ts";
import type { Refused } from "../markdown/index.ts";
import { isMonospaced, loaded, readParts, unreadable } from "./parts.ts";

/** A part of mammoth's document: paragraphs, runs, tables. */
interface Part {
  readonly type: string;
  readonly styleId?: string | null;
  readonly styleName?: string | null;
  readonly font?: string | null;
  readonly value?: string;
  readonly numbering?: object | null;
  readonly children?: readonly Part[];
}

/** Names of styles for code, of paragraphs and of words. */
const codeStyle = /\b(?:code|listing|preformatted|verbatim|macro|teletype|source text|keyboard)\b/i;
const contents = /^(?:toc|table of|index)\b/i;

/** Names that paragraphs and words get here; no document has them. `lines`: a line of code each; `whole`: code with its line ends. */
const names = { lines: "#lines", whole: "#whole", word: "#word" };
const styleMap = [
  `p[style-name='${names.lines}'] => pre:separator('\\n')`,
  `p[style-name='${names.whole}'] => pre:fresh`,
  `r[style-name='${names.word}'] => code`,
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Block Text'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
];

/** Converts a Word document into HTML. Paragraphs in a font of one width, or in a style for code, are code. */
export async function convertDocx(bytes: Uint8Array): Promise<string | Refused> {
  const parts = await readParts(bytes);
  if (!(parts instanceof Map)) return parts as Refused;
  const { default: mammoth } = await loaded(() => import("mammoth"), "Word", "mammoth@1");
  try {
    // Its own reader of archives has no cap on what they unpack to.
    const file = {
      exists: (name: string) => parts.has(name),
      read: async (name: string, encoding?: BufferEncoding) =>
        encoding === undefined ? parts.get(name) : (parts.get(name) ?? Buffer.of()).toString(encoding),
    };
    const isCode = codeTest(parts.get("word/styles.xml"));
    const { value } = await mammoth.convertToHtml({ file } as unknown as { readonly buffer: Buffer }, {
      styleMap,
      includeEmbeddedStyleMap: false,
      ignoreEmptyParagraphs: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
      transformDocument: (document: Part) => withCode(document, isCode),
    });
    return `<div>${value}</div>`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return unreadable("The file is damaged, or not a Word document.");
  }
}

type CodeTest = (part: Part) => boolean;

/** Whether a paragraph or run is code by its style or font. */
function codeTest(styles: Buffer | undefined): CodeTest {
  const fonts = new Map<string, { readonly font: string | undefined; readonly base: string | undefined }>();
  const page = styles && parseTree(styles.toString("utf8"), undefined, { xmlMode: true });
  for (const style of page ? walk(page) : []) {
    if (style.name !== "w:style") continue;
    const inside = [...walk(style)];
    const font = inside.find(({ name }) => name === "w:rFonts")?.attribs["w:ascii"];
    const base = elementsIn(style).find(({ name }) => name === "w:basedOn")?.attribs["w:val"];
    fonts.set(style.attribs["w:styleId"] ?? "", { font, base });
  }
  const fontOf = (id: string): string | undefined => {
    const seen = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = fonts.get(at)?.base) {
      seen.add(at);
      const font = fonts.get(at)?.font;
      if (font !== undefined) return font;
    }
    return undefined;
  };
  return ({ font, styleId, styleName }) =>
    isMonospaced(font) || (!font && (codeStyle.test(styleName ?? "") || isMonospaced(fontOf(styleId ?? ""))));
}

/** A document whose code has the names of the style map, without tables of contents. */
function withCode(part: Part, isCode: CodeTest): Part {
  if (part.type === "paragraph") return part;
  if (part.children === undefined) return part;
  const shown = part.children.filter(({ type, styleName }) => type !== "paragraph" || !contents.test(styleName ?? ""));
  const children = shown.map((child) =>
    child.type === "paragraph" ? paragraph(child, isCode) : withCode(child, isCode),
  );
  return { ...part, children: children.map((child, at) => (isGap(children, at) ? asCode(child, []) : child)) };
}

function paragraph(part: Part, isCode: CodeTest): Part {
  const runs = leaves(part).filter(({ type }) => type === "run");
  const worded = runs.filter((run) => textOf(run).trim() !== "");
  if (isHeading(part)) return part;
  if (isCode(part) || (worded.length > 0 && worded.every(isCode) && !isListed(part))) return asCode(part, runs);
  return mapRuns(part, (run) => (isCode(run) ? { ...run, styleName: names.word } : run));
}

/** A paragraph as code: its characters, without bold and links. */
function asCode(part: Part, runs: readonly Part[]): Part {
  const children = runs.flatMap(({ children: inside = [] }) => inside);
  const isWhole = children.some(({ type }) => type === "break");
  const styleName = isWhole ? names.whole : names.lines;
  return { ...part, styleId: null, styleName, children, numbering: null };
}

/** Whether a paragraph is an empty one between lines of code. */
function isGap(parts: readonly Part[], at: number): boolean {
  const isLines = (part: Part | undefined): boolean => part?.styleName === names.lines;
  const part = parts[at];
  if (part?.type !== "paragraph" || isLines(part) || textOf(part).trim() !== "") return false;
  return isLines(parts[at - 1]) && isLines(parts[at + 1]);
}

function isHeading({ styleName, styleId }: Part): boolean {
  return /^(?:heading|title)/i.test(styleName ?? styleId ?? "");
}

function isListed(part: Part): boolean {
  return part.numbering !== undefined && part.numbering !== null;
}

function mapRuns(part: Part, map: (run: Part) => Part): Part {
  if (part.type === "run") return map(part);
  return part.children === undefined ? part : { ...part, children: part.children.map((child) => mapRuns(child, map)) };
}

/** The runs of a part, and what is in none. */
function leaves(part: Part): readonly Part[] {
  return part.type === "run" || part.children === undefined ? [part] : part.children.flatMap(leaves);
}

function textOf(part: Part): string {
  if (part.type === "tab") return "\t";
  return part.value ?? (part.children ?? []).map(textOf).join("");
}
