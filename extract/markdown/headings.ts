/**
 * Anchors after a heading: comments of MDX in React's documentation, escaped braces of Docusaurus, `%{#…}%` of Vue's translations,
 * brackets of Fumadocs and Nextra, whose `[!toc]` and `[toc]` are options of the table of contents.
 */
const anchor =
  /(?<!\s)\s*(?:\{\/\*[^*]*\*\/\}|%\{#[\w:./-]{1,80}\}%|\\\{#[\w:./-]{1,80}\\?\}|(?:\[#[A-Za-z][\w:./-]{0,80}\]|\[!?toc\])(?=\s*$|\s+\[(?:#|!?toc)))\s*$/;

/** `## Heading [_heading]` of Elastic's docs-builder, whose anchors may have any name. */
const named = /\s\[([a-z_][\w.-]{0,150})\]\s*$/;

/** Whether the headings of a page have anchors in brackets: in at least one, the name in brackets is its own text. */
export function haveNamedAnchors(headings: readonly string[]): boolean {
  return headings.some((source) => {
    const [suffix, name = ""] = named.exec(source) ?? [];
    if (suffix === undefined) return false;
    return name.startsWith("_") || bare(source.slice(0, -suffix.length)) === bare(name);
  });
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** A heading's source without the anchors at its end; `isNamed`: its page has anchors in brackets. */
export function withoutAnchor(source: string, isNamed: boolean): string {
  let text = isNamed ? source.replace(named, "") : source;
  // A heading may have both an anchor and a mark for the table of contents.
  for (let count = 0; count < 3 && /[}\]%]\s{0,9}$/.test(text.slice(-20)); count++) text = text.replace(anchor, "");
  return text;
}

/** The visible text of a heading. */
export function headingText(text: string): string {
  return text
    .replace(/(?<!\s)\s*¶$/, "")
    .trim()
    .replace(/(?<=[^\s:])\s?:$/, "");
}
