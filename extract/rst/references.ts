import { Text, type ChildNode } from "domhandler";
import { element } from "../tree/elements.ts";

/** What the text of a document refers to. */
export interface References {
  /** Names a target; "" for a place in the document. */
  define(name: string, address: string): void;
  /** The address of a target: "" for a place in the document, undefined for an unknown name. */
  reference(name: string, isAnonymous: boolean): string | undefined;
  /** The label of a footnote by what is in the brackets; undefined for citations. */
  note(label: string): string | undefined;
  /** What is shown for a name between bars; undefined for an unknown name. */
  substitution(name: string, depth: number): readonly ChildNode[] | undefined;
  /** What a role shows. `inner` is its text, in which a NUL precedes each escaped character. */
  role(name: string, inner: string): readonly ChildNode[];
}

/** A link; only its text without an address. */
export function link(address: string, text: string): readonly ChildNode[] {
  return address === "" ? [new Text(text)] : [element("a", { href: address }, [new Text(text)])];
}

/** A title without its roles and marks of code. */
export function plainTitle(title: string): string {
  return title.replace(/(?<!\S):[\w:+-]{1,60}:(?=`)|`/g, "").trim();
}

/** The text with its escapes: those of blanks are nothing. */
export function unescaped(text: string): string {
  return text.includes("\0") ? text.replace(/\0([ \n]?)/g, "") : text;
}

/** The text as it is written, with its backslashes. */
export function restored(text: string): string {
  return text.replaceAll("\0", "\\");
}
