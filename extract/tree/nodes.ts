import type { CodeContent, Lines, TabPlace } from "../blocks.ts";

/**
 * The tree of a document: every format is read into it, and `write.ts` turns it into the blocks that are divided into passages. It says
 * what a reader sees, not how the source marks it.
 */

/** Visible words. `written` is their Markdown where the source has it; absent, the writer escapes what would be markup. */
export interface Words {
  readonly type: "words";
  readonly text: string;
  readonly written?: string;
}

/** Words with a mark, which may be nested. */
export interface Marked {
  readonly type: "strong" | "emphasis" | "deleted" | "superscript" | "subscript";
  readonly children: readonly Inline[];
}

export interface Link {
  readonly type: "link";
  /** Never "": what leads nowhere is no link. */
  readonly address: string;
  readonly children: readonly Inline[];
}

/** Text within a paragraph. */
export type Inline =
  | Words
  | Marked
  | Link
  /** Code within a sentence, on one line. `ticks`: the number of backticks around it in the source. */
  | { readonly type: "code"; readonly text: string; readonly ticks?: number }
  /** A formula in TeX with its delimiters, character by character. */
  | { readonly type: "math"; readonly written: string }
  | { readonly type: "break" }
  /** The text in place of a picture. */
  | { readonly type: "image"; readonly text: string }
  /** A reference to a footnote of the document. */
  | { readonly type: "note"; readonly label: string };

/** Lines in the file, from 1; absent in formats whose lines mean nothing to readers. */
interface Placed {
  readonly lines?: Lines;
}

export interface Paragraph extends Placed {
  readonly type: "paragraph";
  readonly children: readonly Inline[];
}

export interface Heading extends Placed {
  readonly type: "heading";
  /** 1 is the outermost. */
  readonly level: number;
  readonly text: string;
  /** As in `HeadingBlock`. */
  readonly id?: string;
}

export interface Code extends Placed, Omit<CodeContent, "lines" | "tab"> {}

export interface Item extends Placed {
  readonly children: readonly Node[];
  /** Whether its box is ticked; absent without a box. */
  readonly checked?: boolean;
}

export interface List extends Placed {
  readonly type: "list";
  /** The first number; absent for a list without numbers. */
  readonly start?: number;
  readonly items: Item[];
  /** It is one item, which the next one of a component is added to. */
  readonly isItem?: boolean;
}

/** Terms with their descriptions. */
export interface Terms extends Placed {
  readonly type: "terms";
  readonly items: readonly { readonly terms: readonly (readonly Inline[])[]; readonly children: readonly Node[] }[];
}

/** A quotation, or what belongs to a term without a list around it. */
export interface Quote extends Placed {
  readonly type: "quote";
  readonly children: readonly Node[];
}

export interface Callout extends Placed {
  readonly type: "callout";
  /** `**Tip:**` or `**Tip: Title**`. */
  readonly label: string;
  readonly children: readonly Node[];
}

/** What a component holds that has a title of its own: a step, an expandable text, a member of an API. */
export interface Section extends Placed {
  readonly type: "section";
  readonly title: string;
  readonly id?: string;
  readonly children: readonly Node[];
}

/** One of several alternatives. */
export interface Tab extends Placed {
  readonly type: "tab";
  readonly place: TabPlace;
  readonly children: readonly Node[];
}

export interface Cell {
  readonly children: readonly Node[];
  /** Number of columns and rows that it spans. */
  readonly columns: number;
  readonly rows: number;
}

export interface Table extends Placed {
  readonly type: "table";
  /** The first row has the names of the columns. */
  readonly hasHead: boolean;
  readonly rows: readonly (readonly Cell[])[];
}

/** A block of the document. */
export type Node = Paragraph | Heading | Code | List | Terms | Quote | Callout | Section | Tab | Table;
