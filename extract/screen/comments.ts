/** A comment line in most languages, also in a diff; the group is its text. */
const lineComment = /^[+-]?[ \t]*(?:\/\/|\/\*|\*|#(?!!)|--|;|%|<!--|\{-|'''|"""|(?:rem|REM)(?= ))(.*)/;

/** A comment after code. */
const trailing = /[ \t;{})](?:\/\/|#|--)[ \t](.*)/;

/** Opening and closing markers of block comments. A multi-line string counts if it begins its line. */
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

/** A key of JSON, YAML or TOML with text for readers, possibly a block scalar. */
const textKey =
  /^([ \t{,-]*)["']?(?:_?comments?|description|desc|notes?(?:_\w{1,20})?|summary|remarks?)["']?[ \t]{0,3}[:=](.*)/i;
const inlineText = /["'](?:_?comments?|description|notes?(?:_\w{1,20})?)["'][ \t]{0,3}:[ \t]{0,3}"(.*)/i;

/** A text that addresses an agent, or tells what it has to do. */
const calls =
  /\b(?:AIs?|LLMs?|(?:language |AI |coding |review(?:er)? )?(?:models?|assistants?|agents?|bots?|chatbots?)|copilot|claude|chatgpt)\b(?: [\w-]{1,20}){0,4}(?:[:,] {1,3}[A-Za-z]+ \S+ \S| (?:must|should|shall|has to|have to|needs? to|will|to) \w)/i;

/** A prompt for an agent on a command line. */
const prompts =
  /\b(?:claude|gemini|codex|q chat|cursor-agent|copilot|aider|opencode|goose)\b[^\n]{0,100} (?:-p|--prompt|--message|--yolo|--dangerously\S{1,40}|--trust-all\S{0,20}|--no-interactive|exec)\b/;

/** A line that is a sentence, and a name of several words. */
const sentence = /^[ \t]*(?:[-*>] |\d{1,2}[.)] )?[A-Z][a-z]*(?: [^ \n={}]{1,40}){5,}[.!?]?$/;
const longName = /\b[A-Za-z]{2,16}(?:[_-][A-Za-z]{1,16}){5,}\b/;

function isText(line: string): boolean {
  return (
    line.length <= maxSpoken && (calls.test(line) || prompts.test(line) || sentence.test(line) || longName.test(line))
  );
}

/** Maximum length of a line that may be text, in characters. */
const maxSpoken = 2000;

/** The comments in code, line by line, and the texts for readers in its data; "" without. */
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
    const key = textKey.exec(line);
    if (key !== null && /^[ \t]*[|>][+-]?[ \t]*$/.test(key[2] ?? "")) indent = indentOf(line);
    const comment = lineComment.exec(line)?.[1] ?? trailing.exec(line)?.[1] ?? key?.[2] ?? inlineText.exec(line)?.[1];
    if (comment !== undefined) lines.push(comment);
    else if (isText(line)) lines.push(line);
    const blockStart = opening.exec(line);
    if (blockStart === null) continue;
    const marker = blockStart[0].trim().replace(/^[rRuU]/, "");
    const end = blocks.get(marker) ?? "";
    if (!line.includes(end, blockStart.index + blockStart[0].length)) closing = end;
    if (comment === undefined) lines.push(line.slice(blockStart.index));
  }
  return lines.join("\n");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
