import type { Document } from "../blocks.ts";
import type { Refused } from "../markdown/index.ts";
import { contentOf } from "./generators.ts";
import { readPage } from "./page.ts";
import type { HtmlOptions } from "./page.ts";

export type { HtmlOptions };

/**
 * Reads a page of HTML into the blocks that Markdown has too: what a reader sees of its content, code character by character. What holds it is
 * known for generators of documentation (`generators.ts`), and looked for on any other page.
 */
export function readHtml(source: string, options: HtmlOptions = {}): Document | Refused {
  return readPage(source, options, contentOf);
}
