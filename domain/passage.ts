/**
 * Code as the source has it, or made from an API description. `language` is lower-case; in a generation it is "" if the page
 * names none, and the language of the manifest is served instead.
 */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The file name that the documentation gives the block. */
  readonly file?: string;
  /** Label of its tab. */
  readonly label?: string;
  /** Marked lines, in sentences such as "Line 2 is removed."; lines from 1. */
  readonly marks?: readonly string[];
  /** The line ranges of included code, in order, also those of the page in a mixed block. Absent for code of the page. */
  readonly sources?: readonly CodeSource[];
  /** The source of generated code: an address in an API description, with a JSON pointer as fragment. Absent for verbatim code. */
  readonly madeFrom?: string;
}

/** A line range of a file, without common indentation if the page asks for that. */
export interface CodeSource {
  /** Path in the tree that was read, with forward slashes. */
  readonly path: string;
  /** An address that shows these lines at the revision of the passage. */
  readonly url: string;
  /** First and last line, from 1, inclusive. */
  readonly lines: readonly [number, number];
}

/** Where a passage is from, so that a reader can check it. */
export interface Provenance {
  /** Path in the tree that was read, with forward slashes. */
  readonly path?: string;
  /** An address that shows these lines at this revision. */
  readonly url: string;
  /** First and last line in the file, from 1, inclusive; absent if lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
  /** Address of the fetched text with these lines; absent for files of a tree. */
  readonly resource?: string;
  /** Index among the passages of its page, from 0; absent in format 1 if `lines` is present. */
  readonly ordinal?: number;
  /** Commit, hash or date that was read. */
  readonly revision: string;
}

/** Why a passage is not served. `quarantined`: it reads like an instruction to the reader's agent. */
export type PassageFlag = "duplicate" | "quarantined";

/** A finding of the screen in text that reads like an instruction to the reader's agent. */
export type Finding = keyof typeof findingTexts;

/** The meaning of each finding, for people. */
export const findingTexts = {
  override: "asks to ignore or replace instructions that were given before",
  addressed_to_agents: "is addressed to a model, assistant or agent",
  conceals: "asks to keep something from the user, or not to ask",
  sends_secrets: "asks to read or send secrets",
  asks_for_prompt: "asks for the system prompt",
  new_role: "gives the reader another role or goal",
  feigns_conversation: "has turns or marks of a conversation with a model",
  agent_task: "asks for something that only an agent does",
  hidden_characters: "has invisible characters",
  disguised: "has words in look-alike characters, or taken apart",
  encoded: "is encoded",
  classified: "is an instruction according to this server's classifier",
  // Only in generations of earlier extractors.
  claims_authority: "claims precedence over other instructions",
  harms: "asks for something harmful",
  hidden: "is hidden in what is displayed",
} as const;

/** Prose as Markdown: paragraphs, lists, tables, notes, and headings of sections that are too small for their own passage. */
export interface ProseBlock {
  readonly type: "prose";
  readonly markdown: string;
}

/** An example: one code block, or several that belong together without prose between them, such as the tabs of a group. */
export interface ExampleBlock {
  readonly type: "code";
  /** Title, and the prose that explains it, for clients that get code alone. */
  readonly title: string;
  readonly description: string;
  /** The code blocks, at least one. */
  readonly codes: readonly CodeBlock[];
  /** An address that shows it, at the revision of the passage. */
  readonly url: string;
  /** As in `Provenance`. */
  readonly lines?: readonly [number, number];
}

export type PassageBlock = ProseBlock | ExampleBlock;

/** The page of a passage. */
export interface PassagePage {
  readonly title: string;
  readonly url: string;
  /** The subject of the page, in a few searchable words; absent if its path says that. */
  readonly subject?: string;
}

/**
 * The unit that is served: neighbouring blocks of one section, in the order of the page; one line of a generation. It has no
 * timestamp, so that equal input gives equal lines.
 */
export interface Passage {
  /** Unique within the generation, and stable for the same text in the same place. */
  readonly id: string;
  /** The heading above it. */
  readonly title: string;
  /** Title of the page, then the headings above it, outermost first. */
  readonly breadcrumb: readonly string[];
  /** At least one. */
  readonly blocks: readonly PassageBlock[];
  readonly page: PassagePage;
  readonly source: Provenance;
  /** Estimated tokens of its blocks, as served. */
  readonly tokens: number;
  /** Findings of the screen, also of a released passage; absent: none. */
  readonly findings?: readonly Finding[];
  readonly flags?: readonly PassageFlag[];
  /** Path and title of its duplicates, which are searched as well. Set when a generation is loaded, never in its lines. */
  readonly also?: readonly string[];
  /** Its embedding in signed bytes, as Base64. Set when a generation is loaded, never in its lines. */
  readonly embedding?: string;
}

/** The kinds of content of a library: code and prose. */
export type ContentKind = "code" | "info";

/** Whether readers may see a passage. */
export function isServed({ flags = [] }: Pick<Passage, "flags">): boolean {
  return flags.length === 0;
}

/** The code of a passage, in order. */
export function codesOf({ blocks }: Pick<Passage, "blocks">): readonly CodeBlock[] {
  return blocks.flatMap((block) => (block.type === "code" ? block.codes : []));
}

/** The passage with the library's language in code blocks that name none; unchanged if that language is "". */
export function withLanguage(passage: Passage, language: string): Passage {
  if (language === "" || codesOf(passage).every((code) => code.language !== "")) return passage;
  const blocks = passage.blocks.map((block) =>
    block.type === "prose"
      ? block
      : { ...block, codes: block.codes.map((code) => (code.language === "" ? { ...code, language } : code)) },
  );
  return { ...passage, blocks };
}

/** Whether a passage has code, prose, or both. */
export function kindsOf({ blocks }: Pick<Passage, "blocks">): readonly ContentKind[] {
  const kinds = new Set(blocks.map(({ type }): ContentKind => (type === "code" ? "code" : "info")));
  return [...kinds].toSorted();
}

/** A line of a generation of format 1: code or prose alone. */
export interface SnippetLine extends Omit<Passage, "blocks"> {
  readonly kind: "code" | "info";
  readonly description: string;
  readonly codes: readonly CodeBlock[];
  readonly content?: string;
}

/**
 * Parses a line of a generation, whose parts were checked against their hashes. A line of format 1 becomes a passage with one
 * example and its description, or with prose.
 * @throws SyntaxError for invalid JSON
 */
export function readPassage(line: string): Passage {
  return toPassage(JSON.parse(line) as Passage | SnippetLine);
}

/** The lines of a part, decoded one by one: slices of one string would keep all of it in memory. */
export function* linesOf(part: Uint8Array): Generator<string> {
  const text = Buffer.from(part.buffer, part.byteOffset, part.length);
  for (let start = 0, end = text.indexOf(10); end >= 0; start = end + 1, end = text.indexOf(10, start))
    yield text.toString("utf8", start, end);
}

/** A parsed line of either format as a passage. */
export function toPassage(read: Passage | SnippetLine): Passage {
  if ("blocks" in read) return read;
  const { kind, description, codes, content = "", ...passage } = read;
  if (kind === "info") return { ...passage, blocks: [{ type: "prose", markdown: content }] };
  const { url, lines } = read.source;
  const example = { type: "code", title: read.title, description, codes, url, ...(lines && { lines }) } as const;
  return {
    ...passage,
    blocks: [...(description === "" ? [] : [{ type: "prose", markdown: description } as const]), example],
  };
}

/** Decisions of administrators about the quarantine of a library. */
export interface Releases {
  /** `off`: nothing of the library is quarantined. */
  readonly screen?: "off";
  /** Release keys: they identify passages by text and page, at any revision. */
  readonly released?: readonly string[];
}

/** A passage with findings of the screen. */
export interface FoundPassage {
  readonly passage: Passage;
  /** A hash of its text and page. */
  readonly releaseKey: string;
}

/** Whether a passage with findings is served, by its release key. */
export function isReleased({ screen, released = [] }: Releases, key: string): boolean {
  return screen === "off" || released.includes(key);
}
