import type { Block, Document, LeftOut, Lines } from "../blocks.ts";
import { isLanguage, languageOfFile, languageOfKernel, toLanguage } from "../language.ts";
import { parseFrontMatter } from "../markdown/front-matter.ts";
import { readMarkdown, type Refused } from "../markdown/index.ts";
import type { ValueOf } from "../markdown/variables.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { joined, readCells, type Cell } from "./cells.ts";
import { readElements } from "../html/read-elements.ts";
import { createRstParts, type Autodoc } from "../rst/index.ts";
import { isInSphinx } from "../rst/places.ts";
import { copiesOf } from "./pairs.ts";
import { kindsOf, readRawCells } from "./raw-cells.ts";

/** Tags of Jupyter Book and nbconvert for cells, code and outputs that readers don't see. */
const hidden = { cell: /^remove[-_]cell$/, code: /^remove[-_]input$/, output: /^remove[-_]output$/ };

/** Maximum size of an output that is shown. */
const maxOutputLines = 30;
const maxOutputLength = 2000;
/** What stands for an object or picture: `<Figure size 640x480 with 1 Axes>`, `HBox(children=(…`. */
const noText = /^(?:\[?<[^\n]*>[\],]{0,2}$|(?:HBox|VBox|Output|interactive|\w{1,40}Widget|IntProgress)\()/;

/** What a notebook is read with: its path in the tree, its copies there, and values of names in double braces. */
interface NotebookOptions {
  readonly path?: string;
  readonly files?: IncludableFiles;
  readonly siteValueOf?: ValueOf;
}

/** Blank lines, so that a cell is not read as front matter. */
const noMatter = "\n\n\n\n";

/**
 * Reads a notebook: Markdown, raw text and code in order, with the code's short text outputs, and their lines in the file. Attachments
 * and other outputs are left out. `autodoc`: without it, what is in sources is not read.
 */
export function readNotebook(
  source: string,
  { path = "", files = new Map(), siteValueOf }: NotebookOptions = {},
  autodoc?: Autodoc,
): Document | Refused {
  const copy = copiesOf(path, source).find((one) => files.get(one) instanceof Uint8Array);
  if (copy !== undefined) return { code: "not_documentation", reason: `The notebook is read from its copy ${copy}.` };
  const { cells, languages } = readCells(source);
  const language = languages.map(languageOfKernel).find((name) => name !== "") ?? "python";
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const warnings = cells.length === 0 ? ["The file has no cells of a notebook, format 4."] : [];
  const kinds = kindsOf(cells, isInSphinx(path, files));
  const parts = createRstParts(source, { path, files }, autodoc);
  const raws = readRawCells(kinds, parts);
  warnings.push(...parts.finish());
  let matter: Pick<Document, "title" | "description"> = { title: "", description: "" };
  let groups = 0;

  const addText = (cell: Cell): void => {
    const { text, lines } = joined(cell.source);
    const raw = raws.get(cell);
    const read = raw ? readElements(raw, [raw], {}) : readMarkdown(noMatter + text, "markdown", siteValueOf);
    const [first = 1] = lines;
    const at = (line: number): number =>
      raw
        ? Math.max(first, Math.min(line, lines.at(-1) ?? first))
        : (lines[Math.min(line - noMatter.length, lines.length) - 1] ?? first);
    const placed = ([from, to]: Lines): Lines => [at(from), at(to)];
    if ("code" in read) {
      warnings.push(`The cell at line ${at(0)} is left out: ${read.reason}`);
      return;
    }
    let last = 0;
    for (const block of read.blocks) {
      const own = { ...block, lines: placed(block.lines) };
      if (own.type === "code" && own.tab !== undefined) {
        last = Math.max(last, own.tab.group);
        blocks.push({ ...own, tab: { ...own.tab, group: own.tab.group + groups } });
      } else blocks.push(own);
    }
    groups += last;
    for (const one of read.leftOut) leftOut.push({ ...one, lines: placed(one.lines) });
    for (const [label, note] of read.footnotes) footnotes.set(label, note);
  };

  const addCode = (cell: Cell): void => {
    const { text: code, lines } = joined(cell.source);
    const outputs = cell.tags.some((tag) => hidden.output.test(tag)) ? [] : outputsOf(cell);
    if (code.trim() === "" || cell.tags.some((tag) => hidden.code.test(tag))) return;
    const group = outputs.length > 0 ? ++groups : 0;
    const [first = 1] = lines;
    const declared = declaredBy(code, languageOfKernel(cell.language) || language);
    const place = { group, whole: true, tab: 1, label: "" };
    const range: Lines = [first, lines.at(-1) ?? first];
    blocks.push({ type: "code", ...declared, code, ...(group > 0 && { tab: place }), lines: range });
    // In the file outputs may stand before the code.
    for (const output of outputs)
      blocks.push({
        type: "code",
        language: "text",
        code: output,
        tab: { ...place, tab: 2, label: "Output" },
        lines: range,
      });
  };

  for (const cell of cells) {
    if (cell.tags.some((tag) => hidden.cell.test(tag))) continue;
    const kind = kinds.get(cell);
    if (cell.kind === "markdown" || kind === "markdown" || raws.has(cell)) addText(cell);
    else if (cell.kind === "code") addCode(cell);
    else if (kind === "matter") {
      const { title, description, hidden: isDraft } = parseFrontMatter(joined(cell.source).text);
      if (isDraft) return { code: "draft", reason: "The notebook's front matter marks it as a draft or as unlisted." };
      matter = { title, description };
    }
  }
  return { ...matter, blocks, footnotes, leftOut, ...(warnings.length > 0 && { warnings }) };
}

/** The short texts among a cell's outputs; what was written in several parts is one. */
function outputsOf({ outputs }: Cell): readonly string[] {
  const texts: { readonly isStream: boolean; text: string }[] = [];
  for (const { kind, stream, text } of outputs) {
    const isStream = kind === "stream";
    if (isStream ? stream === "stderr" : kind !== "execute_result" && kind !== "display_data") continue;
    const last = texts.at(-1);
    if (isStream && last?.isStream === true) last.text += text;
    else texts.push({ isStream, text });
  }
  return texts.flatMap(({ text }) => {
    const shown = text.replace(/\n$/, "");
    if (shown.length > maxOutputLength || shown.split("\n").length > maxOutputLines || shown.trim() === "") return [];
    // Carriage returns and escape sequences move on a terminal.
    return /[^\P{Cc}\n\t]/u.test(shown) || noText.test(shown.trim()) ? [] : [shown];
  });
}

/** Magics whose cell is in a language of another name (IPython, "Built-in magic commands"). */
const magics: ReadonlyMap<string, string> = new Map([
  ["system", "bash"],
  ["sx", "bash"],
  ["!", "bash"],
  ["bigquery", "sql"],
  ["pypy", "python"],
]);

/** The language of a cell: that of its magic, such as `%%bash`, else that of the kernel; and the file that it writes. */
function declaredBy(code: string, kernel: string): { readonly language: string; readonly file?: string } {
  const [, magic = "", word = ""] = /^\s{0,100}%%(!|\w{1,30})[ \t]*([^\s]{0,200})/.exec(code) ?? [];
  if (magic === "") return { language: kernel };
  if (magic === "writefile" || magic === "file") return { language: languageOfFile(word) || "text", file: word };
  const name = magics.get(magic) ?? (magic === "script" ? (word.split("/").at(-1) ?? "") : magic.toLowerCase());
  return { language: isLanguage(name) ? toLanguage(name) : kernel };
}
