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

/** A page that is put together of headings, code and parts of comments. */
interface Assembled {
  heading(text: string, level: number, line: number): void;
  code(code: string, line: number): void;
  comment(parts: readonly CommentPart[]): void;
  document(): Document;
}

/** Begins a page. `language` is that of code which does not say its own. */
export function assemble(title: string, language: string): Assembled {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: Document["leftOut"][number][] = [];
  const addCode = (code: string, line: number, own = language): void => {
    blocks.push({ type: "code", language: own, code, lines: [line, line + code.split("\n").length - 1] });
  };
  return {
    heading: (text, level, line) => void blocks.push({ type: "heading", level, text, lines: [line, line] }),
    code: addCode,
    comment(parts) {
      for (const part of parts) {
        if (part.type === "code") {
          if (part.code.trim() !== "") addCode(part.code, part.line, part.language || language);
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
        for (const [name, note] of read.footnotes) footnotes.set(name, note);
        leftOut.push(
          ...read.leftOut.map(({ lines, reason }) => ({
            lines: [lines[0] + shift, lines[1] + shift] as const,
            reason,
          })),
        );
      }
    },
    document: () => ({ blocks, title, description: "", footnotes, leftOut }),
  };
}

/** The page of a file of declarations: a section for each, with its signature, what its comment says, and the examples in that. */
export function toDocument({ title, language, comment, declared, warnings }: DeclaredFile): Document {
  const page = assemble(title, language);
  page.heading(title, 1, 1);
  page.comment(comment);
  for (const { name, kind, signature, lines, comment: said } of declared.slice(0, maxDeclared)) {
    page.heading(`${name} (${kind})`, 2, lines[0]);
    page.code(cut(signature), lines[0]);
    page.comment(said);
  }
  return { ...page.document(), ...(warnings && { warnings }) };
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
