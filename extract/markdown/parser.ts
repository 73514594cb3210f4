import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from "markdown-it";
import { codeComponent } from "./code-components.ts";
import { endsParagraph, findComponentLines, isComponent } from "./component-lines.ts";
import { betweenTags, mdxComment, moduleLines } from "./mdx.ts";
import { lineOf, lineStart, pushContainer, unfinishedIn, type Container, type ParserEnv } from "./block-state.ts";
import { indentedLabel } from "./callouts.ts";
import { directiveBlock, mystLine } from "./directives.ts";
import { addInlineRules } from "./inline-rules.ts";
import { markerLine } from "./markers.ts";
import { keepingCells } from "./table-cells.ts";
import { tagEnd } from "./tags.ts";

/** A block rule for a component's tag with blank lines in it, such as one with a drawing among its attributes. */
function longTag(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!/^<(?:[A-Z]|[a-z]{1,20}-)/.test(state.src.slice(start, start + 30)) || silent) return false;
  const end = tagEnd(state.src, start, unfinishedIn(state.env));
  if (end === 0 || !/\n[ \t]*\n/.test(state.src.slice(start, end))) return false;
  const last = lineOf(state, end, startLine);
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

/** A block rule that only interrupts others: the closing tag of a component, or of an element that holds blocks, ends a list item. */
function closingTag(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if (!silent || (state.sCount[startLine] ?? 0) >= state.blkIndent) return false;
  const start = lineStart(state, startLine);
  const line = state.src.slice(start, state.eMarks[startLine]).slice(0, 100);
  const name = /^<\/([A-Za-z][\w.:-]{0,60})>\s*$/.exec(line)?.[1];
  return name !== undefined && (isComponent(name) || endsParagraph(name));
}

const identifier = /^:::[ \t]+[A-Za-z_][\w.:/-]{0,200}[ \t]*$/;
const setting = /^[ \t]+(?:options|handler|selection|rendering|extra|inventory|filters|members)[ \t]*:/;

/** A block rule that drops `::: package.module` with its settings in YAML, which a generator replaces by text from code (mkdocstrings, "Usage"). */
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
  // Names of containers have no dot.
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
 * A block rule for markers with content on the following lines, indented by four more. Without it the content, fences
 * included, would be indented code. The tokens of a tab have its label as `info`, those of a callout have none.
 */
function admonition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const from = lineStart(state, startLine);
  const first = state.src.charCodeAt(from);
  if (first !== 33 && first !== 63 && first !== 61) return false;
  if (!marker.test(state.src.slice(from, from + 8))) return false;
  if (silent) return true;

  const line = state.src.slice(from, state.eMarks[startLine]);
  const [info, label] = first === 61 ? [tabLabel(line), ""] : ["", indentedLabel(line)];
  const container: Container = { type: "admonition", info, label, parentType: "blockquote", indent: indent + 4 };
  pushContainer(state, container, [startLine, startLine + 1, endLine]);
  return true;
}

/** The label of a tab, never "". */
function tabLabel(line: string): string {
  return /["'](.{1,60})["']/.exec(line)?.[1]?.trim() || "Tab";
}

/** A block rule for a formula between lines of `$$`, or of `\\[` and `\\]`, whose text is not Markdown. */
function formula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  const mark = state.src.slice(start, start + 2);
  if ((mark !== "$$" && mark !== "\\[") || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const end = mark === "$$" ? "$$" : "\\]";
  /** A line without the label of its equation in MyST. */
  const textFrom = (from: number, at: number): string =>
    state.src.slice(from, state.eMarks[at]).trimEnd().replace(label, "$1");
  const opening = textFrom(start + 2, startLine).trim();
  let line = startLine;
  // On one line it is the whole of it.
  if (opening.includes(end)) {
    if (!opening.endsWith(end)) return false;
  } else
    do {
      line++;
      if (line >= endLine || line - startLine > maxFormulaLines) return false;
      if ((state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line)) return false;
    } while (!textFrom(lineStart(state, line), line).endsWith(end));
  if (silent) return true;
  state.line = line + 1;
  const token = state.push("formula", "", 0);
  token.map = [startLine, state.line];
  token.content = state
    .getLines(startLine, state.line, state.sCount[startLine] ?? 0, false)
    .trim()
    .replace(label, "$1");
  return true;
}

const label = /(\$\$)[ \t]{0,5}\([\w:.-]{1,100}\)$/;

/** Maximum length of a formula, in lines. */
const maxFormulaLines = 100;

/** A block rule for the text of a footnote, `[^name]: text`, with indented lines below it. */
function footnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const from = lineStart(state, startLine);
  if (!state.src.startsWith("[^", from) || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const [mark = "", label] = /^\[\^([^\]\s[]{1,100})\]:[ \t]*/.exec(state.src.slice(from, from + 200)) ?? [];
  if (label === undefined) return false;
  if (silent) return true;
  const before = [state.bMarks[startLine] ?? 0, state.tShift[startLine] ?? 0, state.sCount[startLine] ?? 0] as const;
  const indent = before[2] + 4;
  [state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]] = [from + mark.length, 0, indent];
  const container: Container = { type: "footnote", info: "", label, parentType: "list", indent };
  pushContainer(state, container, [startLine, startLine, endLine]);
  [state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]] = before;
  return true;
}

/** Maximum nesting of blocks: deeper ones are never documentation, and the cost of a line grows with the nesting. */
const maxNesting = 40;
/** Maximum number of block tokens and of lines of a page, which bound memory, at some 300 bytes each. */
const maxTokens = 600_000;
const maxLines = 1_000_000;

/** A part of the text of a paragraph, as the parser's token. */
export type InlinePart = Pick<Token, "type" | "content" | "nesting" | "markup" | "info" | "attrs" | "children">;

/** What may be more than words in the text of a paragraph. */
const markup = /[\\`*[<$]|\b_|_\b|~~|&[#A-Za-z]|\{%| {2}\n/;
/** A token of text, without the methods of the parser's class, which takes longer to create than most text to parse. */
const plain: Omit<Token, `attr${"Index" | "Push" | "Set" | "Get" | "Join"}`> = {
  type: "text",
  tag: "",
  nesting: 0,
  level: 0,
  content: "",
  markup: "",
  info: "",
  attrs: null,
  map: null,
  children: null,
  meta: null,
  block: false,
  hidden: false,
};

/** The block structure of a text. */
export interface ParsedMarkdown {
  readonly tokens: readonly Token[];
  /** The parts of the text of a paragraph, heading or cell. */
  inline(source: string): readonly InlinePart[];
  /** True for a name that a definition such as `[name]: address` gives an address. */
  isDefined(name: string): boolean;
}

/** `mdx`: HTML is JSX, which ends with its tag, and indentation has no meaning. */
export type Dialect = "markdown" | "mdx";

/** Options of rules that may interrupt any block, and the blocks that each built-in rule may interrupt. */
const interrupting = { alt: ["paragraph", "reference", "blockquote", "list"] };
const interrupts: Readonly<Record<string, string[]>> = {
  fence: interrupting.alt,
  blockquote: interrupting.alt,
  html_block: ["paragraph", "reference", "blockquote"],
};

const parser = createParser();

/** Parses the blocks of a text of `lines` lines, inline text only on demand. Null for a page above the maximum nesting or size. */
export function parseMarkdown(source: string, lines: number, dialect: Dialect): ParsedMarkdown | null {
  if (lines > maxLines) return null;
  // Without a final line end the parser would drop a last line of blanks, which may belong to code.
  const ended = source.endsWith("\n") ? source : `${source}\n`;
  const text = ended.includes("\r") ? ended.replace(/\r\n?/g, "\n") : ended;
  const env: ParserEnv = { components: findComponentLines(text, dialect === "mdx") };
  try {
    const tokens = parser.parse(env.components.aligned, env);
    const { references } = env;
    return {
      tokens,
      inline(part) {
        if (!markup.test(part))
          return part === "" ? [] : [{ ...plain, content: part.replace(/(?<! ) *\n[ \t\n]*/g, "\n") }];
        const parts: Token[] = [];
        parser.inline.parse(part, parser, env, parts);
        return parts;
      },
      isDefined: (name) => references?.[parser.utils.normalizeReference(name)] !== undefined,
    };
  } catch (error) {
    if (error instanceof CapExceeded) return null;
    throw error;
  }
}

class CapExceeded extends Error {
  override readonly name = "CapExceeded";
}

function createParser(): MarkdownIt {
  const parser = createMarkdownIt({ html: true, maxNesting });
  parser.core.ruler.enableOnly(["normalize", "block"]);
  // The reader of elements decides which addresses are served.
  parser.normalizeLink = (url) => url;
  parser.validateLink = () => true;
  const { ruler, State } = parser.block;
  parser.block.State = class extends State {
    override push(...[type, tag, nesting]: Parameters<StateBlock["push"]>): Token {
      // Beyond its maximum nesting the parser would silently drop lines.
      if (this.tokens.length >= maxTokens || this.level >= maxNesting - 1) throw new CapExceeded();
      if (nesting < 0) this.level--;
      const token = { ...plain, type, tag, nesting, level: this.level, block: true } as Token;
      if (nesting > 0) this.level++;
      this.tokens.push(token);
      return token;
    }
  };
  const rules = ruler.getRules("");
  for (const [name, wrap] of Object.entries(betweenTags)) {
    const rule = rules.find((one) => one.name === name);
    if (rule !== undefined) ruler.at(name, wrap(rule), { alt: interrupts[name] ?? [] });
  }
  ruler.before("fence", "module_lines", moduleLines);
  ruler.before("fence", "mdx_comment", mdxComment, interrupting);
  const table = ruler.getRules("").find(({ name }) => name === "table");
  if (table !== undefined) ruler.at("table", keepingCells(table), { alt: ["paragraph", "reference"] });
  ruler.before("fence", "held_code", codeComponent, interrupting);
  ruler.before("fence", "long_tag", longTag);
  ruler.before("fence", "closing_tag", closingTag, interrupting);
  ruler.before("fence", "autodoc", autodoc, interrupting);
  ruler.before("fence", "formula", formula, interrupting);
  ruler.before("reference", "footnote", footnote, { alt: ["paragraph", "reference"] });
  ruler.before("fence", "directive", directiveBlock, interrupting);
  ruler.before("fence", "mystLine", mystLine, interrupting);
  ruler.before("blockquote", "admonition", admonition, interrupting);
  ruler.before("blockquote", "definition", definition, interrupting);
  ruler.before("blockquote", "marker", markerLine, interrupting);
  const { State: InlineState } = parser.inline;
  parser.inline.State = class extends InlineState {
    override pushPending(): Token {
      const token = { ...plain, content: this.pending, level: this.pendingLevel } as Token;
      this.tokens.push(token);
      this.pending = "";
      return token;
    }
  };
  addInlineRules(parser);
  return parser;
}

/**
 * A block rule for the description of a term: a line that begins with a colon and blanks, and indented lines below it
 * (Python-Markdown, "Definition Lists"; Goldmark, PHP Markdown Extra). Without it fences in it would be indented code.
 */
function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const from = lineStart(state, startLine);
  if (state.src.charCodeAt(from) !== 58) return false;
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const width = /^:(?: {1,3}|\t)(?=[^ \t\r\n])/.exec(state.src.slice(from, from + 6))?.[0].length ?? 0;
  if (width === 0) return false;
  if (silent) return true;

  const shift = state.tShift[startLine] ?? 0;
  state.tShift[startLine] = shift + width;
  state.sCount[startLine] = indent + width;
  const container: Container = { type: "definition", info: "", parentType: "list", indent: indent + width };
  pushContainer(state, container, [startLine, startLine, endLine]);
  state.tShift[startLine] = shift;
  state.sCount[startLine] = indent;
  return true;
}
