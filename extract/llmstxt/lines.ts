import { closesFence, readFenceLine } from "../markdown/fences.ts";

/** A line outside of code, with its number from 0. */
export interface ProseLine {
  readonly text: string;
  readonly at: number;
}

/** A line that names the address of its page, in prose or front matter. */
export const addressLine =
  /^(?:>\s*)?\**(?:source|url|source_url|canonical|link|page)\**\s*:\**(?!\*)\s*<?["']?(\S+?)["']?>?\s*$/i;

/** The lines of a text that are in no fenced code. */
export function* proseLines(lines: readonly string[]): Generator<ProseLine> {
  let open = "";
  for (const [at, text] of lines.entries()) {
    const isShallow = /^ {0,3}[`~]/.test(text);
    if (open !== "") {
      if (isShallow && closesFence(text.trim(), open)) open = "";
      continue;
    }
    if (isShallow) open = readFenceLine(text)?.marker ?? "";
    if (open === "") yield { text, at };
  }
}
