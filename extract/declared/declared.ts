import type { Block, Document, Lines } from "../blocks.ts";
import { readMarkdown } from "../markdown/index.ts";

/** Part of a doc comment, without its marks. */
export type CommentPart =
  | { readonly type: "markdown"; readonly text: string; readonly line: number }
  | { readonly type: "code"; readonly language: string; readonly code: string; readonly line: number };

/** Something that a package offers to those who use it. */
export interface Declared {
  /** As it is asked for, such as `Server.listen`. */
  readonly name: string;
  /** What it is in a word, such as `function`. */
  readonly kind: string;
  /** As the file has it, without a body. */
  readonly signature: string;
  readonly lines: Lines;
  /** What its comment says. */
  readonly comment: readonly CommentPart[];
}

/** A file of declarations. */
export interface DeclaredFile {
  readonly title: string;
  readonly language: string;
  /** What the comment of the whole file says. */
  readonly comment: readonly CommentPart[];
  readonly declared: readonly Declared[];
  readonly warnings?: readonly string[];
}

/** Declarations of one file that are read, and characters of one signature: longer ones are cut at a line. */
export const maxDeclared = 5000;
const maxSignature = 6000;

/** The page of a file of declarations: a section for each, with its signature, what its comment says, and the examples in that. */
export function toDocument({ title, language, comment, declared, warnings }: DeclaredFile): Document {
  const blocks: Block[] = [{ type: "heading", level: 1, text: title, lines: [1, 1] }];
  const notes = new Map<string, string>();
  const leftOut: Document["leftOut"][number][] = [];
  const addComment = (parts: readonly CommentPart[]): void => {
    for (const part of parts) {
      if (part.type === "code") {
        if (part.code.trim() === "") continue;
        const last = part.line + part.code.split("\n").length - 1;
        blocks.push({ type: "code", language: part.language || language, code: part.code, lines: [part.line, last] });
        continue;
      }
      // A line break keeps a text from being taken for front matter.
      const read = readMarkdown(`\n${part.text}`, "markdown");
      if ("code" in read) continue;
      const shift = part.line - 2;
      for (const block of read.blocks) {
        const lines = [block.lines[0] + shift, block.lines[1] + shift] as const;
        if (block.type !== "heading") blocks.push({ ...block, lines });
        else if (block.text !== "") blocks.push(bold(block.text, lines));
      }
      for (const [name, note] of read.notes) notes.set(name, note);
      leftOut.push(
        ...read.leftOut.map(({ lines, reason }) => ({ lines: [lines[0] + shift, lines[1] + shift] as const, reason })),
      );
    }
  };
  addComment(comment);
  for (const { name, kind, signature, lines, comment: said } of declared.slice(0, maxDeclared)) {
    blocks.push({ type: "heading", level: 2, text: `${name} (${kind})`, lines: [lines[0], lines[0]] });
    const code = cut(signature);
    blocks.push({ type: "code", language, code, lines: [lines[0], lines[0] + code.split("\n").length - 1] });
    addComment(said);
  }
  return { blocks, title, description: "", notes, leftOut, ...(warnings && { warnings }) };
}

/** Whole lines of a signature. */
function cut(signature: string): string {
  if (signature.length <= maxSignature) return signature;
  const end = signature.lastIndexOf("\n", maxSignature);
  return signature.slice(0, end > 0 ? end : maxSignature);
}

function bold(text: string, lines: Lines): Block {
  const markdown = `**${text.replaceAll("*", "")}**`;
  return { type: "paragraph", markdown, text: () => text, lines };
}

/** What a file is called: its path in the archive, without its ending. */
export function fileTitle(url: string, ending: RegExp): string {
  const path = url.slice(url.indexOf("#") + 1).replace(/^\//, "");
  return decodeURIComponent(path).replace(ending, "");
}
