import type { CodeBlockFound, Lines, ParagraphBlock } from "./blocks.ts";
import type { ExtractedCode } from "./page.ts";
import { cutAtClause, phraseOf, saysNothing } from "./phrases.ts";
import { cutAtWord } from "./sentences.ts";

/** Blocks that make one example. */
export interface CodeGroup {
  /** The one that it begins with. */
  readonly first: CodeBlockFound;
  readonly codes: ExtractedCode[];
  lines: Lines;
  description: string;
  /** The description is its own, and not taken from the code before it or the paragraph behind it. */
  readonly own: boolean;
  /** What a tab, or a label in bold before it, calls it; "" without. */
  readonly label: string;
  /** Labels of the tabs it is made of, in order. */
  readonly tabs: string[];
  /** The number of the group of tabs that it is; undefined for any other. */
  readonly joint: number | undefined;
  /** The paragraph that is nothing but the label of its first tab. */
  readonly marked: ParagraphBlock | undefined;
}

/** Headings that do not tell what the code under them does. */
const general =
  /^(?:(?:basic |quick |simple |advanced |more |full |complete )?(?:usages?|examples?)|(?:example|sample) (?:usage|code)|how to use|installation|install(?:ing)?|set-?up|getting started|quick ?start|syntax|signature|imports?|configuration|configure|config|default|output|result|code|demo|overview|introduction|description|options|(?:type )?parameters|props|step \d+|returns?|fail|pass|correct|incorrect)$/i;

/**
 * Titles of the examples under one heading: the heading, with what each example does if there are several, and with the heading above
 * if the heading is too general.
 */
export function titlesOf(breadcrumb: readonly string[], groups: readonly CodeGroup[]): string[] {
  const heading = breadcrumb.at(-1) ?? "";
  const above = breadcrumb.at(-2) ?? "";
  const shown = general.test(heading) && above !== "" && !above.includes(heading) ? `${above}: ${heading}` : heading;
  const taken = new Set<string>();
  return groups.map((group, index) => {
    const details = groups.length < 2 ? [] : detailsOf(group);
    const wanted = (details.length === 0 ? [""] : details).map((detail) =>
      detail === "" ? shown : shown === "" ? detail : `${heading}: ${detail}`,
    );
    const title = wanted.find((one) => !taken.has(one)) ?? `${wanted[0] ?? shown} (${index + 1})`;
    taken.add(title);
    return title;
  });
}

/** Details that may tell a group apart, the most telling first. */
function detailsOf({ own, description, label, codes }: CodeGroup): string[] {
  const [first] = codes;
  const phrase = own ? phraseOf(description) : "";
  const bare = label.replace(/(?<![\s:])[\s:]+$/, "");
  const named = saysNothing(bare) ? "" : cutAtWord(bare, 60);
  return [phrase, named, first?.file ?? "", commentOf(first?.code ?? "")].filter((detail) => detail !== "");
}

/** A comment on the first line; "" for one that is a directive for a tool. */
function commentOf(code: string): string {
  const line = code.slice(0, 120).split("\n", 1)[0] ?? "";
  const said = /^\s*(?:\/\/|#|--|<!--|\/\*\*?)\s+([\p{L}"'`].{2,80}?)\s*(?:-->|\*\/)?$/u.exec(line)?.[1] ?? "";
  return /^(?:eslint|prettier|ts-|@|biome|deno-|noinspection|pragma)|[{};=]$/i.test(said)
    ? ""
    : cutAtClause(said.replace(/(?<![\s:.…])[\s:.…]+$/, ""), 60);
}
