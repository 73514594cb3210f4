/** Fences of code (CommonMark 0.31, section 4.5), for readers that go line by line. */

/** A line that opens a fence. */
export interface FenceLine {
  /** The run of backticks or tildes. */
  readonly marker: string;
  /** The rest of the line. */
  readonly info: string;
}

/** Reads a line that opens a fence, with any indentation; undefined for any other line. */
export function readFenceLine(line: string): FenceLine | undefined {
  const [, marker, info = ""] = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^\n]*)$/.exec(line) ?? [];
  return marker === undefined || (marker.startsWith("`") && info.includes("`")) ? undefined : { marker, info };
}

/** True if a trimmed line closes the fence that `marker` opened. */
export function closesFence(line: string, marker: string): boolean {
  return line.length >= marker.length && line === marker.charAt(0).repeat(line.length);
}

/** The marker of a fence, including fences in quotes and list items. */
export const fenceMarker = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;

/** A marker that is longer than any in the code. */
export function fenceAround(code: string): string {
  return "`".repeat((code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2) + 1);
}
