import { html as template, raw } from "hono/html";

/** Markup. What stands in it from outside is escaped: only `html` makes it. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** What a template takes: texts and numbers are escaped, nothing is written for null, undefined and booleans. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[];

/** Characters that command a terminal or a parser, and those that turn round the text behind them (Unicode TR 9, explicit directional formatting). */
// oxlint-disable-next-line no-control-regex -- They are what is looked for.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Markup of a template, its parts escaped; of their characters none changes how the page around them is read. Attributes are written in
 * double quotes, and paths from the root: `href="/-/add"`. An address from outside goes through `external` (views/addresses.ts).
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // Waits for nothing, as no part is a promise.
  return template(strings, ...parts.map(harmless)) as Html;
}

/** Nothing. */
export const nothing: Html = raw("");

function harmless(part: Part): Part {
  if (typeof part === "string") return part.replaceAll(unseen, "\ufffd");
  return isList(part) ? part.map(harmless) : part;
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}
