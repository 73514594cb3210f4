import type { Block, Document, Lines } from "../blocks.ts";
import { readMarkdown } from "../markdown/index.ts";

/** Part of a doc comment, without its marks. */
export type CommentPart =
  | { readonly type: "markdown"; readonly text: string; readonly line: number }
  | { readonly type: "code"; readonly language: string; readonly code: string; readonly line: number };

/** A declaration that a package offers to its users. */
export interface Declared {
  /** Qualified, such as `Server.listen`. */
  readonly name: string;
  /** In one word, such as `function`. */
  readonly kind: string;
  /** Verbatim, without a body. */
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

/** Maximum number of declarations of one file that are read. */
export const maxDeclared = 5000;
/** Maximum length of a declaration that is shown with its body, in characters. */
export const maxWhole = 2500;
/** Maximum length of a signature, in characters: a longer one is cut at a line. */
const maxSignature = 6000;

/** A page that is assembled from headings, code and parts of comments. */
interface Assembled {
  heading(text: string, level: number, line: number): void;
  code(code: string, line: number): void;
  comment(parts: readonly CommentPart[]): void;
  document(): Document;
}

/** Starts a page. `language` is that of code without a language of its own. */
export function assemble(title: string, language: string): Assembled {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: Document["leftOut"][number][] = [];
  const addCode = (code: string, line: number, own = language): void => {
    blocks.push({ type: "code", language: own, code, lines: linesFrom(line, code) });
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
        // A leading line break keeps a text from being read as front matter.
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

/** The page of a file of declarations: a section for each, with its signature and its comment, examples included. */
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

/** As many whole lines of a signature as fit. */
function cut(signature: string): string {
  if (signature.length <= maxSignature) return signature;
  const end = signature.lastIndexOf("\n", maxSignature);
  return signature.slice(0, end > 0 ? end : maxSignature);
}

function bold(text: string, lines: Lines): Block {
  const markdown = `**${text.replaceAll("*", "")}**`;
  return { type: "paragraph", markdown, text: () => text, lines };
}

/** The lines of a text that begins at a line of its file. */
export function linesFrom(first: number, text: string): Lines {
  return [first, first + text.split("\n").length - 1];
}

/** The title of a file: its path in the archive, without its ending. */
export function fileTitle(url: string, ending: RegExp): string {
  const path = url.slice(url.indexOf("#") + 1).replace(/^\//, "");
  return decodeURIComponent(path).replace(ending, "");
}
