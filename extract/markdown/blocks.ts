import type { Token } from "markdown-it";
import type { Block, CodeBlockFound, LeftOut, Lines, ParagraphBlock } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage } from "../language.ts";
import { isCalloutLabel, unindentCallout } from "./callouts.ts";
import { readHtml } from "./html.ts";
import { parseInfoString } from "./info-string.ts";
import { stripAttributes } from "./attributes.ts";
import type { SourceLines } from "./lines.ts";
import { lineAt, verbatim } from "./lines.ts";
import type { Links } from "./links.ts";
import { createLinks, readNotes } from "./links.ts";
import type { ParsedMarkdown } from "./parser.ts";
import { cleanProse, isLinkList } from "./prose.ts";
import { createTabs } from "./tabs.ts";
import { stripTags } from "./tags.ts";

/** Where the parsed text stands: its file's lines, and how many of them come before it. */
export interface Place {
  readonly lines: SourceLines;
  readonly offset: number;
  readonly mdx: boolean;
}

/** What the parser's tokens come to. */
export interface MarkdownBlocks {
  readonly blocks: readonly Block[];
  readonly notes: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
}

/** A range of lines counted from 0, the last excluded, as the parser has them. */
type Range = readonly [number, number];

/** Reduces the parser's tokens to blocks. Code without anything but blanks in it is left out. */
export function toBlocks({ tokens, text, addressOf }: ParsedMarkdown, place: Place): MarkdownBlocks {
  const blocks: Block[] = [];
  const notes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const tabs = createTabs();
  const links = createLinks(addressOf, notes, place.lines.source.length + 10_000);
  /** Prose of a container at the top level, and the code in it. */
  let container: Range | null = null;
  let codes: Range[] = [];
  /** The label of a callout that stands alone, for the prose behind it. */
  let label = "";
  let note: Range | undefined;
  /** Where the tab of MkDocs that was closed last ended, by nesting; the next one may follow it. */
  const tabEnds: number[] = [];

  const push = (block: Block): void => {
    if (block.type === "heading" || block.type === "code") label = "";
    else if (block.markdown !== "") {
      if (isCalloutLabel(block.markdown)) {
        label = block.markdown;
        return;
      }
      if (label !== "") {
        const joined = `${label}${block.type === "paragraph" ? " " : "\n\n"}${block.markdown}`;
        blocks.push({ ...block, markdown: joined });
        label = "";
        return;
      }
    }
    blocks.push(block);
  };

  for (const [index, token] of tokens.entries()) {
    if (token.type === "admonition_close" && token.info !== "") {
      tabs.close();
      tabEnds[token.level] = index;
    }
    const range = token.map === null ? null : shift(token.map, place.offset);
    if (range === null) {
      if (token.level === 0 && token.nesting === -1 && container !== null) {
        pushProse(push, place, links, container, codes, token.type);
        container = null;
      }
      continue;
    }
    if (token.type === "fence" || token.type === "code_block") {
      codes.push(range);
      const block = toCode(token, range, place, tabs.file());
      if (block === null) continue;
      const tab = tabs.place();
      if (token.type === "code_block" && note !== undefined && range[0] - note[1] <= 1) {
        note = range;
        leftOut.push({ lines: block.lines, reason: "footnote" });
      } else push(tab === undefined ? block : inTab(block, tab));
    } else if (token.type === "heading_open" && token.level === 0) {
      tabs.heading();
      // React's documentation writes anchors as comments of MDX.
      const source = (tokens[index + 1]?.content ?? "").replace(/(?<!\s)\s*\{\/\*[^*]*\*\/\}\s*$/, "");
      const title = headingText(text(withoutTags(source, place.mdx)));
      push({ type: "heading", level: Number(token.tag[1]), text: title, lines: toLines(range) });
    } else if (token.type === "paragraph_open") {
      const source = tokens[index + 1]?.content ?? "";
      tabs.read(source);
      if (source.includes("[^") && readNotes(source, notes)) {
        note = range;
        continue;
      }
      const markdown = token.level === 0 ? cleanProse(source, place.mdx, links) : "";
      const paragraph: ParagraphBlock = {
        type: "paragraph",
        markdown,
        text: once(() => text(links.inlineNotes(withoutTags(source.slice(0, 3000), place.mdx)))),
        lines: toLines(range),
      };
      // Nothing but tags or badges.
      if (token.level > 0 || markdown !== "") push(paragraph);
    } else if (token.type === "html_block" && token.level === 0) {
      tabs.read(token.content);
      pushHtml(push, place, range, text);
    } else if (token.nesting === 1) {
      if (token.type === "admonition_open" && token.info !== "") {
        tabs.open(token.info, tabEnds[token.level] === index - 1);
      }
      if (token.level === 0) {
        container = range;
        codes = [];
      }
    }
  }
  return { blocks, notes, leftOut };
}

function once(compute: () => string): () => string {
  let known: string | undefined;
  return () => (known ??= compute());
}

function shift([first, end]: readonly [number, number], offset: number): Range {
  return [first + offset, end + offset];
}

function toLines([first, end]: Range): Lines {
  return [first + 1, Math.max(end, first + 1)];
}

function toCode(token: Token, range: Range, { lines }: Place, title: string | undefined): CodeBlockFound | null {
  if (token.content.trim() === "") return null;
  const fenced = token.type === "fence";
  const first = fenced ? range[0] + 1 : range[0];
  // The parser's copy has one line end for each line that belongs to the block, which tells whether a fence was closed.
  const count = fenced ? token.content.split("\n").length - 1 : range[1] - range[0];
  const code = verbatim(lines, first, first + count, token.content);
  const said = fenced ? parseInfoString(token.info) : { language: "" };
  const file = title !== undefined && isFileName(title) ? { file: title } : {};
  return { type: "code", ...file, ...said, code, lines: toLines(range) };
}

/** A block in a tab: the tab's label may be the name of its file or language. */
function inTab(block: CodeBlockFound, tab: NonNullable<CodeBlockFound["tab"]>): CodeBlockFound {
  const name = tab.label !== "" ? tab.label : (block.label ?? "");
  const file = block.file === undefined && isFileName(name) ? { file: name } : {};
  const language = block.language === "" && file.file === undefined ? { language: languageOfLabel(name) } : {};
  return { ...block, ...file, ...language, tab: { ...tab, label: name } };
}

const spokenLanguages =
  /^(?:javascript|typescript|js|ts|jsx|tsx|python|ruby|rust|go|java|kotlin|swift|php|c#|c\+\+|bash|shell|curl|json|yaml|toml|html|css|graphql|sql|dart|elixir)$/i;

/** The language that a tab is named after; "" for any other name. */
function languageOfLabel(label: string): string {
  if (/^(?:npm|yarn|pnpm|bun|deno|npx|pip|uv|poetry|brew|apt|curl|macos|linux|unix|terminal)$/i.test(label))
    return "bash";
  if (/^node(?:\.?js)?$/i.test(label)) return "javascript";
  return spokenLanguages.test(label) ? toLanguage(label) : "";
}

const markerLine = /^[ \t]*(?:\{%.*%\}[ \t]*|:::.*|::(?:[a-z].*)?|(?:@tab(?::\w+)?|==)[ \t].*|\/{3,}(?:[ \t].*)?)$/gm;
/** The number of a list's item that is indented deeper than parsers take it, as in components of MDX. */
const deepItem = /^\s*\d{1,2}[.)][ \t]+(?=\S)/;
const alertMark = /^\s*\[!\w{3,20}\][-+]?[ \t]*/;

function withoutTags(source: string, mdx: boolean): string {
  let stripped = mdx ? stripTags(source, true) : source;
  if (/^\s*\d/.test(stripped)) stripped = stripped.replace(deepItem, "");
  if (stripped.startsWith("[!")) stripped = stripped.replace(alertMark, "");
  if (stripped.includes("{") || stripped.includes("[](")) stripped = stripAttributes(stripped);
  if (stripped.includes("][")) stripped = stripped.replace(named, "$1");
  return /::|\{%|@tab|== |\/\/\//.test(stripped) ? stripped.replace(markerLine, "") : stripped;
}

/** A link by a name, wherever its address stands. */
const named = /(?<![!\\\]\w])\[((?:[^[\]\\`]|\\.|`[^`]{1,100}`){1,200})\]\[[^[\]\n]{0,200}\](?![(:[\]])/g;

function headingText(text: string): string {
  const shown = stripAttributes(text)
    .replace(/(?<!\s)\s*¶$/, "")
    .slice(0, 300)
    .trim();
  // A rule that is written as a heading.
  return /^[-–—_*=~.]+$/.test(shown) ? "" : shown;
}

type Push = (block: Block) => void;

function pushProse(
  push: Push,
  place: Place,
  links: Links,
  range: Range,
  codes: readonly Range[],
  closing: string,
): void {
  let parts: string[] = [];
  let next = 0;
  for (let line = range[0]; line < range[1]; line++) {
    while (next < codes.length && (codes[next]?.[1] ?? 0) <= line) next++;
    const code = codes[next];
    if (code === undefined || line < code[0]) parts.push(lineAt(place.lines, line));
  }
  const callout = closing === "admonition_close";
  if (callout) parts = unindentCallout(parts);
  else if (closing === "definition_close")
    parts = parts.map((line, index) => line.replace(index === 0 ? /^[ \t]*:[ \t]+/ : /^ {1,4}/, ""));
  const markdown = cleanProse(parts.join("\n"), place.mdx, links);
  if (markdown === "" || (closing.endsWith("list_close") && isLinkList(markdown))) return;
  // The label of a tab or callout without anything under it but code.
  if (callout && /^\*\*[^*\n]*\*\*$/.test(markdown)) return;
  push({ type: "prose", markdown, lines: toLines(range) });
}

function pushHtml(push: Push, place: Place, range: Range, text: (source: string) => string): void {
  const { source, starts } = place.lines;
  for (const piece of readHtml(source.slice(starts[range[0]], starts[range[1]]), range[0] + 1)) {
    if (piece.type === "code") push({ ...piece, language: toLanguage(piece.language) });
    else if (piece.type === "heading") {
      const title = headingText(text(piece.text));
      if (title !== "") push({ type: "heading", level: piece.level, text: title, lines: piece.lines });
    } else if (!isLinkList(piece.text) && /[\p{L}\p{N}]/u.test(piece.text)) {
      const { text: markdown, lines } = piece;
      push(
        piece.type === "prose"
          ? { type: "prose", markdown, lines }
          : { type: "paragraph", markdown, text: once(() => text(markdown)), lines },
      );
    }
  }
}
