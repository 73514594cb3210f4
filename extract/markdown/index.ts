import type { Block, Document } from "../blocks.ts";
import { toBlocks } from "./blocks.ts";
import { parseFrontMatter } from "./front-matter.ts";
import type { FrontMatter } from "./front-matter.ts";
import { lineAt, splitLines } from "./lines.ts";
import { parseMarkdown } from "./parser.ts";
import type { Dialect } from "./parser.ts";
import { readShortcodes } from "./shortcodes.ts";
import { readTemplates } from "./templates.ts";
import type { ValueOf } from "./variables.ts";
import { readDirectives } from "./directives.ts";
import { withoutHidden } from "./hidden.ts";

/** Why a text was not taken as a document. */
export interface Refused {
  readonly code: "draft" | "too_large";
  readonly reason: string;
}

/**
 * Reads Markdown (CommonMark 0.31 with tables, front matter and admonitions) or MDX into blocks. `siteValueOf` has what names in double braces
 * stand for that the page itself says nothing of.
 */
export function readMarkdown(
  written: string,
  dialect: Dialect,
  siteValueOf: ValueOf = () => undefined,
): Document | Refused {
  const own = parseFrontMatter(written);
  const loops = loopsIn(written);
  const matter = {
    ...own,
    valueOf: (name: string, isBraced = false) =>
      own.valueOf(name) ?? (isBraced ? (loops.has(name.split(".", 1)[0] ?? "") ? "" : siteValueOf(name)) : undefined),
  };
  if (matter.hidden) return { code: "draft", reason: "The page's front matter marks it as a draft or as unlisted." };
  const text = written.slice(matter.end);
  const directed = readDirectives(text);
  const read = readBody(written, matter, directed, dialect);
  // Fences that were taken for directives, but are the parser's code: that stays as it is.
  if (directed === text || "code" in read || isIntact(read.blocks, written, written.slice(0, matter.end) + directed))
    return read;
  return readBody(written, matter, text, dialect);
}

/** Names of what loops of Liquid and Jinja go through, which stand for nothing by themselves. */
function loopsIn(source: string): ReadonlySet<string> {
  if (!source.includes("{%")) return new Set();
  return new Set(
    [...source.matchAll(/\{%-?[ \t]{0,5}(?:for|tablerow)[ \t]{1,5}(\w{1,40})[ \t]/g)].map(([, name = ""]) => name),
  );
}

function readBody(written: string, matter: FrontMatter, text: string, dialect: Dialect): Document | Refused {
  const body = readShortcodes(readTemplates(text), matter.valueOf);
  const lines = splitLines(written.slice(0, matter.end) + body);
  const parsed = parseMarkdown(body, lines.starts.length, dialect);
  if (parsed === null)
    return { code: "too_large", reason: "The page has more blocks, or deeper nested ones, than are parsed." };
  const shown = withoutHidden(body, parsed.tokens);
  if (shown !== body) return readBody(written, matter, shown, dialect);
  const offset = lines.starts.indexOf(matter.end);
  return {
    ...toBlocks(parsed, { lines, offset, mdx: dialect === "mdx", valueOf: matter.valueOf }),
    title: matter.title,
    description: matter.description,
  };
}

/** Whether no line of the code differs between two texts of as many lines. */
function isIntact(blocks: readonly Block[], written: string, changed: string): boolean {
  const [one, other] = [splitLines(written), splitLines(changed)];
  return blocks.every((block) => {
    if (block.type !== "code") return true;
    for (let line = block.lines[0] - 1; line < block.lines[1]; line++)
      if (lineAt(one, line) !== lineAt(other, line)) return false;
    return true;
  });
}
