/** First and last line in the file, from 1, both included. */
export type Lines = readonly [number, number];

/** Lines of a file of the tree. */
export interface Stretch {
  readonly path: string;
  readonly lines: Lines;
}

export interface HeadingBlock {
  readonly type: "heading";
  /** 1 is the outermost. */
  readonly level: number;
  readonly text: string;
  /** Its fragment: "" if the page gives it none, absent if the host derives it from the text. */
  readonly id?: string;
  /** True for the title of a component, such as a step; a heading without text ends the component. */
  readonly isPart?: true;
  readonly lines: Lines;
}

/** The place of a block of code among alternatives: the tabs of a group, or the files of a sandbox. */
export interface TabPlace {
  /** Number of the group within its page. */
  readonly group: number;
  /** True if the group holds only code that belongs together. */
  readonly whole: boolean;
  /** Number of the tab within its group; equal for blocks of one tab. */
  readonly tab: number;
  /** The label of the tab; "" without. */
  readonly label: string;
}

export interface CodeContent {
  readonly type: "code";
  /** Canonical name of the declared language; "" without. */
  readonly language: string;
  readonly code: string;
  readonly file?: string;
  /** The place it was generated from, unless it is verbatim; see CodeBlock. */
  readonly madeFrom?: string;
  /** The files and lines it consists of, if some come from another file. */
  readonly sources?: readonly Stretch[];
  /** Another name of the block, such as a tab label on its marker line. */
  readonly label?: string;
  readonly tab?: TabPlace;
  /** Sentences about marked lines of the code, counted from 1: removed, added, highlighted ones. */
  readonly marks?: readonly string[];
  /** Lines of the whole fence, including its markers. */
  readonly lines: Lines;
}

/** A paragraph, which may introduce the code after it. */
export interface ParagraphBlock {
  readonly type: "paragraph";
  /** "" if it is part of an enclosing block. */
  readonly markdown: string;
  /** The text without markup, on one line and truncated. Computed on demand: few paragraphs need it. */
  text(): string;
  readonly lines: Lines;
}

/** Any other prose: a list, table, quote or callout, without the code in it. */
export interface ProseBlock {
  readonly type: "prose";
  readonly markdown: string;
  readonly lines: Lines;
}

/** Why a block of code is left out of the passages. */
export type LeftOutReason = "damaged" | "data" | "footnote" | "licence" | "changelog" | "people";

/** A block of code that is left out on purpose. */
export interface LeftOut {
  readonly lines: Lines;
  readonly reason: LeftOutReason;
}

/** The blocks that every format is converted to. */
export type Block = HeadingBlock | CodeContent | ParagraphBlock | ProseBlock;

/** A document of any format, ready to be divided into passages. */
export interface Document {
  readonly blocks: readonly Block[];
  /** From metadata such as front matter; "" without. */
  readonly title: string;
  readonly description: string;
  /** Its subject in a few words, if no path says it. */
  readonly subject?: string;
  /** Texts of footnotes by their labels. */
  readonly footnotes: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  /** Numbers of elements of HTML with words that are not served, by reason. */
  readonly dropped?: Readonly<Record<string, number>>;
  /** Sentences about problems of the source; absent without any. */
  readonly warnings?: readonly string[];
}
