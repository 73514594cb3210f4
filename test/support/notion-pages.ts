import { codeBlock, textBlock } from "./notion-blocks.ts";

/** Blocks of a page with prose and code. */
export const textOf = (name: string, code = `${name.toLowerCase()}();`) => [
  textBlock("paragraph", `This page tells how ${name} is used, and when it is better not to be used.`),
  codeBlock(code, "javascript"),
];

/** The id of a page as in keys and addresses. */
export function bare(id: string): string {
  return id.replaceAll("-", "");
}
