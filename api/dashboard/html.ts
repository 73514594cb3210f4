import { html as template, raw } from "hono/html";

/** Markup with escaped text, which only `html` creates. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** A value in a template: texts and numbers are escaped; null, undefined and booleans are empty. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[];

/** Control characters, and explicit directional formatting (Unicode TR 9). */
// oxlint-disable-next-line no-control-regex -- these are what it matches
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Markup of a template with escaped values. Characters that would change the surrounding text are replaced. Put attributes in double
 * quotes, use absolute paths (`href="/-/add"`), and pass addresses from outside through `external` (views/addresses.ts).
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // Not a promise, as no value is one.
  return template(strings, ...parts.map(harmless)) as Html;
}

/** Empty markup. */
export const nothing: Html = raw("");

function harmless(part: Part): Part {
  if (typeof part === "string") return part.replaceAll(unseen, "\ufffd");
  return isList(part) ? part.map(harmless) : part;
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}
