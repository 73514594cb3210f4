/** What stands between the marker of a MyST directive and its code. */
export interface FenceOptions {
  /** How long it is in the content of the fence, in characters, and how many lines it takes. */
  readonly length: number;
  readonly lines: number;
  /** The same as words behind the marker: `emphasize-lines="2"`. */
  readonly words: string;
}

export const noOptions: FenceOptions = { length: 0, lines: 0, words: "" };

const directive = /^\s*\{(?:code-block|code|code-cell|sourcecode)\}/;
const option = /^[ \t]*:([a-z][\w-]{0,40}):(?:[ \t]+(.{0,300}))?$/;

/** The options of a directive that shows code (MyST-Parser, "Syntax for directives"): lines such as `:emphasize-lines: 2`. */
export function optionsOf({ info, content }: { readonly info: string; readonly content: string }): FenceOptions {
  if (!directive.test(info) || !/^[ \t]*:/.test(content)) return noOptions;
  const words: string[] = [];
  let length = 0;
  let lines = 0;
  for (const line of content.split("\n", 40)) {
    const [, name, value = ""] = option.exec(line) ?? [];
    if (name === undefined && (line.trim() !== "" || lines === 0)) break;
    length = Math.min(content.length, length + line.length + 1);
    lines++;
    // A blank line ends them.
    if (name === undefined) break;
    words.push(`${name}="${value.trim().replaceAll('"', "")}"`);
  }
  return { length, lines, words: words.join(" ") };
}
