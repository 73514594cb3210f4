import type { Block } from "./blocks.ts";

/** Lines of one answer that it says more than once; each counts once, however often it comes. */
export interface RepeatedLines {
  /** Those that are code wherever they come. */
  readonly code: number;
  readonly prose: number;
}

/** Shorter lines are said twice for good reasons: an import, a closing bracket, the name of an option. In characters. */
const minLength = 40;

/** Counts the lines of more than 40 characters that come more than once; lines that name sources do not count. */
export function repeatedLines(blocks: readonly Block[]): RepeatedLines {
  const seen = new Map<string, { times: number; prose: boolean }>();
  for (const { kind, text } of blocks) {
    if (kind === "provenance") continue;
    for (const raw of text.split("\n")) {
      const line = raw.trim();
      if (line.length <= minLength || !/[\p{L}\p{N}]/u.test(line)) continue;
      const before = seen.get(line);
      const prose = kind !== "code" || (before?.prose ?? false);
      seen.set(line, { times: (before?.times ?? 0) + 1, prose });
    }
  }
  const repeated = [...seen.values()].filter(({ times }) => times > 1);
  const prose = repeated.filter((one) => one.prose).length;
  return { prose, code: repeated.length - prose };
}
