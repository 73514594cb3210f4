import { hash } from "node:crypto";
import { checkGenerationId } from "../loading.ts";

const plainWord = /^[a-z0-9]+$/;

/**
 * A term, or any other text, as one word that Meilisearch does not change. It would split `node.js` and `c++`, strip accents and
 * segment scripts without spaces, so text with other characters than a-z and 0-9 becomes a hash. The word needs no quoting.
 */
export function toWord(text: string): string {
  return plainWord.test(text) && text.length < 100 ? text : `zq${hash("sha256", text, "hex").slice(0, 24)}`;
}

/**
 * A generation's id as the value of `snap`. As Meilisearch compares values without case, a capital is written as a dot and its small
 * letter. @throws Failure internal_error for an invalid id
 */
export function toSnap(generation: string): string {
  checkGenerationId(generation);
  return generation.replace(/[A-Z]/g, (capital) => `.${capital.toLowerCase()}`);
}

/** The generation's id in a value of `snap`. */
export function fromSnap(snap: string): string {
  return snap.replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A condition of a filter: the attribute has the value. */
export function equals(attribute: string, value: string): string {
  return `${attribute} = ${quote(value)}`;
}

/** A condition of a filter: the attribute has one of the values. */
export function isOneOf(attribute: string, values: readonly string[]): string {
  return `${attribute} IN [${values.map(quote).join(", ")}]`;
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
