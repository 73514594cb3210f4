import type { CodeBlockFound, ParagraphBlock } from "./blocks.ts";
import type { CodeGroup } from "./code-group.ts";
import { isFileName } from "./file-name.ts";
import { joinOneLiners } from "./one-liners.ts";
import type { ExtractedSnippet } from "./page.ts";
import type { Outline, Section } from "./sections.ts";
import { firstSentences, lastSentences } from "./sentences.ts";
import { titlesOf } from "./titles.ts";

/** Maximum length of a description, in characters and in sentences. */
const maxDescriptionLength = 400;
const maxSentences = 3;
/** A shorter lead-in, in characters, is joined with the paragraph before it. */
const shortLead = 80;
/** Maximum number of code blocks in one snippet. */
const maxCodes = 20;

/**
 * One snippet for each block of code. Blocks with nothing but a file's name between them belong together, and so do
 * the tabs of a group that have one block each, and one-liners with what follows them. `language` settles a block's language.
 */
export function toCodeSnippets({ sections }: Outline, language: (code: CodeBlockFound) => string): ExtractedSnippet[] {
  return sections.flatMap((section) => {
    const groups = joinOneLiners(groupCodes(section, language), maxCodes);
    const titles = titlesOf(section.breadcrumb, groups);
    return groups.map((group, index): ExtractedSnippet => ({
      kind: "code",
      title: titles[index] ?? "",
      description: withDetails(group),
      breadcrumb: section.breadcrumb,
      codes: group.codes,
      lines: group.lines,
    }));
  });
}

function groupCodes({ blocks, intro }: Section, language: (code: CodeBlockFound) => string): CodeGroup[] {
  const joint = jointGroups(blocks);
  const groups: CodeGroup[] = [];
  let leads: ParagraphBlock[] = [];
  let aside = "";
  let group: CodeGroup | undefined;
  for (const block of blocks) {
    if (block.type === "prose") {
      leads = leads.filter(({ lines }) => lines[0] < block.lines[0]);
      aside = block.markdown;
      if (group?.joint === undefined && group !== undefined && block.lines[0] > group.lines[1]) group = undefined;
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
      const { sources, madeFrom } = block;
      const code = {
        language: language({ ...block, ...named }),
        code: block.code,
        ...named,
        ...(sources && { sources }),
        ...(madeFrom !== undefined && { madeFrom }),
      };
      const number = block.tab !== undefined && joint.has(block.tab.group) ? block.tab.group : undefined;
      const together =
        number !== undefined
          ? group?.joint === number
          : label !== undefined && leads.length === 0 && group?.joint === undefined;
      if (group !== undefined && together && group.codes.length < maxCodes) {
        group.codes.push(code);
        group.lines = [group.lines[0], block.lines[1]];
        if (block.tab !== undefined) group.tabs.push(block.tab.label);
      } else {
        const lead = describe(leads);
        const follows = leads.length === 0 && group !== undefined;
        const heard = leads.findLast(isLabel)?.text() ?? "";
        group = {
          codes: [code],
          lines: block.lines,
          description: follows ? (group?.description ?? "") : lead || lastSentences(plain(aside), 2, 200),
          own: !follows && lead !== "",
          label: (number === undefined ? (block.tab?.label ?? block.label) : undefined) || heard,
          tabs: block.tab === undefined ? [] : [block.tab.label],
          joint: number,
          highlighted: block.highlighted ?? "",
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

/** Numbers of the groups whose blocks make one snippet: those of nothing but code, and tabs with one block each. */
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
  return lastSentences(text, maxSentences, maxDescriptionLength);
}

/** Prose without its marks, on one line; tables say nothing that way. */
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

/** The description with the alternatives that the tabs name, and the lines that the page points out. */
function withDetails({ description, tabs, codes, joint, highlighted }: CodeGroup): string {
  const names = joint === undefined || tabs.length !== codes.length ? [] : tabs;
  const told = new Set(codes.map(({ file }) => file));
  const shown =
    names.length > 1 && names.every((name) => name !== "" && !told.has(name)) ? `For ${listed(names)}.` : "";
  const [first] = codes;
  const points = codes.length === 1 && highlighted !== "" && (first?.code.split("\n").length ?? 0) >= 8;
  const lines = points ? `See ${/[,-]/.test(highlighted) ? "lines" : "line"} ${highlighted}.` : "";
  return [description, shown, lines].filter((part) => part !== "").join(" ");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
