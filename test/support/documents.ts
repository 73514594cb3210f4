import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** A fenced block of a document, or commands in a comment of a settings file. */
export interface Block {
  readonly document: string;
  /** Number of its first line. */
  readonly line: number;
  /** First word of its info string; "" for none. */
  readonly language: string;
  readonly text: string;
}

/** Code between backticks in a line of prose. */
export interface InlineCode {
  readonly document: string;
  readonly line: number;
  readonly text: string;
}

/** Every document, by its path from the root. */
const documents: readonly string[] = [
  ...globSync("*.md", { cwd: root }),
  ...globSync("docs/**/*.md", { cwd: root }),
].toSorted();

/** Files with commands in comments: lines that begin with `#` and three spaces. */
const filesWithCommands: readonly string[] = [".env.example", ...globSync("compose*.yaml", { cwd: root })];

/** The text of a file of this project. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** Every block by document. Documents whose commands restrict reading come last. */
export function blocksOfDocuments(): readonly (readonly [document: string, blocks: readonly Block[]])[] {
  const blocks = [
    ...documents.flatMap((document) => fencesOf(document).blocks),
    ...filesWithCommands.flatMap(commandsIn),
  ];
  const restricts = (document: string): number => Number(/sign-in|policies|upstream/.test(document));
  return [...Map.groupBy(blocks, ({ document }) => document)].toSorted(([a], [b]) => restricts(a) - restricts(b));
}

/** The inline code of every document, in order. */
export function allInlineCode(): readonly InlineCode[] {
  return documents.flatMap((document) =>
    fencesOf(document).prose.flatMap((text, at) =>
      [...text.matchAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map((match) => ({
        document,
        line: at + 1,
        text: (match[2] ?? "").trim(),
      })),
    ),
  );
}

/** The fenced blocks of a document, and its lines with those of the blocks blanked. */
function fencesOf(document: string): { readonly blocks: readonly Block[]; readonly prose: readonly string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly fence: string; readonly language: string; readonly line: number; text: string } | undefined;
  for (const [at, line] of textOf(document).split("\n").entries()) {
    const [, fence = "", language = ""] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    prose.push(open || fence ? "" : line);
    if (!open && fence) open = { fence, language, line: at + 2, text: "" };
    else if (open && line.trim() === open.fence) {
      blocks.push({ document, line: open.line, language: open.language, text: open.text });
      open = undefined;
    } else if (open) open.text += `${line}\n`;
  }
  if (open) throw new Error(`${document}:${open.line} has a block that does not end.`);
  return { blocks, prose };
}

function commandsIn(document: string): readonly Block[] {
  const lines = textOf(document).split("\n");
  const commands = lines.map((line) => /^# {3}(\S.*)$/.exec(line)?.[1]);
  return commands.flatMap((command, at) => {
    if (command === undefined || commands[at - 1] !== undefined) return [];
    const end = commands.findIndex((other, from) => from > at && other === undefined);
    return [{ document, line: at + 1, language: "sh", text: `${commands.slice(at, end).join("\n")}\n` }];
  });
}
