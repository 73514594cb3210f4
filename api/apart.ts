import type { ExampleBlock, Passage } from "../domain/passage.ts";
import { headingText, withoutTitle } from "./headings.ts";
import { closeFences, paragraphsOf } from "./markdown.ts";

/** A passage taken apart: its code, and all other prose. */
export interface Apart {
  readonly examples: readonly { readonly example: ExampleBlock; readonly description: string }[];
  /** Prose that belongs to no code example, as Markdown; "" if there is none. */
  readonly prose: string;
}

/** A shorter paragraph that leads to code is explained by the one before it, in characters; a longer one is not taken along. */
const shortLead = 80;
const longContext = 500;

/**
 * Takes the code of a passage out of its prose. The paragraph right above an example goes with it, and the one before where that is
 * short; an example without one has what extraction found to say of it.
 */
export function apartOf({ blocks, page }: Pick<Passage, "blocks" | "page">): Apart {
  const examples: { example: ExampleBlock; description: string }[] = [];
  /** Paragraphs so far; null where code has stood. */
  const prose: (string | null)[] = [];
  for (const block of withoutTitle(blocks, page.title)) {
    if (block.type === "prose") prose.push(...paragraphsOf(block.markdown.trim()));
    else {
      const lead = takeLead(prose);
      examples.push({ example: block, description: lead === "" ? block.description : lead });
      prose.push(null);
    }
  }
  const kept = prose.filter((paragraph, at) => paragraph !== null && !leadsNowhere(prose, at));
  return { examples, prose: closeFences(kept.join("\n\n")) };
}

/** Takes what leads to the code that comes next from the end of the prose; "" where nothing does. */
function takeLead(prose: (string | null)[]): string {
  const last = prose.at(-1) ?? "";
  if (!isParagraph(last)) return "";
  prose.pop();
  const before = prose.at(-1) ?? "";
  if (last.length >= shortLead || before.length > longContext || !isParagraph(before)) return last.trim();
  prose.pop();
  return [before, last].map((text) => text.trim()).join("\n\n");
}

/** Whether it is a paragraph or a single item of a list: no heading, table, quote or list, and nothing that stands for what is left out. */
function isParagraph(text: string): boolean {
  if (text === "" || headingText(text) !== undefined || /^\s*(?:[>|[<]|`{3}|~{3})/.test(text)) return false;
  const items = text.match(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm) ?? [];
  return items.length <= 1;
}

/** A heading with nothing below it any more, as all that was there was code or led to it. */
function leadsNowhere(prose: readonly (string | null)[], at: number): boolean {
  const level = levelOf(prose[at]);
  if (level === 0) return false;
  let wasCode = false;
  for (const next of prose.slice(at + 1)) {
    if (next === null) wasCode = true;
    else if (levelOf(next) === 0) return false;
    else if (levelOf(next) <= level) break;
  }
  return wasCode;
}

/** How deep a heading is; 0 for any other paragraph. */
function levelOf(paragraph: string | null | undefined): number {
  return paragraph && headingText(paragraph) !== undefined ? paragraph.indexOf(" ") : 0;
}
