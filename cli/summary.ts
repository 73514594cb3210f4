import { count, paint } from "./output.ts";

/** Members of a status about the live generation. */
export interface LiveFigures {
  readonly revision: string;
  readonly createdAt: string;
  readonly counts: Readonly<
    Record<"pages" | "pagesSkipped" | "pagesFailed" | "code" | "info" | "quarantined", number>
  > & {
    readonly passages?: number;
  };
}

/** The result of indexing for people: pages and passages, failures and quarantine, and where to look. */
export function summaryLines(library: string, outcome: string, { counts }: LiveFigures): readonly string[] {
  const unchanged = outcome === "unchanged" ? ", as before" : "";
  return [
    `${paint("green", "✔")} ${library} is ready${unchanged}: ${figuresOf(counts)}.`,
    ...attention(library, counts).map((line) => `  ${paint("yellow", "!")} ${line}`),
    `  Ask it:  lectern ask ${library} "…"`,
  ];
}

/** `3 pages, 12 passages`. */
export function figuresOf({ pages, passages, code, info }: LiveFigures["counts"]): string {
  return `${count(pages, "page")}, ${count(passages ?? code + info, "passage")}`;
}

/** Problems, each with the command that shows it. */
export function attention(library: string, { pagesFailed, quarantined }: LiveFigures["counts"]): readonly string[] {
  return [
    ...(pagesFailed > 0 ? [`${count(pagesFailed, "page")} failed: lectern status ${library} --failed`] : []),
    ...(quarantined > 0 ? [`${count(quarantined, "passage")} held back: lectern status ${library} --held-back`] : []),
  ];
}
