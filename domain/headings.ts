import type { PassageBlock } from "./passage.ts";
import { paragraphsOf } from "./markdown.ts";

/** The breadcrumb of a section without the title of its page and without repetitions. */
export function headingsOf(breadcrumb: readonly string[], title: string): readonly string[] {
  return breadcrumb.filter(
    (heading, at) => !isSame(heading, title) && (at === 0 || !isSame(heading, breadcrumb[at - 1] ?? "")),
  );
}

/** Blocks without headings that repeat the title of their page. */
export function withoutTitle(blocks: readonly PassageBlock[], title: string): readonly PassageBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === "code" || !headingsIn(block.markdown).some((heading) => isSame(heading, title))) return [block];
    const kept = paragraphsOf(block.markdown).filter((text) => !isSame(headingText(text) ?? "", title));
    return kept.length === 0 ? [] : [{ ...block, markdown: kept.join("\n\n") }];
  });
}

/** A line that starts like a heading, also inside a fence. */
function headingsIn(markdown: string): readonly string[] {
  return markdown.includes("# ") ? Array.from(markdown.matchAll(/^#{1,6} ([^\n]*)$/gm), ([, text = ""]) => text) : [];
}

/** The text of a paragraph that is a heading; undefined for any other. */
export function headingText(paragraph: string): string | undefined {
  return /^#{1,6} ([^\n]*)$/.exec(paragraph)?.[1];
}

/** Whether blocks begin with a heading. */
export function beginsWithHeading([first]: readonly PassageBlock[]): boolean {
  return first?.type === "prose" && /^\s*#{1,6} /.test(first.markdown);
}

/** The last heading in the prose blocks; undefined: none. */
export function lastHeading(blocks: readonly PassageBlock[]): string | undefined {
  return blocks.flatMap((block) => (block.type === "prose" ? headingsIn(block.markdown) : [])).at(-1);
}

/** Whether two headings are equal but for markup; false for undefined. */
export function isSame(one: string, other: string): boolean {
  return one !== "" && (one === other || plain(one) === plain(other));
}

function plain(heading: string): string {
  return heading
    .replace(/[`*_\s\u200B]+/g, " ")
    .trim()
    .toLowerCase();
}
