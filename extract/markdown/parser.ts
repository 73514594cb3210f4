import createMarkdownIt from "markdown-it";
import type { Env, MarkdownIt, StateBlock, Token } from "markdown-it";
import { codeComponent } from "./code-components.ts";
import { componentLinesOf, isComponent } from "./component-lines.ts";
import { betweenTags, endingAtFence, mdxComment, mdxExports, mdxFence, notAtTagEnd, plainExports } from "./mdx.ts";
import { lineStart, closingOf, maxMissed, tagEndOf } from "./block-state.ts";

/** Maximum length of a table of HTML that is taken as a whole, in characters. */
const maxTableLength = 200_000;

interface TableEnv extends Env {
  missedTables?: number;
}

/**
 * A block rule for tables of HTML with blank lines in them: in CommonMark a blank line ends the HTML, and the rest of the table is text.
 * Tables with fences are left to CommonMark, so that these are blocks.
 */
function htmlTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!state.src.startsWith("<table", start) || !/[\s>]/.test(state.src[start + 6] ?? "")) return false;
  if (silent) return true;
  const env: TableEnv = state.env;
  const last = (env.missedTables ?? 0) < maxMissed ? lastLineOfTable(state, startLine, start) : -1;
  if (last < 0 || last >= endLine) {
    env.missedTables = (env.missedTables ?? 0) + 1;
    return false;
  }
  state.line = last + 1;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, state.line];
  token.content = state.getLines(startLine, state.line, state.blkIndent, true);
  return true;
}

function lastLineOfTable(state: StateBlock, line: number, start: number): number {
  if (closingOf({ state, mark: "</table>", from: start }).at < 0) return -1;
  const text = state.src.slice(start, start + maxTableLength);
  let depth = 0;
  for (const { index, 1: slash } of text.matchAll(/<(\/?)table(?=[\s>])/g)) {
    depth += slash === "/" ? -1 : 1;
    if (depth > 0) continue;
    if (/^[ \t>]*(?:`{3}|~{3})/m.test(text.slice(0, index))) return -1;
    let last = line;
    while ((state.eMarks[last] ?? Infinity) < start + index) last++;
    return last;
  }
  return -1;
}

/** A block rule for a component's tag that goes on over blank lines, as one with a drawing among its attributes does. */
function longTag(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!/^<(?:[A-Z]|[a-z]{1,20}-)/.test(state.src.slice(start, start + 30)) || silent) return false;
  const end = tagEndOf(state, start);
  if (end <= 0 || !/\n[ \t]*\n/.test(state.src.slice(start, end))) return false;
  let last = startLine;
  while ((state.eMarks[last] ?? Infinity) < end) last++;
  if (last >= endLine) return false;
  state.line = last + 1;
  const map: [number, number] = [startLine, state.line];
  state.push("paragraph_open", "p", 1).map = map;
  const token = state.push("inline", "", 0);
  token.map = map;
  token.content = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  token.children = [];
  state.push("paragraph_close", "p", -1);
  return true;
}

/** Elements whose tags end a paragraph (CommonMark 0.31, 4.6, condition 6), as far as they hold blocks. */
const endsParagraphs =
  /^(?:article|aside|blockquote|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|header|li|main|menu|nav|ol|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/i;

/** A rule that only ends what is above it: a closing tag of a component, or of an element that holds blocks, ends an item of a list. */
function closingTag(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if (!silent || (state.sCount[startLine] ?? 0) >= state.blkIndent) return false;
  const start = lineStart(state, startLine);
  const name = /^<\/([A-Za-z][\w.:-]{0,60})>\s*$/.exec(
    state.src.slice(start, state.eMarks[startLine]).slice(0, 100),
  )?.[1];
  return name !== undefined && (isComponent(name) || endsParagraphs.test(name));
}

const identifier = /^:::[ \t]+[A-Za-z_][\w.:/-]{0,200}[ \t]*$/;
const setting = /^[ \t]+(?:options|handler|selection|rendering|extra|inventory|filters|members)[ \t]*:/;

/** A block rule for `::: package.module` with its settings in YAML (mkdocstrings, "Usage"), which a generator replaces by what it reads from code: it is dropped. */
function autodoc(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!state.src.startsWith(":::", start)) return false;
  const text = state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 300));
  if (!identifier.test(text)) return false;
  const indent = state.sCount[startLine] ?? 0;
  let line = startLine + 1;
  const isDeeper = (at: number): boolean => !state.isEmpty(at) && (state.sCount[at] ?? 0) > indent + 1;
  const next = state.src.slice(state.bMarks[line], (state.bMarks[line] ?? 0) + 200);
  const hasSettings = line < endLine && isDeeper(line) && setting.test(next);
  // The name of a container has no dot.
  if (!hasSettings && !/\w\.[A-Za-z_]/.test(text)) return false;
  if (silent) return true;
  while (hasSettings && line < endLine && (isDeeper(line) || (state.isEmpty(line) && isDeeper(line + 1)))) line++;
  state.line = line;
  state.push("autodoc", "", 0).map = [startLine, line];
  return true;
}

/** `!!! note "Title"`, `??? tip`, `=== "Tab"` of Python-Markdown and Material for MkDocs (its reference, "Admonitions", "Content tabs"). */
const marker = /^(?:(?:!!!|\?\?\?\+?) ?[a-z]|===[!+]? {0,2}["'])/i;

/**
 * A block rule for markers whose content is the lines behind them that are indented by four more. Without it such
 * content, fences and all, would be indented code. A tab's tokens have its label as `info`, those of callouts have none.
 */
function admonition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const from = lineStart(state, startLine);
  const first = state.src.charCodeAt(from);
  if (first !== 33 && first !== 63 && first !== 61) return false;
  if (!marker.test(state.src.slice(from, from + 8))) return false;
  if (silent) return true;

  const opening = state.push("admonition_open", "div", 1);
  const lines: [number, number] = [startLine, 0];
  opening.map = lines;
  opening.info = first === 61 ? tabLabel(state.src.slice(from, state.eMarks[startLine])) : "";
  const { blkIndent, parentType } = state;
  state.blkIndent = indent + 4;
  state.parentType = "blockquote";
  state.line = startLine + 1;
  state.md.block.tokenize(state, startLine + 1, endLine);
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  lines[1] = state.line;
  state.push("admonition_close", "div", -1).info = opening.info;
  return true;
}

/** What stands on a tab, never "". */
function tabLabel(line: string): string {
  return /["'](.{1,60})["']/.exec(line)?.[1]?.trim() || "Tab";
}

const markup = /[\\`*_[\]<&!~\n]/;
/** Length of a paragraph that is read, in characters: descriptions and titles are shorter. */
const maxInlineLength = 1500;

/** What a reader sees of a paragraph's or heading's source, on one line. `env` has the page's definitions. */
function inlineText(parser: MarkdownIt, source: string, env: Env): string {
  const part = source.length > maxInlineLength ? source.slice(0, maxInlineLength) : source;
  if (!markup.test(part)) return part.trim();
  const tokens: Token[] = [];
  parser.inline.parse(part, parser, env, tokens);
  return tokens.map(visibleText).join("").replace(/\s+/g, " ").trim();
}

function visibleText(token: Token): string {
  switch (token.type) {
    case "text":
    case "text_special":
    case "code_inline":
      return token.content;
    case "softbreak":
    case "hardbreak":
      return " ";
    case "html_inline":
      return /^<br\b/i.test(token.content) ? " " : "";
    default:
      return "";
  }
}

/** Deeper nesting than that is not parsed: it is never documentation, and the cost of a line grows with it. */
const maxNesting = 40;
/** A page that has more block tokens or lines is not parsed to its end; it bounds memory, at some 300 bytes each. */
const maxTokens = 600_000;
const maxLines = 1_000_000;

/** The block structure of a text; `text` reduces a paragraph's or heading's source to what a reader sees. */
export interface ParsedMarkdown {
  readonly tokens: readonly Token[];
  text(source: string): string;
  /** True for a line, from 0, between the tags of a component, where indentation means nothing. */
  isInComponent(line: number): boolean;
  /** The address that a definition such as `[name]: address` gives a name; undefined where the text has no definition. */
  readonly addressOf: ((name: string) => string | undefined) | undefined;
}

/** `mdx`: text in which HTML is JSX, so that it ends with its tag, and indentation means nothing. */
export type Dialect = "markdown" | "mdx";

/** What the parser's own rules may end. */
const interrupts: Readonly<Record<string, string[]>> = {
  fence: ["paragraph", "reference", "blockquote", "list"],
  blockquote: ["paragraph", "reference", "blockquote", "list"],
  html_block: ["paragraph", "reference", "blockquote"],
};

const parsers: Readonly<Record<Dialect, MarkdownIt>> = { markdown: createParser("markdown"), mdx: createParser("mdx") };

/**
 * Parses the blocks of a text of `lines` lines; what is inside of paragraphs is parsed when asked for, which is seldom. Null where the
 * page exceeds the caps on nesting or tokens.
 */
export function parseMarkdown(source: string, lines: number, dialect: Dialect): ParsedMarkdown | null {
  if (lines > maxLines) return null;
  const parser = parsers[dialect];
  const env: Env = {};
  // With a final line end the parser keeps a last line of blanks, which may belong to code.
  const tokens = parseCapped(parser, source.endsWith("\n") ? source : `${source}\n`, env);
  if (tokens === null) return null;
  const { references } = env;
  return {
    tokens,
    text: (part) => inlineText(parser, part, env),
    isInComponent: (line) => dialect === "mdx" || componentLinesOf({ env, src: source }).isInside(line),
    addressOf: references && ((name) => references[parser.utils.normalizeReference(name)]?.href),
  };
}

class CapExceeded extends Error {
  override readonly name = "CapExceeded";
}

function parseCapped(parser: MarkdownIt, source: string, env: Env): Token[] | null {
  try {
    return parser.parse(source, env);
  } catch (error) {
    if (error instanceof CapExceeded) return null;
    throw error;
  }
}

function createParser(dialect: Dialect): MarkdownIt {
  const parser = createMarkdownIt({ html: true, maxNesting });
  parser.core.ruler.enableOnly(["normalize", "block"]);
  // Addresses are not used, so they need no checking.
  parser.normalizeLink = (url) => url;
  parser.validateLink = () => true;
  const { ruler, State } = parser.block;
  parser.block.State = class extends State {
    override push(...[type, tag, nesting]: Parameters<StateBlock["push"]>): Token {
      // Deeper down the parser would leave lines out without a word.
      if (this.tokens.length >= maxTokens || this.level >= maxNesting - 1) throw new CapExceeded();
      return super.push(type, tag, nesting);
    }
  };
  const interrupting = { alt: ["paragraph", "reference", "blockquote", "list"] };
  if (dialect === "markdown") {
    ruler.before("fence", "mdx_exports", plainExports);
    const rules = ruler.getRules("");
    for (const [name, wrap] of Object.entries(betweenTags)) {
      const rule = rules.find((one) => one.name === name);
      if (rule !== undefined) ruler.at(name, wrap(rule), { alt: interrupts[name] ?? [] });
    }
  }
  ruler.before("fence", "held_code", codeComponent, interrupting);
  ruler.before("fence", "html_table", htmlTable, interrupting);
  ruler.before("fence", "long_tag", longTag);
  ruler.before("fence", "closing_tag", closingTag, interrupting);
  ruler.before("fence", "autodoc", autodoc, interrupting);
  ruler.before("blockquote", "admonition", admonition, interrupting);
  ruler.before("blockquote", "definition", definition, interrupting);
  if (dialect === "mdx") {
    ruler.disable(["code", "html_block"]);
    // The parser's last rules, in its order; all but that of headings read on from line to line.
    const rules = ruler.getRules("").slice(-4);
    for (const [index, name] of ["reference", "heading", "lheading", "paragraph"].entries()) {
      const rule = rules[index];
      if (rule !== undefined && name !== "heading") ruler.at(name, endingAtFence(rule));
    }
    const quote = ruler.getRules("blockquote").find(({ name }) => name === "blockquote");
    if (quote !== undefined) ruler.at("blockquote", notAtTagEnd(quote), interrupting);
    ruler.at("fence", mdxFence, interrupting);
    ruler.before("fence", "mdx_exports", mdxExports);
    ruler.before("fence", "mdx_comment", mdxComment, interrupting);
  }
  return parser;
}

/**
 * A block rule for what a definition list says of a term: a line that begins with a colon and blanks, and what is indented
 * below it (Python-Markdown, "Definition Lists"; Goldmark, PHP Markdown Extra). Without it fences in it would be indented code.
 */
function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const from = lineStart(state, startLine);
  if (state.src.charCodeAt(from) !== 58) return false;
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const width = /^:(?: {1,3}|\t)(?=[^ \t\r\n])/.exec(state.src.slice(from, from + 6))?.[0].length ?? 0;
  if (width === 0) return false;
  if (silent) return true;

  const opening = state.push("definition_open", "dd", 1);
  const lines: [number, number] = [startLine, 0];
  opening.map = lines;
  const { blkIndent, parentType, tight } = state;
  const shift = state.tShift[startLine] ?? 0;
  state.tShift[startLine] = shift + width;
  state.sCount[startLine] = indent + width;
  state.blkIndent = indent + width;
  state.parentType = "list";
  state.line = startLine;
  state.md.block.tokenize(state, startLine, endLine);
  state.tShift[startLine] = shift;
  state.sCount[startLine] = indent;
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  state.tight = tight;
  lines[1] = state.line;
  state.push("definition_close", "dd", -1);
  return true;
}
