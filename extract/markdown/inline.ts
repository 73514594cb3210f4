import type { Env, MarkdownIt, Token } from "markdown-it";

const markup = /[\\`*_[\]<&!~\n]/;
/** Length of a paragraph that is read, in characters: descriptions and titles are shorter. */
const maxInlineLength = 1500;

/** What a reader sees of a paragraph's or heading's source, on one line. `env` has the page's definitions. */
export function inlineText(parser: MarkdownIt, source: string, env: Env): string {
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
