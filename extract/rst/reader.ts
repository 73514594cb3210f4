import type { Element } from "domhandler";
import type { RstDocument } from "./document.ts";
import type { TextLines } from "./lines.ts";

/** Where lines are read. */
export interface Scope {
  /** Underlined lines are headings of the page; elsewhere they are bold lines. */
  readonly hasTitles: boolean;
  readonly depth: number;
  /** The name of the class around, with its dot. */
  readonly prefix: string;
}

/** A directive: `.. name:: arguments`, options, and content. */
export interface Directive {
  /** In lower case. */
  readonly name: string;
  /** The lines of its argument. */
  readonly args: TextLines;
  readonly options: ReadonlyMap<string, string>;
  readonly body: TextLines;
  /** All of its lines. */
  readonly lines: TextLines;
  readonly scope: Scope;
}

/** Text of another file of the tree. */
export interface Shown {
  readonly path: string;
  readonly lines: TextLines;
}

/** What autodoc shows of a module, class, function or value. */
export interface Described {
  readonly name: string;
  readonly kind: "module" | "class" | "function" | "data";
  readonly signatures: readonly TextLines[];
  /** Its docstring. */
  readonly body: TextLines;
  readonly members: readonly Described[];
}

/** What directives read other things with. */
export interface Reader {
  readonly document: RstDocument;
  /** Reads lines into an element. */
  blocks(lines: TextLines, into: Element, scope: Scope): void;
  /** The lines of a file that a directive includes; undefined, with a warning, without them. */
  include(directive: Directive): Shown | undefined;
  /** What a directive of autodoc shows. */
  autodoc(directive: Directive): readonly Described[];
}

/** Reads lines into an element, and returns it. */
export type Nested = (block: TextLines, parent: Element) => Element;

/** Reads a directive into an element. */
export type ReadDirective = (directive: Directive, into: Element, reader: Reader) => void;

/** An argument on one line. */
export function argumentOf({ args }: Directive): string {
  return args
    .map(({ text }) => text.trim())
    .join(" ")
    .trim();
}
