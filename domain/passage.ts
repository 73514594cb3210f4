/**
 * Code as the source has it, or made of what it describes. `language` is lower-case; in a generation it is "" where the page does not tell, and the
 * manifest's language is served in its place.
 */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The file name that the documentation gives the block. */
  readonly file?: string;
  /** What stands on its tab. */
  readonly label?: string;
  /** What the page says of single lines of it, in sentences, such as "Line 2 is removed."; lines from 1. */
  readonly marks?: readonly string[];
  /**
   * Where code stands that the page includes from other files: the stretches of lines that it is made of, in order. Those
   * of the page itself are among them where both are in one block. Absent for code that is the page's own.
   */
  readonly sources?: readonly CodeSource[];
  /**
   * What the code was made from, where it is not what the source has word for word: the address of a place in an API
   * description, its file and a JSON pointer as fragment.
   */
  readonly madeFrom?: string;
}

/** Lines of a file, without the indentation that they all have where the page asks for that. */
export interface CodeSource {
  /** Path in the tree that was read, with forward slashes. */
  readonly path: string;
  /** An address that shows these lines at the revision of the passage. */
  readonly url: string;
  /** First and last line, from 1, both included. */
  readonly lines: readonly [number, number];
}

/** Where a passage stands: enough for a reader to check it. */
export interface Provenance {
  /** Path in the tree that was read, with forward slashes. */
  readonly path?: string;
  /** An address that shows these lines at this revision. */
  readonly url: string;
  /** First and last line in the file, from 1, both included; absent where lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
  /** Address of the fetched text that the lines are of; absent for files of a tree. */
  readonly resource?: string;
  /** Place among the passages of its page, from 0; absent in format 1 where there are lines. */
  readonly ordinal?: number;
  /** Commit, hash or date of what was read. */
  readonly revision: string;
}

/**
 * Why a passage is kept in its generation but not served: `duplicate` of another one, or `quarantined` because it
 * reads like an instruction to the reader's agent.
 */
export type PassageFlag = "duplicate" | "quarantined";

/** What the screen finds in text that reads like an instruction to the reader's agent; sentences in `findingTexts`. */
export type Finding = keyof typeof findingTexts;

/** What each finding means, for people. */
export const findingTexts = {
  override: "asks to ignore or replace instructions that were given before",
  addressed_to_agents: "is addressed to a model, assistant or agent",
  conceals: "asks to keep something from the user, or not to ask",
  sends_secrets: "asks to read or send secrets",
  asks_for_prompt: "asks for the system prompt",
  new_role: "gives the reader another role or goal",
  claims_authority: "claims precedence over other instructions",
  feigns_conversation: "has turns or marks of a conversation with a model",
  agent_task: "asks for what only an agent does",
  harms: "asks for something harmful",
  hidden: "is hidden in what is displayed",
  hidden_characters: "has characters that cannot be seen",
  disguised: "has words in look-alike characters, or taken apart",
  encoded: "is encoded",
} as const;

/** Prose, as Markdown: paragraphs, lists, tables, notes, and headings of sections that are too small for a passage of their own. */
export interface ProseBlock {
  readonly type: "prose";
  readonly markdown: string;
}

/** Code in its place: one block, or several without prose between them that belong together, such as the tabs of a group. */
export interface ExampleBlock {
  readonly type: "code";
  /** What it does, and what the page says of it: for clients that get code by itself. */
  readonly title: string;
  readonly description: string;
  /** At least one. */
  readonly codes: readonly CodeBlock[];
  /** An address that shows it at the revision of the passage. */
  readonly url: string;
  /** First and last line in the file, from 1, both included; absent where lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
}

/** A block of a passage. */
export type PassageBlock = ProseBlock | ExampleBlock;

/** The page that a passage stands on. */
export interface PassagePage {
  readonly title: string;
  readonly url: string;
  /** What the page is about in a few words, by which it is found; absent where its path says that. */
  readonly subject?: string;
}

/**
 * What is served: a run of neighbouring blocks of one section, in the order of the page. One line of a generation. It holds no
 * time, so that equal input gives equal lines.
 */
export interface Passage {
  /** Unique within the generation, and the same again for the same text in the same place. */
  readonly id: string;
  /** What it is about: the heading that it stands under. */
  readonly title: string;
  /** Headings above it, outermost first, with the page's title at the front. */
  readonly breadcrumb: readonly string[];
  /** At least one. */
  readonly blocks: readonly PassageBlock[];
  readonly page: PassagePage;
  readonly source: Provenance;
  /** Estimated model tokens of its blocks as they are served. */
  readonly tokens: number;
  /** What the screen has found, whether or not the passage is served all the same; absent where it has found nothing. */
  readonly findings?: readonly Finding[];
  readonly flags?: readonly PassageFlag[];
  /** Other pages that say the same, by path and title: words by which it is found too. Of a generation that is loaded, never of its lines. */
  readonly also?: readonly string[];
}

/** What a library has of: code and prose. */
export type ContentKind = "code" | "info";

/** True for a passage that readers may see. */
export function isServed({ flags = [] }: Pick<Passage, "flags">): boolean {
  return flags.length === 0;
}

/** The code of a passage, in order. */
export function codesOf({ blocks }: { readonly blocks: readonly PassageBlock[] }): readonly CodeBlock[] {
  return blocks.flatMap((block) => (block.type === "code" ? block.codes : []));
}

/** Whether a passage has code, prose, or both. */
export function kindsOf({
  blocks,
}: {
  readonly blocks: readonly { readonly type: PassageBlock["type"] }[];
}): readonly ContentKind[] {
  const kinds = new Set(blocks.map(({ type }): ContentKind => (type === "code" ? "code" : "info")));
  return [...kinds].toSorted();
}
