import { oneLine } from "../domain/one-line.ts";
import type { CodeContent, ParagraphBlock, Lines, TabPlace } from "./blocks.ts";
import { isFileName } from "./file-name.ts";
import type { ExtractedExample, ExtractedCode } from "./page.ts";
import type { Section } from "./sections.ts";
import { firstSentences, lastSentences, joinList, cutAtWord } from "./sentences.ts";
import { cutAtClause, phraseOf, isEmptyPhrase } from "./phrases.ts";

/** Maximum length of a description, in characters and in sentences. */
const maxDescriptionLength = 400;
const maxSentences = 3;
/** A shorter lead-in, in characters, is joined with the paragraph before it. */
const shortLead = 80;
/** Maximum number of code blocks in one example. */
const maxCodes = 20;

type Block = Section["blocks"][number];

/**
 * One example for each block of code. Blocks with only a file's name between them are joined, and so are the tabs of a group with one
 * block each. `language` decides a block's language. Returns the examples by their first block, and `within` the other blocks in them:
 * code, and paragraphs that only name its file.
 */
export function toExamples(section: Section, language: (code: CodeContent) => string) {
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
  language: (code: CodeContent) => string,
  within: Set<Block>,
): CodeGroup[] {
  const joint = jointGroups(blocks);
  const groups: CodeGroup[] = [];
  let leads: ParagraphBlock[] = [];
  let prose = "";
  let group: CodeGroup | undefined;
  for (const block of blocks) {
    if (block.type === "prose") {
      leads = leads.filter(({ lines }) => lines[0] < block.lines[0]);
      prose = block.markdown;
      if (group !== undefined && block.lines[0] > group.lines[1]) group = undefined;
    } else if (block.type === "paragraph") {
      // A paragraph that ends in a colon introduces the next code, and one in bold is its caption.
      if (group?.description === "" && leads.length === 0 && !/:\s*$/.test(block.text()) && !bold.test(block.markdown))
        group.description = firstSentences(block.text(), 200);
      leads.push(block);
    } else {
      const label = fileLabel(leads.at(-1));
      const labelled = label === undefined ? undefined : leads.pop();
      if (labelled !== undefined) within.add(labelled);
      const file = block.file ?? label;
      const fileField = file === undefined ? {} : { file };
      const { sources, madeFrom, marks, tab } = block;
      const jointGroup = tab !== undefined && joint.has(tab.group) ? tab.group : undefined;
      const code = {
        language: language({ ...block, ...fileField }),
        code: block.code,
        ...fileField,
        ...(tab !== undefined && tab.label !== "" && tab.label !== file && { label: tab.label }),
        ...(marks && marks.length > 0 && { marks }),
        ...(sources && { sources }),
        ...(madeFrom !== undefined && { madeFrom }),
      };
      const tabLabel =
        jointGroup !== undefined && leads.at(-1)?.markdown === `**${tab?.label ?? ""}**` ? leads.at(-1) : undefined;
      const isJoined =
        jointGroup !== undefined
          ? group?.joint === jointGroup && leads.length === (tabLabel === undefined ? 0 : 1)
          : label !== undefined && leads.length === 0 && group?.joint === undefined;
      if (group !== undefined && isJoined && group.codes.length < maxCodes) {
        group.codes.push(code);
        within.add(block);
        // Each block of joined tabs has the label.
        for (const one of [group.tabLabel, tabLabel]) if (one !== undefined) within.add(one);
        group.lines = [group.lines[0], block.lines[1]];
        if (block.tab !== undefined) group.tabs.push(block.tab.label);
      } else {
        const lead = describe(leads);
        const follows = leads.length === 0 && group !== undefined;
        const boldLabel = leads.findLast(isLabel)?.text() ?? "";
        group = {
          first: block,
          codes: [code],
          lines: block.lines,
          description: follows ? (group?.description ?? "") : lead || lastSentences(plain(prose), 2, 200),
          isIntroduced: !follows && lead !== "",
          label: (jointGroup === undefined ? (block.tab?.label ?? block.label) : undefined) || boldLabel,
          tabs: block.tab === undefined ? [] : [block.tab.label],
          joint: jointGroup,
          tabLabel,
        };
        groups.push(group);
      }
      leads = [];
      prose = "";
    }
  }
  const undescribed = groups.filter(({ description }) => description === "");
  const introduction = undescribed.length === 0 ? "" : intro();
  for (const one of undescribed) one.description = introduction;
  return groups;
}

/** Numbers of the groups whose blocks are one example: groups of nothing but code, and tabs with one block each. */
function jointGroups(blocks: Section["blocks"]): ReadonlySet<number> {
  const places = blocks.flatMap((block) => (block.type === "code" && block.tab !== undefined ? [block.tab] : []));
  const groups = Map.groupBy(places, ({ group }) => group);
  const isJoint = (tabs: readonly TabPlace[]): boolean =>
    tabs[0]?.whole === true || new Set(tabs.map(({ tab }) => tab)).size === tabs.length;
  return new Set([...groups].flatMap(([group, tabs]) => (isJoint(tabs) ? [group] : [])));
}

/** The file name that is a paragraph's only text. */
function fileLabel(paragraph: ParagraphBlock | undefined): string | undefined {
  if (paragraph === undefined || paragraph.lines[1] > paragraph.lines[0]) return undefined;
  const text = paragraph
    .text()
    .replace(/^(?:file(?:name)?|in)[: ]\s*/i, "")
    .replace(/:$/, "");
  return isFileName(text) ? text : undefined;
}

const bold = /^\*\*([^*\n]+)\*\*:?$/;

/** True for a bold paragraph used as a heading, such as `**Example**`. */
export function isLabel({ markdown }: ParagraphBlock): boolean {
  return (bold.exec(markdown)?.[1]?.length ?? Infinity) <= 60;
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

/** The description, followed by the labels of the tabs. */
function withDetails({ description, tabs, codes, joint }: CodeGroup): string {
  const names = joint === undefined || tabs.length !== codes.length ? [] : tabs;
  const files = new Set(codes.map(({ file }) => file));
  const alternatives =
    names.length > 1 && names.every((name) => name !== "" && !files.has(name)) ? `For ${joinList(names)}.` : "";
  return [description, alternatives].filter((part) => part !== "").join(" ");
}

/** Blocks of one example. */
interface CodeGroup {
  readonly first: CodeContent;
  readonly codes: ExtractedCode[];
  lines: Lines;
  description: string;
  /** The description introduces this example: it is not that of the code before it, nor the paragraph after it. */
  readonly isIntroduced: boolean;
  /** Its label, on a tab or in bold before it; "" without. */
  readonly label: string;
  /** Labels of its tabs, in order. */
  readonly tabs: string[];
  /** Number of the group of tabs that it consists of. */
  readonly joint: number | undefined;
  /** The paragraph that only repeats the label of its first tab. */
  readonly tabLabel: ParagraphBlock | undefined;
}

/** Headings that do not say what their code does. */
const general =
  /^(?:(?:basic |quick |simple |advanced |more |full |complete )?(?:usages?|examples?)|(?:example|sample) (?:usage|code)|how to use|installation|install(?:ing)?|set-?up|getting started|quick ?start|syntax|signature|imports?|configuration|configure|config|default|output|result|code|demo|overview|introduction|description|options|(?:type )?parameters|props|step \d+|returns?|fail|pass|correct|incorrect)$/i;

/**
 * Titles of the examples under one heading: the heading, with details to tell several examples apart, and with the heading above if
 * it is too general.
 */
function titlesOf(breadcrumb: readonly string[], groups: readonly CodeGroup[]): string[] {
  const heading = breadcrumb.at(-1) ?? "";
  const above = breadcrumb.at(-2) ?? "";
  const shown = general.test(heading) && above !== "" && !above.includes(heading) ? `${above}: ${heading}` : heading;
  const taken = new Set<string>();
  return groups.map((group, index) => {
    const details = groups.length < 2 ? [] : detailsOf(group);
    const candidates = (details.length === 0 ? [""] : details).map((detail) =>
      detail === "" ? shown : shown === "" ? detail : `${heading}: ${detail}`,
    );
    const title = candidates.find((one) => !taken.has(one)) ?? `${candidates[0] ?? shown} (${index + 1})`;
    taken.add(title);
    return title;
  });
}

/** Details that may distinguish an example, the best first. */
function detailsOf({ isIntroduced, description, label, codes }: CodeGroup): string[] {
  const [first] = codes;
  const phrase = isIntroduced ? phraseOf(description) : "";
  const bare = label.replace(/(?<![\s:])[\s:]+$/, "");
  const named = isEmptyPhrase(bare) ? "" : cutAtWord(bare, 60);
  return [phrase, named, first?.file ?? "", commentOf(first?.code ?? "")].filter((detail) => detail !== "");
}

/** The comment on the first line; "" for a directive to a tool. */
function commentOf(code: string): string {
  const line = code.slice(0, 120).split("\n", 1)[0] ?? "";
  const comment = /^\s*(?:\/\/|#|--|<!--|\/\*\*?)\s+([\p{L}"'`].{2,80}?)\s*(?:-->|\*\/)?$/u.exec(line)?.[1] ?? "";
  return /^(?:eslint|prettier|ts-|@|biome|deno-|noinspection|pragma)|[{};=]$/i.test(comment)
    ? ""
    : cutAtClause(comment.replace(/(?<![\s:.…])[\s:.…]+$/, ""), 60);
}
