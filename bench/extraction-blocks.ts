import { Parser } from "commonmark";
import type { ParseInput } from "../activities/parse-page.ts";

/** What commonmark.js takes for code, fences alone in MDX, whose indentation means nothing. */
export function referenceBlocks({
  path,
  bytes,
}: ParseInput): { readonly code: string; readonly lines: readonly [number, number] }[] {
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n");
  const matter = /^---\n[\s\S]*?\n---[ \t]*(?:\n|$)/.exec(text)?.[0] ?? "";
  const above = matter.split("\n").length - 1;
  const walker = new Parser().parse(text.slice(matter.length)).walker();
  const blocks: { code: string; lines: readonly [number, number] }[] = [];
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { node, entering } = step;
    if (!entering || node.type !== "code_block" || (node.literal ?? "").trim() === "") continue;
    const [[first], [last]] = node.sourcepos;
    const source = text.split("\n")[above + first - 1] ?? "";
    if (path.endsWith(".mdx") && !/[`~]{3}/.test(source)) continue;
    blocks.push({ code: node.literal ?? "", lines: [above + first, above + last] });
  }
  return blocks;
}

/** Code as it is compared: what the parser does to line ends, and to the last of them, is not looked at. */
export function comparable(code: string): string {
  return code.replace(/\r\n?/g, "\n").replace(/\s+$/, "");
}
