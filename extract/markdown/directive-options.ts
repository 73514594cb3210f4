const option = /^[ \t]*:([a-z][\w-]{0,40}):(?:[ \t]+(.{0,300}))?$/i;
const pair = /^[ \t]*([a-z][\w-]{0,40}):(?:[ \t]+(.{0,300}))?$/i;

/** Maximum number of lines with options of one directive. */
export const maxOptionLines = 40;

/** The options of a directive. */
export interface DirectiveOptions {
  readonly values: Map<string, string>;
  /** The first line after them. */
  readonly end: number;
}

/**
 * Reads the options of a directive of MyST from a line on (MyST-Parser, "Syntax for directives"): lines such as `:emphasize-lines: 2`, or
 * YAML between lines of `---`.
 */
export function readOptions(lines: readonly string[], from: number): DirectiveOptions {
  const values = new Map<string, string>();
  const until = Math.min(lines.length, from + maxOptionLines);
  let end = from;
  if (lines[from]?.trim() === "---") {
    for (let at = from + 1; at < until; at++) {
      const line = lines[at] ?? "";
      if (line.trim() === "---") return { values, end: at + 1 };
      const [, name, value = ""] = pair.exec(line) ?? [];
      if (name !== undefined) values.set(name, value.trim());
    }
    return { values: new Map(), end: from };
  }
  for (; end < until; end++) {
    const [, name, value = ""] = option.exec(lines[end] ?? "") ?? [];
    if (name === undefined) break;
    values.set(name, value.trim());
  }
  return { values, end };
}
