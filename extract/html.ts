import { gfm } from "@joplin/turndown-plugin-gfm";
import { DefuddleClass } from "defuddle/node";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import type { Document } from "./blocks.ts";
import { readMarkdown } from "./markdown/index.ts";
import type { Refused } from "./markdown/index.ts";

/**
 * Reads the main content of an HTML page (Defuddle) into blocks, through Markdown. Code keeps its characters; lines are those
 * of the Markdown, and mean nothing to a reader.
 */
export function readHtml(source: string): Document | Refused {
  const { document } = parseHTML(source);
  // Without `useAsync` it fetches nothing, and without the address it knows no site from another.
  const { content, title } = new DefuddleClass(document, { url: "about:blank", useAsync: false }).parse();
  const body = parseHTML(`<!doctype html><html><body>${content}</body></html>`).document.body;
  const markdown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" }).use(gfm).turndown(body);
  const read = readMarkdown(markdown, "markdown");
  return "code" in read ? read : { ...read, title: read.title || title };
}
