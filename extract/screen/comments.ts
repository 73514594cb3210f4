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
export function commentsOf(code: string): string {
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
