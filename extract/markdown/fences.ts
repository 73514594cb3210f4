/** Fences of code (CommonMark 0.31, section 4.5), for what reads a text line by line. */

/** A line that opens a fence. */
export interface FenceLine {
  /** The run of backticks or tildes. */
  readonly marker: string;
  /** What stands behind it. */
  readonly info: string;
}

/** Reads a line, from its first character that is neither a blank nor a tab; undefined if it opens no fence. */
export function readFenceLine(line: string): FenceLine | undefined {
  const [, marker, info = ""] = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^\n]*)$/.exec(line) ?? [];
  return marker === undefined || (marker.startsWith("`") && info.includes("`")) ? undefined : { marker, info };
}

/** True for a line, without the blanks around it, that closes a fence which a marker has opened. */
export function closesFence(line: string, marker: string): boolean {
  return line.length >= marker.length && line === marker.charAt(0).repeat(line.length);
}

/** The marker of a fence in quotes and in an item of a list, too. */
export const fenceMarker = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;

/** A marker that is longer than any in some code. */
export function fenceAround(code: string): string {
  return "`".repeat((code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2) + 1);
}
