import type { Block, CodeContent } from "./blocks.ts";

/** Maximum number of characters examined of a block, and of the prose before it. */
const maxLength = 4000;

/** Words that introduce output, in the last sentence before a block. */
const leads =
  /\b(?:outputs?|prints?|printed|stdout|stderr|stack ?traces?|tracebacks?|(?:error|warning|log) messages?|(?:following|this|these|similar|an?) (?:errors?|warnings?|messages?|logs?)|(?:errors?|warnings?|messages?) like|(?:you(?:['’]ll| will| should| would| may| might)?|we(?:['’]ll| will| should)?) (?:now |then |also )?(?:see|get)|(?:fails?|crash(?:es)?|exits?|responds?|errors?) with|(?:will|would) (?:print|output|log|display))\b/i;

/** The end of a sentence with these words that introduces code instead. */
const leadsToCode =
  /\b(?:code|functions?|components?|configurations?|config|files?|classes|class|scripts?|snippets?|implementations?|definitions?|templates?|markup|types?|quer(?:y|ies)|commands?|html|css|sql|json|yaml|jsx?|tsx?)\b[^.!?]{0,30}$/i;

/** Words that begin lines of code. */
const keyword =
  /^\s*(?:import|from|export|const|let|var|def|class|function|return|public|private|fn|func|package|use|using|include|require|module|open|type|interface|struct|enum|impl|end|begin|if|else|elif|for|while|do|case|when|try|catch|except|finally|with|await|async|yield|raise|throw|puts|print|echo|gem|set|get|select|create|insert|update|delete|pass|break|continue|new|extends|defmodule|where|in|then|data|proc|sub|my|begin)\b/i;

const codeSign = /[(){}[\]=<>;:#@$|`"\\]/;

const frame = /^\s*(?:at|in|from) \S/;

/** Languages in which a command is words. */
const shells = new Set(["bash", "powershell", "batch", "fish", "nushell"]);

/**
 * The first lines of code blocks without a declared language that are program output. Rules are rarely wrong rather than complete.
 * `majority`: the page's main language.
 */
export function findProgramOutput(blocks: readonly Block[], majority: string): ReadonlySet<number> {
  const firstLines = new Set<number>();
  for (const [at, block] of blocks.entries()) {
    if (block.type !== "code" || block.language !== "" || block.file !== undefined || block.tab !== undefined) continue;
    if (isOutput(block, blocks[at - 1], majority)) firstLines.add(block.lines[0]);
  }
  return firstLines;
}

function isOutput({ code }: CodeContent, before: Block | undefined, majority: string): boolean {
  const lines = code
    .slice(0, maxLength)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "");
  if (lines.every((line) => frame.test(line)) && (lines.length > 1 || /^\s*at [A-Z]/.test(code))) return true;
  const isCode =
    lines.filter((line) => keyword.test(line) || /[;{]\s*$/.test(line.slice(-20))).length * 4 >= lines.length;
  if (isCode) return false;
  if (!shells.has(majority) && lines.every((line) => !codeSign.test(line)) && lines.some(hasWords)) return true;
  // The author labelled the commands, but not the block right below them.
  if (before?.type === "code") return shells.has(before.language) && before.tab === undefined;
  if (before?.type !== "paragraph" && before?.type !== "prose") return false;
  const words = before.markdown === "" && before.type === "paragraph" ? before.text() : before.markdown;
  const last = words
    .slice(-maxLength)
    .replace(/(?<![\s*_:：])[\s*_:：]+$/, "")
    .split(/[.!?]\s|\n\s*\n/)
    .at(-1);
  return last !== undefined && last.length < 400 && leads.test(last) && !leadsToCode.test(last);
}

function hasWords(line: string): boolean {
  return line.split(/\s+/).filter((word) => /^\p{L}{2,}[,.!?]?$/u.test(word)).length >= 3;
}
