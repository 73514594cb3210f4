/** A stretch of text that is written in one way. */
export interface Span {
  readonly text: string;
  readonly href?: string;
  /** Letters of what it is: bold, italic, struck through, code, and math for an equation. */
  readonly marks?: string;
}

/** A block of a page, with what is read of it: nothing of it changes unless its page does. */
export interface NotionBlock {
  /** 32 digits, without dashes. */
  readonly id: string;
  readonly type: string;
  readonly text?: readonly Span[];
  readonly caption?: readonly Span[];
  /** Of code: what it is called there. */
  readonly language?: string;
  readonly checked?: boolean;
  /** Of an item with a number: that which its list begins with. */
  readonly start?: number;
  /** The emoji of a callout. */
  readonly icon?: string;
  readonly cells?: readonly (readonly Span[])[];
  /** Of a table: its first row, or first column, has names. */
  readonly headed?: boolean;
  /** Of something elsewhere: an address that does not expire. */
  readonly url?: string;
  readonly name?: string;
  readonly children?: readonly NotionBlock[];
}

/** A property of a row, or of the rows of a database: its name, and what it says. */
export interface NotionProperty {
  readonly name: string;
  readonly text: string;
}

/** A page, a row, or what a database says of itself; as JSON in `notionPageType`. */
export interface NotionPage {
  readonly title: string;
  readonly description: readonly Span[];
  readonly properties: readonly NotionProperty[];
  readonly blocks: readonly NotionBlock[];
  /** What of it could not be read, in sentences. */
  readonly warnings: readonly string[];
}
