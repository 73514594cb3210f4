import type { ExtractedBlock } from "../../extract/page.ts";

const fenceLine = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^\n]*)$/;

/** The prose and code of Markdown, for the screen, where text in fences weighs less. */
export function blocksOf(markdown: string): readonly ExtractedBlock[] {
  const blocks: ExtractedBlock[] = [];
  let lines: string[] = [];
  let open = "";
  let language = "";
  const end = (): void => {
    const text = lines.join("\n");
    lines = [];
    if (text.trim() === "") return;
    blocks.push(open === "" ? { type: "prose", markdown: text } : example("", [{ language, code: text }]));
  };
  for (const line of markdown.split("\n")) {
    const [, fence = "", rest = ""] = fenceLine.exec(line) ?? [];
    const opens = open === "" && fence !== "" && !(fence.startsWith("`") && rest.includes("`"));
    const closes = open !== "" && fence[0] === open[0] && fence.length >= open.length && rest.trim() === "";
    if (!opens && !closes) {
      lines.push(line);
      continue;
    }
    // The info string of a fence is screened too.
    if (opens) lines.push(rest);
    end();
    open = opens ? fence : "";
    language = opens ? rest.trim() : "";
  }
  end();
  return blocks;
}

/** Code with its description. */
export function example(
  description: string,
  codes: readonly { readonly language: string; readonly code: string }[],
): ExtractedBlock {
  return { type: "code", title: "", description, codes, lines: [1, 1] };
}
