import type { Document } from "../../../extract/blocks.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { notionPageType } from "../../../extract/formats.ts";
import { blockOf, type NotionBlock, type NotionPage } from "../../../extract/notion/page.ts";
import type { ExtractedPassage } from "../../../extract/page.ts";
import type { NewBlock } from "../../support/notion-server.ts";

let count = 0;

/** Blocks as sent to the API, in the form in which a page is stored. */
export function kept(blocks: readonly NewBlock[]): NotionBlock[] {
  return blocks.map(({ children, ...block }) => {
    const id = (++count).toString(16).padStart(32, "0");
    const found = blockOf({ object: "block", id, ...block });
    return children === undefined ? found : { ...found, children: kept(children) };
  });
}

/** The passages of a page with some blocks. */
export async function passagesOf(
  title: string,
  blocks: readonly NewBlock[],
  more: Partial<NotionPage> = {},
): Promise<readonly ExtractedPassage[]> {
  const page: NotionPage = { title, description: [], properties: [], blocks: kept(blocks), warnings: [], ...more };
  return extracted(notionPageType, JSON.stringify(page));
}

/** A page with some blocks as it is read, before it is divided into passages. */
export async function documentOf(blocks: readonly NewBlock[]): Promise<Document> {
  const page: NotionPage = { title: "Page", description: [], properties: [], blocks: kept(blocks), warnings: [] };
  const read = await formatOf(notionPageType);
  return read?.(JSON.stringify(page)) as Document;
}

/** The passages of a page of Markdown. */
export function passagesOfMarkdown(source: string): Promise<readonly ExtractedPassage[]> {
  return extracted("text/markdown", source);
}

async function extracted(mediaType: string, source: string): Promise<readonly ExtractedPassage[]> {
  const path = mediaType === notionPageType ? "https://www.notion.so/1" : "page.md";
  const result = extractPage({ path, mediaType, bytes: Buffer.from(source) }, await formatOf(mediaType));
  return result.outcome === "indexed" ? result.passages : [];
}

/** The content of passages, without its location. */
export function served(passages: readonly ExtractedPassage[]): unknown[] {
  return passages.map(({ title, breadcrumb, blocks }) => ({
    title,
    breadcrumb,
    blocks: blocks.map((block) => {
      if (!("codes" in block)) return block;
      const { lines: _lines, ...example } = block;
      return { ...example, codes: example.codes.map(({ sources: _sources, ...code }) => code) };
    }),
  }));
}
