import type { CodeBlockFound, Lines, ParagraphBlock } from "./blocks.ts";
import { isFileName } from "./file-name.ts";
import type { ExtractedCode, ExtractedSnippet } from "./page.ts";
import type { Outline, Section } from "./sections.ts";
import { cutAtWord, firstSentences, lastSentences, toSentences } from "./sentences.ts";

/** Descriptions have so many characters and sentences at most. */
const maxDescription = 400;
const maxSentences = 3;
/** A lead-in shorter than that, in characters, is read together with the paragraph before it. */
const shortLead = 80;

/** Blocks that make one snippet. */
interface Group {
  readonly codes: ExtractedCode[];
  lines: Lines;
  description: string;
  /** The description is its own, not that of the code before or the paragraph behind. */
  readonly own: boolean;
}

/**
 * One snippet for each block of code. Blocks with nothing but a file's name between them belong together. `language`
 * settles a block's language.
 */
export function toCodeSnippets({ sections }: Outline, language: (code: CodeBlockFound) => string): ExtractedSnippet[] {
  return sections.flatMap((section) => {
    const groups = groupCodes(section, language);
    const titles = titlesOf(section.breadcrumb.at(-1) ?? "", groups);
    return groups.map(({ codes, lines, description }, index): ExtractedSnippet => ({
      kind: "code",
      title: titles[index] ?? "",
      description,
      breadcrumb: section.breadcrumb,
      codes,
      lines,
    }));
  });
}

function groupCodes({ blocks }: Section, language: (code: CodeBlockFound) => string): Group[] {
  const groups: Group[] = [];
  let leads: ParagraphBlock[] = [];
  let group: Group | undefined;
  for (const block of blocks) {
    if (block.type === "prose") {
      leads = leads.filter(({ lines }) => lines[0] < block.lines[0]);
      if (group !== undefined && block.lines[0] > group.lines[1]) group = undefined;
    } else if (block.type === "paragraph") {
      // What ends in a colon leads to the code behind it.
      if (group?.description === "" && leads.length === 0 && !/:\s*$/.test(block.text()))
        group.description = firstSentences(block.text(), 200);
      leads.push(block);
    } else {
      const label = fileLabel(leads.at(-1));
      if (label !== undefined) leads.pop();
      const file = block.file ?? label;
      const named = file === undefined ? {} : { file };
      const { sources } = block;
      const code = {
        language: language({ ...block, ...named }),
        code: block.code,
        ...named,
        ...(sources && { sources }),
      };
      if (group !== undefined && label !== undefined && leads.length === 0) {
        group.codes.push(code);
        group.lines = [group.lines[0], block.lines[1]];
      } else {
        const lead = describe(leads);
        const follows = leads.length === 0 && group !== undefined;
        group = {
          codes: [code],
          lines: block.lines,
          description: follows ? (group?.description ?? "") : lead,
          own: !follows && lead !== "",
        };
        groups.push(group);
      }
      leads = [];
    }
  }
  return groups;
}

/** The file's name, where the paragraph is nothing but that. */
export function fileLabel(paragraph: ParagraphBlock | undefined): string | undefined {
  if (paragraph === undefined || paragraph.lines[1] > paragraph.lines[0]) return undefined;
  const text = paragraph
    .text()
    .replace(/^(?:file(?:name)?|in)[: ]\s*/i, "")
    .replace(/:$/, "");
  return isFileName(text) ? text : undefined;
}

/** True for a paragraph in bold that stands for a heading, such as `**Example**`. */
export function isLabel({ markdown }: ParagraphBlock): boolean {
  return /^\*\*[^*\n]{1,60}\*\*:?$/.test(markdown);
}

function describe(all: readonly ParagraphBlock[]): string {
  const leads = all.filter((lead) => !isLabel(lead));
  const last = leads.at(-1)?.text() ?? "";
  const text = last.length < shortLead && leads.length > 1 ? `${leads.at(-2)?.text() ?? ""} ${last}` : last;
  return lastSentences(text, maxSentences, maxDescription);
}

function titlesOf(heading: string, groups: readonly Group[]): string[] {
  if (groups.length < 2) return groups.map(() => heading);
  const taken = new Set<string>();
  return groups.map((group, index) => {
    const detail = (group.own ? phraseOf(group.description) : "") || (group.codes[0]?.file ?? "");
    const wanted = detail === "" ? heading : heading === "" ? detail : `${heading}: ${detail}`;
    const title = taken.has(wanted) ? `${wanted} (${index + 1})` : wanted;
    taken.add(title);
    return title;
  });
}

const sayingNothing =
  /^(?:(?:see )?(?:for )?(?:an? )?example|here(?:'s|’s| is| are) .{0,30}example.*|e\.g|output|usage|note|or|and|result|then)$/i;

/** What the lead-in says the code does: "To install it, run:" as "install it". */
function phraseOf(description: string): string {
  const sentences = toSentences(description);
  // What ends in a colon leads to the code; else the first sentence says what the paragraph is about.
  const ordered = description.endsWith(":") ? sentences.toReversed() : sentences;
  const sentence = ordered.map((text) => text.replace(/[\s:.!…]+$/, "")).find((text) => !sayingNothing.test(text));
  if (sentence === undefined) return "";
  const purpose = /^(?:in order )?to ([^,]{3,60}),/i.exec(sentence) ?? /^you can (?:also )?(.{3,})$/i.exec(sentence);
  return cutAtWord(purpose?.[1] ?? sentence, 60);
}
