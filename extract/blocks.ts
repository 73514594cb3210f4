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
  /** The fragment that leads to it, "" where the page has none; absent where the page's host makes it of the text. */
  readonly id?: string;
  /** True for the title of a component, such as a step; where the component ends stands one without text. */
  readonly isPart?: true;
  readonly lines: Lines;
}

/** Which of several alternatives a block of code is: the tabs of a group, or the files of a sandbox. */
export interface TabPlace {
  /** Number of the group within its page. */
  readonly group: number;
  /** True where the group holds nothing but code that belongs together. */
  readonly whole: boolean;
  /** Number of the tab within its group; equal for blocks of one tab. */
  readonly tab: number;
  /** What readers see on the tab; "" without. */
  readonly label: string;
}

export interface CodeBlockFound {
  readonly type: "code";
  /** As the document declares it, canonical; "" where it says nothing. */
  readonly language: string;
  readonly code: string;
  readonly file?: string;
  /** The place that it was made from, if it is not verbatim; see CodeBlock. */
  readonly madeFrom?: string;
  /** The files and lines that it consists of, if some are another file's. */
  readonly sources?: readonly Stretch[];
  /** Another name of the block, such as the label of a tab on its marker line. */
  readonly label?: string;
  readonly tab?: TabPlace;
  /** Sentences about marked lines of the code, counted from 1: removed, added, highlighted ones. */
  readonly marks?: readonly string[];
  /** Of the whole fence, with its marker lines. */
  readonly lines: Lines;
}

/** A paragraph, which may introduce the code after it. */
export interface ParagraphBlock {
  readonly type: "paragraph";
  /** "" where it is part of an enclosing block. */
  readonly markdown: string;
  /** Without markup, on one line, cut where it gets long. Computed on demand: few paragraphs need it. */
  text(): string;
  readonly lines: Lines;
}

/** Any other prose: a list, table, quote or callout, without the code in it. */
export interface ProseBlock {
  readonly type: "prose";
  readonly markdown: string;
  readonly lines: Lines;
}

/** Why a block of code is in no passage of its page. */
export type LeftOutReason = "damaged" | "footnote" | "licence" | "changelog" | "people";

/** A block of code that is left out on purpose. */
export interface LeftOut {
  readonly lines: Lines;
  readonly reason: LeftOutReason;
}

/** What every format is reduced to, in the order of the document. */
export type Block = HeadingBlock | CodeBlockFound | ParagraphBlock | ProseBlock;

/** A document of any format, ready to be divided into passages. */
export interface Document {
  readonly blocks: readonly Block[];
  /** Of its metadata, such as front matter; "" without. */
  readonly title: string;
  readonly description: string;
  /** What it is about in a few words, where no path says that. */
  readonly subject?: string;
  /** Texts of footnotes by their labels. */
  readonly footnotes: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  /** Sentences about what is wrong with the source; absent if nothing is. */
  readonly warnings?: readonly string[];
}
