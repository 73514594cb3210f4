import { oneLine } from "../domain/one-line.ts";
import type { CodeBlockFound, ParagraphBlock, Lines } from "./blocks.ts";
import { isFileName } from "./file-name.ts";
import type { ExtractedExample, ExtractedCode } from "./page.ts";
import type { Section } from "./sections.ts";
import { firstSentences, lastSentences, listed, cutAtWord } from "./sentences.ts";
import { cutAtClause, phraseOf, saysNothing } from "./phrases.ts";

/** Maximum length of a description, in characters and in sentences. */
const maxDescriptionLength = 400;
const maxSentences = 3;
/** A lead-in shorter than that, in characters, is joined with the paragraph before it. */
const shortLead = 80;
/** Maximum number of code blocks in one example. */
const maxCodes = 20;

/** The examples of a section by the block that each begins with, and the other blocks within them: more code, and paragraphs that only name its file. */
export interface SectionCode {
  readonly examples: ReadonlyMap<Block, ExtractedExample>;
  readonly within: ReadonlySet<Block>;
}

type Block = Section["blocks"][number];

/**
 * One example for each block of code. Blocks with nothing but a file's name between them belong together, and so do the tabs of a
 * group that have one block each. `language` settles a block's language.
 */
export function toExamples(section: Section, language: (code: CodeBlockFound) => string): SectionCode {
  const within = new Set<Block>();
  const groups = groupCodes(section, language, within);
  const titles = titlesOf(section.breadcrumb, groups);
  const examples = groups.map((group, index): [Block, ExtractedExample] => [
    group.first,
    {
      type: "code",
      title: oneLine(titles[index] ?? ""),
      description: oneLine(withDetails(group)),
      codes: group.codes,
      lines: group.lines,
    },
  ]);
  return { examples: new Map(examples), within };
}

function groupCodes(
  { blocks, intro }: Section,
  language: (code: CodeBlockFound) => string,
  within: Set<Block>,
): CodeGroup[] {
  const joint = jointGroups(blocks);
  const groups: CodeGroup[] = [];
  let leads: ParagraphBlock[] = [];
  let aside = "";
  let group: CodeGroup | undefined;
  for (const block of blocks) {
    if (block.type === "prose") {
      leads = leads.filter(({ lines }) => lines[0] < block.lines[0]);
      aside = block.markdown;
      if (group !== undefined && block.lines[0] > group.lines[1]) group = undefined;
    } else if (block.type === "paragraph") {
      // What ends in a colon leads to the code behind it.
      if (group?.description === "" && leads.length === 0 && !/:\s*$/.test(block.text()))
        group.description = firstSentences(block.text(), 200);
      leads.push(block);
    } else {
      const label = fileLabel(leads.at(-1));
      const labelled = label === undefined ? undefined : leads.pop();
      if (labelled !== undefined) within.add(labelled);
      const file = block.file ?? label;
      const named = file === undefined ? {} : { file };
      const { sources, madeFrom, marks, tab } = block;
      const number = tab !== undefined && joint.has(tab.group) ? tab.group : undefined;
      const code = {
        language: language({ ...block, ...named }),
        code: block.code,
        ...named,
        ...(tab !== undefined && tab.label !== "" && tab.label !== file && { label: tab.label }),
        ...(marks && marks.length > 0 && { marks }),
        ...(sources && { sources }),
        ...(madeFrom !== undefined && { madeFrom }),
      };
      const marked =
        number !== undefined && leads.at(-1)?.markdown === `**${tab?.label ?? ""}**` ? leads.at(-1) : undefined;
      const together =
        number !== undefined
          ? group?.joint === number && leads.length === (marked === undefined ? 0 : 1)
          : label !== undefined && leads.length === 0 && group?.joint === undefined;
      if (group !== undefined && together && group.codes.length < maxCodes) {
        group.codes.push(code);
        within.add(block);
        // Of tabs that are one, each block has its label.
        for (const one of [group.marked, marked]) if (one !== undefined) within.add(one);
        group.lines = [group.lines[0], block.lines[1]];
        if (block.tab !== undefined) group.tabs.push(block.tab.label);
      } else {
        const lead = describe(leads);
        const follows = leads.length === 0 && group !== undefined;
        const heard = leads.findLast(isLabel)?.text() ?? "";
        group = {
          first: block,
          codes: [code],
          lines: block.lines,
          description: follows ? (group?.description ?? "") : lead || lastSentences(plain(aside), 2, 200),
          own: !follows && lead !== "",
          label: (number === undefined ? (block.tab?.label ?? block.label) : undefined) || heard,
          tabs: block.tab === undefined ? [] : [block.tab.label],
          joint: number,
          marked,
        };
        groups.push(group);
      }
      leads = [];
      aside = "";
    }
  }
  const without = groups.filter(({ description }) => description === "");
  const words = without.length === 0 ? "" : intro();
  for (const silent of without) silent.description = words;
  return groups;
}

/** Numbers of the groups whose blocks make one example: those of nothing but code, and tabs with one block each. */
function jointGroups(blocks: Section["blocks"]): ReadonlySet<number> {
  const tabs = new Map<number, { readonly seen: Set<number>; codes: number; readonly whole: boolean }>();
  for (const block of blocks) {
    if (block.type !== "code" || block.tab === undefined) continue;
    const { group, tab, whole } = block.tab;
    const known = tabs.get(group) ?? { seen: new Set(), codes: 0, whole };
    known.seen.add(tab);
    known.codes++;
    tabs.set(group, known);
  }
  return new Set([...tabs].flatMap(([group, { seen, codes, whole }]) => (whole || seen.size === codes ? [group] : [])));
}

/** The file name that a paragraph consists of. */
function fileLabel(paragraph: ParagraphBlock | undefined): string | undefined {
  if (paragraph === undefined || paragraph.lines[1] > paragraph.lines[0]) return undefined;
  const text = paragraph
    .text()
    .replace(/^(?:file(?:name)?|in)[: ]\s*/i, "")
    .replace(/:$/, "");
  return isFileName(text) ? text : undefined;
}

/** True for a paragraph in bold that is used as a heading, such as `**Example**`. */
export function isLabel({ markdown }: ParagraphBlock): boolean {
  return /^\*\*[^*\n]{1,60}\*\*:?$/.test(markdown);
}

function describe(all: readonly ParagraphBlock[]): string {
  const leads = all.filter((lead) => !isLabel(lead));
  const last = leads.at(-1)?.text() ?? "";
  const text = last.length < shortLead && leads.length > 1 ? `${leads.at(-2)?.text() ?? ""} ${last}` : last;
  return lastSentences(text, maxSentences, maxDescriptionLength);
}

/** The last paragraph without markup, on one line; "" for a table. */
function plain(markdown: string): string {
  const last =
    markdown
      .slice(-600)
      .split(/\n{2,}/)
      .at(-1) ?? "";
  if (last.includes("|")) return "";
  return last
    .replace(/^[\s>]*(?:[-*+]|\d+[.)])?\s+|^>+/gm, " ")
    .replace(/\*\*|`/g, "")
    .replace(/\[([^\]]{0,300})\]\([^)]{0,300}\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** The description with the alternatives that the tabs name. */
function withDetails({ description, tabs, codes, joint }: CodeGroup): string {
  const names = joint === undefined || tabs.length !== codes.length ? [] : tabs;
  const told = new Set(codes.map(({ file }) => file));
  const shown =
    names.length > 1 && names.every((name) => name !== "" && !told.has(name)) ? `For ${listed(names)}.` : "";
  return [description, shown].filter((part) => part !== "").join(" ");
}

/** Blocks that make one example. */
interface CodeGroup {
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
function titlesOf(breadcrumb: readonly string[], groups: readonly CodeGroup[]): string[] {
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
