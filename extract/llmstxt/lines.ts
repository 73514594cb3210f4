/** A line outside of code, with its number from 0. */
export interface ProseLine {
  readonly text: string;
  readonly at: number;
}

/** A line that names the address of its page, in prose or front matter. */
export const addressLine =
  /^(?:>\s*)?\**(?:source|url|source_url|canonical|link|page)\**\s*:\**(?!\*)\s*<?["']?(\S+?)["']?>?\s*$/i;

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** The lines of a text that are in no fenced code. */
export function* proseLines(lines: readonly string[]): Generator<ProseLine> {
  let open = "";
  for (const [at, text] of lines.entries()) {
    const marks = fence.exec(text)?.[1] ?? "";
    if (open !== "") {
      if (marks.startsWith(open) && text.trim() === marks) open = "";
    } else if (marks !== "") open = marks;
    else yield { text, at };
  }
}
