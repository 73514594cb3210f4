import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Document } from "../../../extract/blocks.ts";
import { readHtml, type HtmlOptions } from "../../../extract/html/index.ts";

export const fixtures = join(import.meta.dirname, "../../fixtures/html");

export const fixture = (name: string): string => readFileSync(join(fixtures, `${name}.html`), "utf8");

/** The document of a page; a page that is refused fails the test. */
export function documentOf(html: string, options?: HtmlOptions): Document {
  const read = readHtml(html, options);
  if ("code" in read) throw new Error(read.reason);
  return read;
}

/** The blocks of a page as readable text. */
export function outline({ title, description, blocks, footnotes }: Document): string {
  const notesText = [...footnotes].map(([name, text]) => `[^${name}]: ${text}`);
  return [`title: ${title}`, `description: ${description}`, "", ...blocks.map(shown), ...notesText, ""].join("\n");
}

function shown(block: Block): string {
  if (block.type === "heading")
    return block.text === ""
      ? "(end of part)\n"
      : `${"#".repeat(block.level)} ${block.text} {#${block.id ?? ""}}${block.isPart ? " (part)" : ""}\n`;
  if (block.type !== "code")
    return block.markdown === ""
      ? `(leads: ${block.type === "paragraph" ? block.text() : ""})\n`
      : `${block.markdown}\n`;
  const { language, file, label, tab, marks, code } = block;
  const info = {
    language,
    file,
    label,
    marks,
    ...(tab && { tab: `${tab.group}.${tab.tab} ${tab.label}${tab.whole ? " (whole)" : ""}` }),
  };
  return `${JSON.stringify(info)}\n${code
    .split("\n")
    .map((line) => `  | ${line}`)
    .join("\n")}\n`;
}

/** A page with this content, of no known generator. */
export const pageOf = (content: string, head = ""): string =>
  `<!doctype html><html><head><title>A page</title>${head}</head><body><main><h1>A page</h1>${content}</main></body></html>`;

/** The whole text of a page. */
export const textOf = (html: string, options?: HtmlOptions): string => outline(documentOf(html, options));
