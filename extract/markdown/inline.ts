import type { Env, MarkdownIt, Token } from "markdown-it";

const markup = /[\\`*_[\]<&!~\n]/;
/** Any markup but code spans: without it the parser would find none either. */
const otherMarkup = /[\\*_[<]|~~|&[#a-z\d]/i;
/** How much of a paragraph is read, in characters: descriptions and titles are shorter. */
const maxInlineLength = 1500;

/** What a reader sees of a paragraph's or heading's source, on one line. `env` has the page's definitions. */
export function inlineText(parser: MarkdownIt, source: string, env: Env): string {
  const part = source.length > maxInlineLength ? source.slice(0, maxInlineLength) : source;
  if (!markup.test(part)) return part.trim();
  const text = withCodeSpans(part) ?? parsedText(parser, part, env);
  return text.replace(/\s+/g, " ").trim();
}

/**
 * The text where code spans are its only markup, as in most paragraphs: a tenth of the parser's time; undefined elsewhere.
 * CommonMark 0.31, section 6.1.
 */
function withCodeSpans(source: string): string | undefined {
  let text = "";
  for (let at = 0; at < source.length;) {
    const open = source.indexOf("`", at);
    const plain = source.slice(at, open < 0 ? source.length : open);
    if (otherMarkup.test(plain)) return undefined;
    text += plain;
    if (open < 0) break;
    const inside = endOfRun(source, open);
    const close = closingRun(source, inside, inside - open);
    if (close < 0) text += source.slice(open, inside);
    else
      text += source
        .slice(inside, close)
        .replaceAll("\n", " ")
        .replace(/^ (.+) $/, "$1");
    at = close < 0 ? inside : close + inside - open;
  }
  return text;
}

/** Where a run of as many backticks begins; negative where there is none. */
function closingRun(source: string, from: number, length: number): number {
  let start = source.indexOf("`", from);
  while (start >= 0) {
    const end = endOfRun(source, start);
    if (end - start === length) return start;
    start = source.indexOf("`", end);
  }
  return -1;
}

function endOfRun(source: string, start: number): number {
  let end = start;
  while (source[end] === "`") end++;
  return end;
}

function parsedText(parser: MarkdownIt, source: string, env: Env): string {
  const tokens: Token[] = [];
  parser.inline.parse(source, parser, env, tokens);
  return tokens.map(visibleText).join("");
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
