import type { Document } from "../blocks.ts";
import { toBlocks } from "./blocks.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { splitLines } from "./lines.ts";
import type { Dialect } from "./parser.ts";
import { parseMarkdown } from "./parser.ts";
import { readShortcodes } from "./shortcodes.ts";

/** Why a text was not taken as a document. */
export interface Refused {
  readonly code: "draft" | "too_large";
  readonly reason: string;
}

/** Reads Markdown (CommonMark 0.31 with tables, front matter and admonitions) or MDX into blocks. */
export function readMarkdown(written: string, dialect: Dialect): Document | Refused {
  const matter = parseFrontMatter(written);
  if (matter.hidden) return { code: "draft", reason: "The page's front matter marks it as a draft or as unlisted." };
  const text = written.slice(matter.end);
  const body = readShortcodes(text, matter.valueOf);
  const source = body === text ? written : written.slice(0, matter.end) + body;
  const lines = splitLines(source);
  const offset = matter.end === 0 ? 0 : lines.starts.indexOf(matter.end);
  const parsed = parseMarkdown(body, lines.starts.length, dialect);
  if (parsed === null)
    return { code: "too_large", reason: "The page has more blocks, or deeper nested ones, than are parsed." };
  return {
    ...toBlocks(parsed, { lines, offset, mdx: dialect === "mdx", valueOf: matter.valueOf }),
    title: matter.title,
    description: matter.description,
  };
}
