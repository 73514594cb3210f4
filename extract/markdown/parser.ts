import createMarkdownIt from "markdown-it";
import type { Env, MarkdownIt, StateBlock, Token } from "markdown-it";
import { admonition } from "./admonition.ts";
import { definition } from "./definition.ts";
import { inlineText } from "./inline.ts";
import { autodoc, closingTag, htmlTable, longTag } from "./block-rules.ts";
import { codeComponent } from "./code-components.ts";
import { componentLinesOf } from "./component-lines.ts";
import { betweenTags, endingAtFence, mdxComment, mdxExports, mdxFence, notAtTagEnd, plainExports } from "./mdx.ts";

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
