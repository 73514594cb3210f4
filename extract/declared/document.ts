import type { Block, Document, LeftOut, Lines } from "../blocks.ts";
import { readMarkdown } from "../markdown/index.ts";

/** Part of a doc comment, without comment markers. */
export type CommentPart =
  | { readonly type: "markdown"; readonly text: string; readonly line: number }
  | { readonly type: "code"; readonly language: string; readonly code: string; readonly line: number };

/** A public declaration of a package. */
export interface Declaration {
  /** Qualified name, such as `Server.listen`. */
  readonly name: string;
  /** In one word, such as `function`. */
  readonly kind: string;
  /** Verbatim, without a body. */
  readonly signature: string;
  readonly lines: Lines;
  readonly comment: readonly CommentPart[];
}

/** A file of declarations. */
export interface DeclaredFile {
  readonly title: string;
  readonly language: string;
  /** The comment about the whole file. */
  readonly comment: readonly CommentPart[];
  readonly declared: readonly Declaration[];
  readonly warnings?: readonly string[];
}

/** Maximum number of declarations of one file that are read. */
export const maxDeclared = 5000;
/** Maximum length of a declaration shown with its body, in characters. */
export const maxWhole = 2500;
/** Maximum length of a signature, in characters: longer ones are cut at a line. */
const maxSignature = 6000;

/** Creates the builder of a page from headings, code and comments. `language`: default for code without a language. */
function assemble(title: string, language: string) {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const addCode = (code: string, line: number, ownLanguage = language): void => {
    blocks.push({ type: "code", language: ownLanguage, code, lines: linesFrom(line, code) });
  };
  return {
    heading(text: string, level: number, line: number): void {
      blocks.push({ type: "heading", level, text, lines: [line, line] });
    },
    code: addCode,
    comment(parts: readonly CommentPart[]): void {
      for (const part of parts) {
        if (part.type === "code") {
          if (part.code.trim() !== "") addCode(part.code, part.line, part.language || language);
          continue;
        }
        // The leading line break prevents parsing as front matter.
        const read = readMarkdown(`\n${part.text}`, "markdown");
        if ("code" in read) continue;
        const shift = ([first, last]: Lines): Lines => [first + part.line - 2, last + part.line - 2];
        for (const block of read.blocks) {
          const lines = shift(block.lines);
          if (block.type !== "heading") blocks.push({ ...block, lines });
          else if (block.text !== "") blocks.push(bold(block.text, lines));
        }
        for (const [name, note] of read.footnotes) footnotes.set(name, note);
        for (const block of read.leftOut) leftOut.push({ ...block, lines: shift(block.lines) });
      }
    },
    document: (): Document => ({ blocks, title, description: "", footnotes, leftOut }),
  };
}

/** The page of a file of declarations: a section for each, with its signature and comment. */
export function toDocument({ title, language, comment, declared, warnings }: DeclaredFile): Document {
  const page = assemble(title, language);
  page.heading(title, 1, 1);
  page.comment(comment);
  for (const { name, kind, signature, lines, comment: parts } of declared.slice(0, maxDeclared)) {
    page.heading(`${name} (${kind})`, 2, lines[0]);
    page.code(cut(signature), lines[0]);
    page.comment(parts);
  }
  return { ...page.document(), ...(warnings && { warnings }) };
}

function cut(signature: string): string {
  if (signature.length <= maxSignature) return signature;
  const end = signature.lastIndexOf("\n", maxSignature);
  return signature.slice(0, end > 0 ? end : maxSignature);
}

function bold(text: string, lines: Lines): Block {
  const markdown = `**${text.replaceAll("*", "")}**`;
  return { type: "paragraph", markdown, text: () => text, lines };
}

/** The lines of a text whose first line is given. */
export function linesFrom(first: number, text: string): Lines {
  return [first, first + text.split("\n").length - 1];
}

/** A signature without what opens its body or value. */
export function withoutOpening(head: string): string {
  const text = head.trimEnd();
  const mark = ["=>", "=", "{", ":"].find((one) => text.endsWith(one)) ?? "";
  return text.slice(0, text.length - mark.length).trimEnd();
}

/** The title of a file: its path without its extension. */
export function fileTitle(path: string, ending: RegExp): string {
  return path.replace(/^\//, "").replace(ending, "");
}
