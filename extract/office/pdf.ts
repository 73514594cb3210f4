import { escapeText } from "entities";
import type { Refused } from "../markdown/index.ts";
import { placeAttribute } from "./index.ts";
import { loaded, unreadable } from "./parts.ts";
import { toHtml, type Heading } from "./pdf-blocks.ts";
import { evenFonts, toLines, withoutRunningLines, type PdfPage, type PdfItem } from "./pdf-lines.ts";

/** Maximum number of pages, and of characters of their text. */
const maxPages = 10_000;
const maxText = 20_000_000;

/** The members of pdf.js that are used. */
interface Pdf {
  readonly numPages: number;
  getOutline(): Promise<readonly OutlineEntry[] | null>;
  getMetadata(): Promise<{ readonly info: { readonly Title?: unknown } }>;
  getPage(number: number): Promise<{
    readonly view: readonly number[];
    getTextContent(): Promise<{
      readonly items: readonly (PdfItem | { readonly type: string })[];
      readonly styles: Readonly<Record<string, { readonly fontFamily: string }>>;
    }>;
    cleanup(): unknown;
  }>;
}

interface OutlineEntry {
  readonly title: string;
  readonly items: readonly OutlineEntry[];
}

/** Converts a PDF into HTML: the text of its pages in reading order, without what is on each page again. */
export async function convertPdf(bytes: Uint8Array): Promise<string | Refused> {
  const { getDocumentProxy } = await loaded(() => import("unpdf"), "PDF", "unpdf@1");
  try {
    const pdf = (await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
    })) as unknown as Pdf;
    return await convert(pdf);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isLocked = error.name === "PasswordException";
    return unreadable(
      isLocked ? "The PDF is protected by a password. Save it without one." : "The PDF is damaged, or not a PDF.",
    );
  }
}

async function convert(pdf: Pdf): Promise<string | Refused> {
  if (pdf.numPages > maxPages)
    return { code: "too_large", reason: `The PDF has ${pdf.numPages} pages, more than the ${maxPages} that are read.` };
  const pages: PdfPage[] = [];
  let size = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items, styles } = await page.getTextContent();
    page.cleanup();
    const texts = items.filter((item): item is PdfItem => "str" in item);
    for (const { str } of texts) size += str.length;
    if (size > maxText) return { code: "too_large", reason: `The PDF has more than ${maxText} characters.` };
    const [, bottom = 0, , top = 0] = page.view;
    pages.push({ number, bottom, top, items: texts, isMonospaced: (font) => styles[font]?.fontFamily === "monospace" });
  }
  if (size === 0) return { code: "empty", reason: "The PDF has no text: its pages are pictures. Recognise it first." };
  const { info } = await pdf.getMetadata();
  const title = typeof info.Title === "string" ? info.Title : "";
  const even = evenFonts(pages);
  const isEven = (page: PdfPage): PdfPage => ({
    ...page,
    isMonospaced: (font) => even.has(font) || page.isMonospaced(font),
  });
  const lined = withoutRunningLines(pages.map(isEven).map((page) => ({ page, lines: toLines(page) })));
  const body = toHtml(lined, headingsOf((await pdf.getOutline()) ?? []));
  const parts = body.map(({ number, html }) => `<div ${placeAttribute}="${number}">${html}</div>`);
  return `<title>${escapeText(title)}</title>${parts.join("\n")}`;
}

/** The entries of the outline with their depths, in order. */
function headingsOf(outline: readonly OutlineEntry[]): readonly Heading[] {
  const found: Heading[] = [];
  const visit = (entries: readonly OutlineEntry[], level: number): void => {
    for (const { title, items } of entries) {
      if (found.length >= maxPages) return;
      found.push({ title, level });
      if (level < 6) visit(items, level + 1);
    }
  };
  visit(outline, 1);
  return found;
}
