import type { CodeBlock } from "../../../domain/passage.ts";
import { comparable, hasInclude, referenceBlocks } from "./blocks.ts";
import type { ReferenceBlock } from "./blocks.ts";
import { whereOf } from "./fault-kinds.ts";
import type { Fault, FaultKind, ServedPage } from "./fault-kinds.ts";

/** What says in a block, or behind its fence, that something is done to some lines. */
const comments =
  /\[!code\b[^\]]*\]|(?:\/\/|#|<!--|\/\*|\{\/\*) ?(?:highlight|add|remove|error|focus)-(?:next-line|line|start|end)\b/;
const infoMarks =
  /\b(?:del|ins|mark|hl_lines|highlight|focus|emphasize-lines)\s?=\s?[{["'\d]|\{[\d, -]+\}|\bdata-diff=/;
const infoTitle = /\b(?:title|file|filename|caption)=(?:"([^"]+)"|'([^']+)')/;

/** Faults of the code of a page: what its own fences say, and what is served of them, in the library's own language where none is known. */
export function* codeFaults({ page, passages }: ServedPage, majority: string): Generator<Fault> {
  const fences = new Map<string, ReferenceBlock[]>();
  for (const block of referenceBlocks(page.input)) {
    const same = fences.get(comparable(block.code)) ?? [];
    fences.set(comparable(block.code), [...same, block]);
  }
  for (const passage of passages)
    for (const block of passage.blocks) {
      if (block.type !== "code") continue;
      for (const code of block.codes) {
        // Equal blocks of one page are served in its order.
        const fence = fences.get(comparable(code.code))?.shift();
        const where = fence === undefined ? whereOf(passage) : `${page.input.path}:${fence.lines[0]}`;
        const names = [block.title, block.description, code.file, code.label, ...(code.marks ?? [])].join("\n");
        for (const [kind, text] of faultsOf({ ...code, language: code.language || majority }, fence?.info, names))
          yield { kind, where, text };
      }
    }
}

function* faultsOf(code: CodeBlock, info: string | undefined, names: string): Generator<[FaultKind, string]> {
  const { language, code: text, marks = [] } = code;
  const comment = comments.exec(text)?.[0];
  // Marks of a language that shows them as what the page is about need not be named.
  if (marks.length === 0 && comment !== undefined) yield ["marks", comment];
  const named = infoMarks.exec(info ?? "")?.[0];
  if (marks.length === 0 && named !== undefined) yield ["marks", info ?? ""];
  const title = infoTitle.exec(info ?? "");
  const shown = title?.[1] ?? title?.[2] ?? "";
  if (shown !== "" && !names.includes(shown)) yield ["blockTitle", info ?? ""];
  if (hasInclude(text) && !/^(?:markdown|md|mdx|text|html|liquid|vue)$/.test(language))
    yield ["include", text.slice(0, 200)];
  if (language === "") yield ["unknown", text.slice(0, 200)];
  else if (info?.trim() === "") {
    const against = contradiction(language, text);
    if (against !== undefined) yield ["guess", `${language}, but ${against}: ${text.slice(0, 160)}`];
  }
}

const data = new Set("text http bash markdown yaml ini toml csv diff mermaid powershell".split(" "));

/** What the code shows that its guessed language cannot be; undefined where it shows nothing. */
function contradiction(language: string, code: string): string | undefined {
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  const all = (pattern: RegExp): boolean => lines.length > 0 && lines.every((line) => pattern.test(line));
  if (language === "json") return isJson(code) ? undefined : "it is not JSON";
  if (language !== "text" && lines.filter((line) => /[├└]──/.test(line)).length > 1) return "it is a tree";
  if (data.has(language)) return undefined;
  if (lines.filter((line) => /^\s*(?:-\w, )?--\w[\w-]* .* {2,}\S/.test(line)).length * 2 > lines.length)
    return "it is options";
  if (all(/^[\w.-]+(?: [a-z]+)* (?:\[[a-z ]+\]|<[a-z]+>)(?: (?:\[[a-z ]+\]|<[a-z]+>))*$/)) return "it is a usage";
  if (all(/^\s*https?:\/\/\S+$/)) return "it is addresses";
  if (all(/^\s*[a-z_:][\w:]*(?:\{.*\})? -?[\d.eE+]+$/)) return "it is metrics";
  if (all(/^\s*\$ /)) return "it is commands";
  if (!/[(){}[\]=<>;:#@$|]/.test(code) && /\s/.test(code.trim())) return "it is words";
  return undefined;
}

function isJson(code: string): boolean {
  try {
    JSON.parse(code);
    return true;
  } catch {
    // Documentation shows JSON with comments, gaps and several values.
    return /^\s*(?:\/\/.*\n\s*|\/\*[\s\S]*?\*\/\s*)*[{["\d]/.test(code) && /[}\]"\d,.]\s*(?:\/\/.*)?$/.test(code);
  }
}
