import type { Block, CodeContent, Lines, ParagraphBlock, TabPlace } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage } from "../language.ts";
import type { Code, Inline, List, Node, Quote, Table, Terms } from "./nodes.ts";
import { contentOf, hasHeading, partsOf, tabLabel } from "./write-container.ts";
import { plainText, writeInline } from "./write-inline.ts";

const maxHeading = 300;
/** Maximum length of a lead-in, in characters. */
const maxLead = 3000;
/** Maximum length of a footnote within a lead-in, in characters. */
const maxNote = 120;

/** Writes a document's tree as blocks, in its order. `footnotes` are the texts of its footnotes by label. */
export function toBlocks(nodes: readonly Node[], footnotes: ReadonlyMap<string, string> = new Map()): Block[] {
  const blocks: Block[] = [];
  const sections = createSections();
  let line = 0;
  /** The label of an open tab or callout, for the first block in it. */
  let label = "";
  let tab: TabPlace | undefined;

  const placed = (lines: Lines | undefined): Lines => {
    line++;
    return lines ?? [line, line];
  };
  const noteOf = (name: string): string => {
    const note = footnotes.get(name) ?? "";
    return note === "" || note.length > maxNote ? "" : ` (${note.replace(/(?<![.\s])[.\s]+$/, "")})`;
  };
  const paragraphOf = (markdown: string, inline: readonly Inline[], lines: Lines): ParagraphBlock => {
    let cached: string | undefined;
    return { type: "paragraph", markdown, text: () => (cached ??= plainText(inline, noteOf).slice(0, maxLead)), lines };
  };
  const heading = (level: number, text: string, id: string | undefined, lines: Lines, isPart = false): void => {
    endLabel(lines);
    const end = endOfHeading(text);
    const shown = text.slice(0, end);
    blocks.push({
      type: "heading",
      level,
      text: shown,
      ...(id !== undefined && { id }),
      lines,
      ...(isPart && { isPart: true }),
    });
    const rest = text.slice(end).trim();
    if (rest !== "") paragraph([{ type: "words", text: rest, written: rest }], lines);
  };
  /** The open label before a text, once; pages that repeat it in the text have it once as well. */
  const labelled = (markdown: string, separator: string): string => {
    const shown =
      label === "" || markdown.toLowerCase().startsWith(label.toLowerCase())
        ? markdown
        : `${label}${separator}${markdown}`;
    label = "";
    return shown;
  };
  const paragraph = (inline: readonly Inline[], lines: Lines | undefined): void => {
    const markdown = writeInline(inline);
    if (readable.test(markdown)) blocks.push(paragraphOf(labelled(markdown, " "), inline, placed(lines)));
  };
  const labelAlone = (lines: Lines | undefined): void => {
    const words: Inline = { type: "words", text: label.replace(/\*|:\**$/g, "") };
    blocks.push(paragraphOf(label, [words], placed(lines && [lines[0], lines[0]])));
  };
  /** Writes the open label if it has words that nothing else has; the name of a kind of callout alone is no content. */
  const endLabel = (lines: Lines | undefined): void => {
    if (label !== "" && (label === tabLabel(tab?.label ?? "") || !label.endsWith(":**"))) labelAlone(lines);
    label = "";
  };
  const code = ({ lines, ...content }: Code): void => {
    if (content.code.trim() === "") return;
    // The label of a callout that holds only code is a paragraph; that of a tab is the code's.
    if (label !== "" && label !== tabLabel(tab?.label ?? "")) labelAlone(lines);
    label = "";
    const block: CodeContent = { ...content, lines: placed(lines) };
    blocks.push(tab === undefined ? block : inTab(block, tab));
  };
  const container = (node: List | Quote | Terms | Table): void => {
    for (const part of partsOf(node)) {
      if ("code" in part) code(part.code);
      else if ("lead" in part) blocks.push(paragraphOf("", part.lead, placed(part.lines)));
      else if (readable.test(part.markdown)) {
        // Prose introduces no code after it, so its lines come before those of its paragraphs.
        const lines = placed(part.lines);
        for (const { lead, lines: at } of part.last) blocks.push(paragraphOf("", lead, placed(at)));
        blocks.push({ type: "prose", markdown: labelled(part.markdown, "\n\n"), lines });
      }
    }
  };
  const flow = (all: readonly Node[]): void => {
    for (const node of all) add(node);
  };
  const add = (node: Node): void => {
    switch (node.type) {
      case "paragraph":
        return paragraph(node.children, node.lines);
      case "heading":
        if (node.text !== "") heading(sections.heading(node.level), node.text, node.id, placed(node.lines));
        return;
      case "code":
        return code(node);
      case "list":
      case "terms":
        if (!hasHeading([node])) return container(node);
        if (node.type === "list") return node.items.forEach((_, at) => flow(contentOf(node, at)));
        return node.items.forEach(({ terms, children }) => {
          for (const term of terms) paragraph([{ type: "strong", children: term }], node.lines);
          flow(children);
        });
      case "table":
        return isLayout(node)
          ? node.rows.forEach((row) => row.forEach(({ children }) => flow(children)))
          : container(node);
      case "quote":
        return container(node);
      case "callout":
        endLabel(node.lines);
        label = node.label;
        flow(node.children);
        return endLabel(node.lines);
      case "section": {
        heading(sections.open(), node.title, node.id, placed(node.lines), true);
        flow(node.children);
        const end = node.lines && ([node.lines[1], node.lines[1]] as const);
        heading(sections.close(), "", node.id === undefined ? undefined : "", placed(end), true);
        return;
      }
      case "tab": {
        endLabel(node.lines);
        const outer = tab;
        tab = node.place;
        label = tabLabel(node.place.label);
        flow(node.children);
        endLabel(node.lines);
        tab = outer;
      }
    }
  };
  flow(nodes);
  return blocks;
}

/** Where a heading that is too long is cut, between words if it has several. */
function endOfHeading(text: string): number {
  if (text.length <= maxHeading) return text.length;
  const blank = text.lastIndexOf(" ", maxHeading);
  if (blank > 0) return blank;
  return text.slice(0, maxHeading).isWellFormed() ? maxHeading : maxHeading - 1;
}

/** Letters, digits, code, or an item that is an operator. */
const readable = /[\p{L}\p{N}]|`[^`\n]*[^`\s]|^[ \t]*(?:-|\d+\.) \\?[-+*/<=>%&!?^~@$]{1,3}$/mu;

/** Whether a table only arranges its content: it has headings in it, or one place, or code of several lines in most of its rows. */
function isLayout(table: Table): boolean {
  if (hasHeading([table])) return true;
  const isCode = (node: Node): boolean => node.type === "code" && node.code.trim().includes("\n");
  const coded = table.rows.filter((row) => row.some(({ children }) => children.some(isCode))).length;
  return coded > 0 && coded * 2 >= table.rows.length - (table.hasHead ? 1 : 0);
}

/** A block in a tab: the tab's label may be the name of its file or language. */
function inTab(block: CodeContent, tab: TabPlace): CodeContent {
  const name = tab.label !== "" ? tab.label : (block.label ?? "");
  const file = block.file === undefined && isFileName(name) ? { file: name } : {};
  const language = block.language === "" && file.file === undefined ? { language: languageOfLabel(name) } : {};
  return { ...block, ...file, ...language, tab: { ...tab, label: name } };
}

const spokenLanguages =
  /^(?:javascript|typescript|js|ts|jsx|tsx|python|ruby|rust|go|java|kotlin|swift|php|c#|c\+\+|bash|shell|curl|json|yaml|toml|html|css|graphql|sql|dart|elixir)$/i;

/** The language that the label of a tab implies; "" for any other label. */
function languageOfLabel(label: string): string {
  if (/^(?:npm|yarn|pnpm|bun|deno|npx|pip|uv|poetry|brew|apt|curl|macos|linux|unix|terminal)$/i.test(label))
    return "bash";
  if (/^node(?:\.?js)?$/i.test(label)) return "javascript";
  return spokenLanguages.test(label) ? toLanguage(label) : "";
}

/** Tracks the levels of headings from the beginning of a page, whose components open sections of their own. */
function createSections() {
  const open: { readonly level: number; readonly outer: number }[] = [];
  let current = 1;
  return {
    /** The level of a heading of the page, which is below that of open components. */
    heading(level: number): number {
      current = Math.max(level, (open.at(-1)?.level ?? 0) + 1);
      return current;
    },
    /** Opens a component; returns the level of its title. */
    open(): number {
      open.push({ level: current + 1, outer: current });
      return ++current;
    },
    /** Closes the last opened component; returns its level. */
    close(): number {
      const last = open.pop();
      current = last?.outer ?? current;
      return last?.level ?? current + 1;
    },
  };
}
