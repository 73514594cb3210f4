import type { Block, CodeContent, Document, LeftOut, ParagraphBlock } from "../blocks.ts";
import { readMarkdown } from "../markdown/index.ts";
import type { Field } from "./fields.ts";
import type { Parameter, Server } from "./part.ts";
import { inlineCode, itemMarkdown, plain, valueCode } from "./description-text.ts";

export type BlockList = ReturnType<typeof createBlockList>;

/** A block of code on the page of a part. */
export type PartCode = Pick<CodeContent, "language" | "code" | "madeFrom"> & { readonly label: string };

/** A number that no group of tabs in Markdown has. */
const ownGroup = -1;

/** Builds the blocks of a page in order. Their lines are ordinal numbers, as the page is not in a file. */
export function createBlockList() {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  let line = 1;

  const next = (): readonly [number, number] => {
    line += 2;
    return [line, line];
  };

  const add = (read: Document, headings: number | null): void => {
    const start = line + 1;
    for (const block of read.blocks) {
      const lines = [block.lines[0] + start, block.lines[1] + start] as const;
      line = Math.max(line, lines[1]);
      if (block.type !== "heading") blocks.push({ ...block, lines });
      else if (headings !== null) blocks.push({ ...block, level: Math.min(block.level + headings, 6), lines });
      else if (block.text !== "") blocks.push(paragraph(`**${block.text.replaceAll("*", "")}**`, lines));
    }
    for (const [name, note] of read.footnotes) footnotes.set(name, note);
    leftOut.push(...read.leftOut);
  };

  return {
    heading(level: number, text: string): void {
      blocks.push({ type: "heading", level, text: text.replace(/\s+/g, " ").trim(), lines: next() });
    },
    /** Prose that Lectern writes, a paragraph or list; nothing for "". */
    prose(markdown: string): void {
      if (markdown !== "") blocks.push({ type: "prose", markdown, lines: next() });
    },
    /** Markdown of the description with its code; `headings`: the level above its headings, or null for bold text instead. */
    markdown(text: string, headings: number | null): void {
      if (text === "") return;
      // The line break keeps the text from being read as front matter.
      const read = readMarkdown(`\n${text}`, "markdown");
      if ("code" in read) blocks.push(paragraph(text.slice(0, 5000), next()));
      else add(read, headings);
    },
    /** Words about the code that follows, which are not prose of their own. */
    lead(text: string): void {
      blocks.push({ ...paragraph("", next()), text: () => text });
    },
    /** Code that belongs together. */
    codes(codes: readonly PartCode[]): void {
      for (const [tab, { label, ...code }] of codes.entries())
        blocks.push({ type: "code", ...code, tab: { group: ownGroup, whole: true, tab, label }, lines: next() });
    },
    /** The finished page. */
    document: (title: string, description: string): Document => ({ blocks, title, description, footnotes, leftOut }),
  };
}

function paragraph(markdown: string, lines: readonly [number, number]): ParagraphBlock {
  return { type: "paragraph", markdown, text: () => markdown.replace(/\s+/g, " "), lines };
}

/** Length of constraints up to which they are among the facts before a meaning, in characters. */
const maxFact = 200;
/** Maximum length of one piece of longer constraints, in characters. */
const maxPiece = 1200;

/** Fields as a list in Markdown; "" for none. */
export function fieldList(fields: readonly Field[]): string {
  return fields.map((field) => item(field, [])).join("\n");
}

/** Adds servers with their variables. */
export function addServers(page: BlockList, servers: readonly Server[]): void {
  for (const { url, description, variables } of servers) {
    page.prose(`- \`${url === "" ? "/" : url}\`${description === "" ? "" : `: ${plain(description)}`}`);
    page.prose(fieldList(variables));
  }
}

/** Parameters as a list in Markdown, with the place of each and the fields in it; "" for none. */
export function parameterList(parameters: readonly Parameter[]): string {
  return parameters
    .flatMap((parameter) => [
      ...(parameter.above ? [item(parameter.above, [parameter.in])] : []),
      item(withExample(parameter), [parameter.in]),
      ...(parameter.inside ?? []).map((field) => item(field, [])),
    ])
    .join("\n");
}

/** Maximum length of the meaning of a parameter in a table, in characters. */
const maxCell = 600;

/** True for a parameter whose meaning fits a cell of a table. */
export function fitsTable({ meaning = "", allowed = "", inside, above }: Parameter): boolean {
  return (
    inside === undefined &&
    (above === undefined || fitsTable(above)) &&
    meaning.length <= maxCell &&
    allowed.length <= maxFact &&
    !/\n[ \t]*(?:\n|[-*+|`~>]|\d{1,9}[.)])/.test(meaning)
  );
}

/** Optional parameters as a table in Markdown; "" for none. */
export function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "";
  const cell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
  const rows = parameters
    .flatMap((one) => [...(one.above ? [one.above] : []), one])
    .map((parameter) => {
      const { name, in: place, meaning = "" } = parameter;
      const facts = factsOf(withExample(parameter), []).join(", ");
      return `| ${[inlineCode(name), place, facts, itemMarkdown(meaning)].map(cell).join(" | ")} |`;
    });
  return ["| Optional parameter | In | Type | Meaning |", "|---|---|---|---|", ...rows].join("\n");
}

/** The parameter with its example among its facts, unless that is long. */
function withExample(parameter: Parameter): Parameter {
  const { example, allowed = "" } = parameter;
  const words = example === undefined || example === null ? "" : `example ${valueCode(example)}`;
  if (words === "" || words.length > maxFact) return parameter;
  return { ...parameter, allowed: allowed === "" ? words : `${allowed}, ${words}` };
}

/** The facts about a field in words, without its name and meaning. */
export function factsOf(field: Field, about: readonly string[]): string[] {
  const { type, required, default: standard, allowed = "", deprecated, when = [], isOption = false, see } = field;
  const named = isOption ? when.slice(0, -1) : when;
  return [
    named.length === 0 ? "" : `if ${named.join(", ")}`,
    ...about,
    isOption && (type === see || type === when.at(-1)) ? "" : type,
    required ? "required" : "",
    standard === undefined ? "" : `default ${valueCode(standard)}`,
    allowed.length <= maxFact ? allowed : "",
    deprecated === true ? "deprecated" : "",
    see === undefined ? "" : `see schema ${see}`,
  ].filter((fact) => fact !== "");
}

/** Constraints that are too long for the facts, in pieces that fit a passage with the name of the field. */
export function longFacts({ allowed = "" }: Field): string[] {
  if (allowed.length <= maxFact) return [];
  const pieces: string[] = [];
  for (const part of allowed.split(/(?<=`,) /)) {
    const last = pieces.at(-1);
    if (last === undefined || last.length + part.length > maxPiece) pieces.push(part);
    else pieces[pieces.length - 1] = `${last} ${part}`;
  }
  return pieces.map((piece, at) => (at === 0 ? `${piece.charAt(0).toUpperCase()}${piece.slice(1)}` : `Or ${piece}`));
}

function item(field: Field, about: readonly string[]): string {
  const { name, when = [], isOption, meaning = "" } = field;
  const facts = factsOf(field, about);
  const option = isOption === true ? `**${(when.at(-1) ?? "").replaceAll("*", "")}**` : "";
  const named = name === "" ? option : `${inlineCode(name)}${option === "" ? "" : `: ${option}`}`;
  const head = `- ${named}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
  const words = itemMarkdown(meaning);
  const first = `${head}${words === "" ? "" : `: ${words}`}`.replace(/: \n/, ":\n");
  return [first, ...longFacts(field).map((piece) => `- ${named}: ${piece}`)].join("\n");
}
