import { bold, undented } from "../html/markdown.ts";
import { calloutOf, tableMarkdown, wordsOf } from "./words.ts";
import { markdownOf, plainOf } from "./inline.ts";
import type { NotionBlock } from "./page.ts";

/** Prose of a container, with the words of the items in the last piece of it; those of an item before code; or code. */
export type Part =
  | { readonly markdown: string; readonly last?: readonly string[] }
  | { readonly lead: string }
  | { readonly code: NotionBlock };

/** Deeper lists are not indented further. */
const maxIndent = 24;

const items = new Set(["bulleted_list_item", "numbered_list_item", "to_do"]);

/** True for an item of a list. */
export function isItem({ type }: NotionBlock): boolean {
  return items.has(type);
}

/** True for an item of the list that another one is in: those with numbers are a list of their own. */
export function isNextItem({ type }: NotionBlock, next: NotionBlock | undefined): boolean {
  return next !== undefined && isItem(next) && (type === "numbered_list_item") === (next.type === "numbered_list_item");
}

/** A list or quotation as Markdown, taken apart at the code in it. */
export function partsOf(container: readonly NotionBlock[]): readonly Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  /** What the next line begins with instead of its indentation. */
  let marker: string | undefined;
  let leads: string[] = [];

  const flush = (last: readonly string[] = []): void => {
    const markdown = undented(lines);
    if (/[\p{L}\p{N}]/u.test(markdown)) parts.push({ markdown, last });
    lines = [];
  };
  const say = (text: string, indent: string): void => {
    if (text === "") return;
    if (marker === undefined && lines.length > 0 && lines.at(-1)?.trim() !== "")
      lines.push(indent.includes(">") ? indent.trimEnd() : "");
    for (const line of text.split("\n")) {
      lines.push(`${marker ?? indent}${line}`.trimEnd());
      marker = undefined;
    }
  };
  const item = (sign: string, indent: string, { text = [], children = [] }: NotionBlock): void => {
    const opened = `${indent}${sign}`;
    marker = opened;
    const deeper = indent.length >= maxIndent ? indent : indent + " ".repeat(sign.indexOf(" ") + 1);
    tell(markdownOf(text), plainOf(text), deeper);
    content(children, deeper);
    if (marker === opened) marker = undefined;
  };
  const tell = (markdown: string, plain: string, indent: string): void => {
    if (markdown !== "") leads.push(plain);
    say(markdown, indent);
  };
  const content = (blocks: readonly NotionBlock[], indent: string): void => {
    let [number, first]: [number: number | undefined, first: number | undefined] = [undefined, undefined];
    for (const block of blocks) {
      const { type, start } = block;
      // Each item may have the number of the first one of its list.
      if (type !== "numbered_list_item") [number, first] = [undefined, undefined];
      else if (number === undefined || (start !== undefined && start !== first)) [number, first] = [start ?? 1, start];
      else number += 1;
      one(block, indent, number ?? 1);
    }
  };
  const one = (block: NotionBlock, indent: string, number: number): void => {
    const { type, text = [], children = [], checked = false } = block;
    const said = markdownOf(text);
    if (type === "code") {
      marker = undefined;
      flush();
      parts.push(...leads.map((lead) => ({ lead })), { code: block });
      leads = [];
    } else if (type === "numbered_list_item") item(`${number}. `, indent, block);
    else if (type === "to_do") item(`- [${checked ? "x" : " "}] `, indent, block);
    else if (type === "bulleted_list_item" || type === "toggle") item("- ", indent, block);
    else if (type === "table") say(tableMarkdown(block), indent);
    else if (type === "quote") {
      const deeper = `${indent.slice(0, maxIndent)}> `;
      tell(said, plainOf(text), deeper);
      content(children, deeper);
    } else {
      const shown = type === "callout" ? `${calloutOf(block)} ${said}`.trim() : wordsOf(block);
      tell(type.startsWith("heading_") ? bold(said) : shown, plainOf(text), indent);
      content(children, indent);
    }
  };

  content(container, "");
  flush(leads);
  return parts;
}
