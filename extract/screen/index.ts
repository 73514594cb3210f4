import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { sendsSecrets, findSigns, everywhere, judge, limit } from "./find.ts";
import type { Hit } from "./find.ts";

/** Minimum length of what is decoded, and of a line of it that goes on in the next one, and how much of it is, in characters. */
const minLength = 24;
const minLine = 16;
const maxLength = 4000;
/** Maximum number of texts that are decoded of one. */
const maxPieces = 200;

/** One character that is written as its number, in addresses and in code. */
const escaped = /%([\dA-Fa-f]{2})|\\x([\dA-Fa-f]{2})|\\u([\dA-Fa-f]{4})|\\u\{([\dA-Fa-f]{1,6})\}|\\([0-3][0-7]{2})/g;
/** Minimum number of these where words are hidden. */
const minEscaped = 4;

/** Words that orders have, read from the end or by rot13. */
const turned = /snoitcurtsni|tpmorp|erongi|dragersid|vafgehpgvbaf|cebzcg|vtaber|qvfertneq/i;

/**
 * What a text says in another notation: base64 and hex, also over lines; percent, `\x`, `\u` and octal escapes; reversed, and by
 * rot13. Each is given by itself, escapes with the text around them. Takes time in proportion to
 * the length.
 */
function decodedTexts(text: string): readonly string[] {
  const found = runsIn(text).flatMap(decodeRun);
  const plain = /[%\\]/.test(text) ? withoutEscapes(text) : undefined;
  if (plain !== undefined) found.push(plain);
  if (turned.test(text)) found.push(Array.from(text).toReversed().join(""), text.replace(/[a-z]/gi, rotate));
  return found.slice(0, maxPieces);
}

/** Runs of base64 or hex, those that go on over lines as one. Looks at every sixteenth character first, as most texts have none. */
function runsIn(text: string): readonly string[] {
  const found: string[] = [];
  let isWrapped = false;
  for (let last = minLine - 1; last < text.length;) {
    let start = last + 1;
    while (start > 0 && isDigitOf64(text.charCodeAt(start - 1))) start--;
    if (last - start + 1 < minLine) {
      last = start + minLine - 1;
      continue;
    }
    let end = last + 1;
    while (end < text.length && isDigitOf64(text.charCodeAt(end))) end++;
    const run = text.slice(start, end);
    if (isMixed(run)) {
      if (run.length >= minLength) found.push(run);
      isWrapped ||= endsLine(text, end);
    }
    last = end + minLine;
  }
  return isWrapped ? [...found, ...wrappedRuns(text)] : found;
}

/** Whether a run may be base64 or hex, and is no name: it has letters of both kinds, or is made of digits of hex. */
function isMixed(run: string): boolean {
  return (/[A-Z]/.test(run) && /[a-z]/.test(run)) || /^(?=[a-fA-F]*\d)[\dA-Fa-f]+$/.test(run);
}

function endsLine(text: string, end: number): boolean {
  for (let at = end; at < end + 8; at++) {
    const character = text.charAt(at);
    if (character === "\n") return true;
    if (!/["'`,;+\\ \r]/.test(character)) return false;
  }
  return false;
}

/** Runs that go on over lines, each of which may be a comment, a string or an item. */
function wrappedRuns(text: string): readonly string[] {
  const found: string[] = [];
  let parts: string[] = [];
  const end = (): void => {
    if (parts.length > 1) found.push(parts.join(""));
    parts = [];
  };
  for (const line of text.split("\n")) {
    const bare = withoutMarks(line);
    const isPart = bare !== undefined && (bare.length >= minLine || parts.length > 0);
    if (isPart) parts.push(bare);
    if (!isPart || bare.length < minLine) end();
  }
  end();
  return found;
}

/** A line of base64 or hex without what a comment, a string or an item has around it; undefined for any other line. */
function withoutMarks(line: string): string | undefined {
  const [first = "", second = "", ...more] = line.trim().split(/\s+/, 4);
  const isMark = /^[^\sA-Za-z\d]{1,4}$/.test(first);
  const run = (isMark ? second : first).replace(/^["'`]/, "").replace(/["'`,;]{1,3}$/, "");
  const rest = isMark ? more : [second, ...more];
  return /^[A-Za-z\d+/_-]+={0,2}$/.test(run) && rest.every((part) => /^[+\\]?$/.test(part)) ? run : undefined;
}

function isDigitOf64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 95
  );
}

function decodeRun(run: string): readonly string[] {
  const part = run.slice(0, maxLength);
  return /^[\dA-Fa-f]+$/.test(part) ? decodeHex(part) : ifText(Buffer.from(part, "base64").toString("utf8"));
}

function decodeHex(digits: string): readonly string[] {
  return ifText(Buffer.from(digits.slice(0, maxLength), "hex").toString("utf8"));
}

/** A text that begins like one, in letters of ASCII. */
function ifText(text: string): readonly string[] {
  return text.length > 8 && /^[\t\n\r -~]+$/.test(text.slice(0, 40)) ? [text] : [];
}

function withoutEscapes(text: string): string | undefined {
  let count = 0;
  const plain = text.replace(escaped, (_, percent = "", hex = "", four = "", braces = "", octal = "") => {
    count++;
    const number = octal === "" ? Number.parseInt(percent + hex + four + braces, 16) : Number.parseInt(octal, 8);
    return number <= 0x10ffff ? String.fromCodePoint(number) : " ";
  });
  return count >= minEscaped ? plain : undefined;
}

function rotate(letter: string): string {
  const first = letter >= "a" ? 97 : 65;
  return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
}

/** What is screened of a passage, and the title of its page if that is known. */
export interface Screened {
  readonly title: string;
  readonly breadcrumb: readonly string[];
  readonly blocks: readonly (PassageBlock | ExtractedBlock)[];
  readonly page?: { readonly title: string };
}

/**
 * The reasons to take a passage for an order to the reader's agent; none for one that is documentation. Whatever an agent gets to read is
 * screened: titles, breadcrumb, names of files and the page's own path, or its address, as well.
 */
export function screen({ title, breadcrumb, blocks, page }: Screened, path = ""): readonly Finding[] {
  const examples = blocks.filter((block) => block.type === "code");
  const codes = examples.flatMap((example): readonly ExtractedCode[] => example.codes);
  const names = codes.flatMap(({ file = "", label = "", marks = [] }) => [file, label, ...marks]);
  const said = examples.flatMap((example) => [example.title, example.description]);
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
  const headings = new Set([readablePath(path), ...breadcrumb, page?.title ?? "", title, ...names]);
  // Joined: a template would make a rope, which is slow to read character by character.
  const text = [...headings, ...prose].join("\n\n");
  const found = new Set(screenText(text));
  // What explains code repeats what the prose says, but not in an import.
  const more = said.filter((one) => !text.includes(one));
  if (more.length > 0) for (const reason of screenText(more.join("\n\n"))) found.add(reason);
  for (const { code } of codes) for (const reason of screenCode(code)) found.add(reason);
  return [...found];
}

/** A path or an address as people read it. */
export function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** The reasons to take a text for an order to an agent. `addressed`: that it is for agents is known. */
export function screenText(text: string, { addressed = false } = {}): readonly Finding[] {
  const known: readonly Hit[] = addressed ? [{ at: everywhere, reason: "addressed_to_agents", weight: 2 }] : [];
  const found = judge([...known, ...findSigns(text)]);
  if (hidesText(text)) return ["hidden_characters", ...found];
  return found.length > 0 ? found : screenEncoded(text, known);
}

/** What code says to its reader is screened, as the rest of it is full of prompts that are data; and what it sends. */
function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const sent: readonly Hit[] = sendsSecrets(code) ? [{ at: everywhere, reason: "sends_secrets", weight: limit }] : [];
  const found = judge([...sent, ...findSigns(commentsOf(code)).map(heavier)]);
  return found.length > 0 ? found : screenEncoded(code, []);
}

/** Comments are for people: who calls an agent there has something in mind. */
function heavier(hit: Hit): Hit {
  return hit.reason === "addressed_to_agents" ? { ...hit, weight: hit.weight * 2 } : hit;
}

/** The reasons to take what is encoded in a text for an order. */
function screenEncoded(text: string, known: readonly Hit[]): readonly Finding[] {
  for (const decoded of decodedTexts(text)) {
    const reasons = judge([...known, { at: everywhere, reason: "encoded", weight: 2 }, ...findSigns(decoded)]);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Tag characters, supplementary variation selectors, zero-width characters in rows, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;

/** Whatever hides text has one of these; the first is half of every tag character and supplementary variation selector. */
const suspicious = /[\uDB40\u200B\u202D\u202E\u2060-\u2064]/;

/** True for a text that has another one which readers do not see, and agents do. */
function hidesText(text: string): boolean {
  return suspicious.test(text) && hiddenText.test(text.replace(flagEmoji, ""));
}

/** A line that is a comment in most languages, and what stands behind its mark; also in a diff. */
const lineComment = /^[+-]?[ \t]*(?:\/\/|\/\*|\*|#(?!!)|--|;|%|<!--|\{-|'''|"""|(?:rem|REM)(?= ))(.*)/;
/** A comment behind code. */
const trailing = /[ \t;{})](?:\/\/|#|--)[ \t](.*)/;
/** What opens a comment of several lines, and what closes it; a string of several lines is one where its line begins with it. */
const blocks: ReadonlyMap<string, string> = new Map([
  ["/*", "*/"],
  ["<!--", "-->"],
  ["{-", "-}"],
  ["--[[", "]]"],
  ["=begin", "=end"],
  ['"""', '"""'],
  ["'''", "'''"],
]);
const opening = /\/\*|<!--|\{-|--\[\[|^=begin|^[ \t]*[rRuU]?(?:"""|''')/;
/** A key of JSON, YAML or TOML whose value is said to the reader; a block of YAML may stand behind it. */
const saidKey =
  /^([ \t{,-]*)["']?(?:_?comments?|description|desc|notes?(?:_\w{1,20})?|summary|remarks?)["']?[ \t]{0,3}[:=](.*)/i;
const inLine = /["'](?:_?comments?|description|notes?(?:_\w{1,20})?)["'][ \t]{0,3}:[ \t]{0,3}"(.*)/i;

/** A string, a message or a value that calls an agent, or tells what it has to do. */
const calls =
  /\b(?:AIs?|LLMs?|(?:language |AI |coding |review(?:er)? )?(?:models?|assistants?|agents?|bots?|chatbots?)|copilot|claude|chatgpt)\b(?: [\w-]{1,20}){0,4}(?:[:,] {1,3}[A-Za-z]+ \S+ \S| (?:must|should|shall|has to|have to|needs? to|will|to) \w)/i;
/** A prompt that is given to an agent on a command line. */
const prompts =
  /\b(?:claude|gemini|codex|q chat|cursor-agent|copilot|aider|opencode|goose)\b[^\n]{0,100} (?:-p|--prompt|--message|--yolo|--dangerously\S{1,40}|--trust-all\S{0,20}|--no-interactive|exec)\b/;
/** Minimum number of words of a line that is a sentence, and of a name that says something. */
const sentence = /^[ \t]*(?:[-*>] |\d{1,2}[.)] )?[A-Z][a-z]*(?: [^ \n={}]{1,40}){5,}[.!?]?$/;
const longName = /\b[A-Za-z]{2,16}(?:[_-][A-Za-z]{1,16}){5,}\b/;

function speaks(line: string): boolean {
  return (
    line.length <= maxSpoken && (calls.test(line) || prompts.test(line) || sentence.test(line) || longName.test(line))
  );
}
/** Longest line that is looked at for what it says. */
const maxSpoken = 2000;

/** What the comments of a code say, line by line, and the texts in its data that are for its reader; "" where it has none. */
function commentsOf(code: string): string {
  const lines: string[] = [];
  let closing = "";
  let indent = -1;
  for (const line of code.split("\n")) {
    if (closing !== "") {
      lines.push(line);
      if (line.includes(closing)) closing = "";
      continue;
    }
    if (indent >= 0 && (line.trim() === "" || indentOf(line) > indent)) {
      lines.push(line);
      continue;
    }
    indent = -1;
    const key = saidKey.exec(line);
    if (key !== null && /^[ \t]*[|>][+-]?[ \t]*$/.test(key[2] ?? "")) indent = indentOf(line);
    const said = lineComment.exec(line)?.[1] ?? trailing.exec(line)?.[1] ?? key?.[2] ?? inLine.exec(line)?.[1];
    if (said !== undefined) lines.push(said);
    else if (speaks(line)) lines.push(line);
    const opened = opening.exec(line);
    if (opened === null) continue;
    const mark = opened[0].trim().replace(/^[rRuU]/, "");
    const behind = opened.index + opened[0].length;
    const end = blocks.get(mark) ?? "";
    if (!line.includes(end, behind)) closing = end;
    if (said === undefined) lines.push(line.slice(opened.index));
  }
  return lines.join("\n");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
