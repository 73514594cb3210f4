import type { Status } from "../api/dashboard/types.ts";
import { counted } from "../domain/counted.ts";
import { paint } from "./terminal.ts";

type LiveGeneration = NonNullable<Status["live"]>;

/** The result of indexing for people: pages and passages, failures and quarantine, and where to look. */
export function summaryLines(library: string, outcome: string, { counts }: LiveGeneration): readonly string[] {
  const unchanged = outcome === "unchanged" ? ", as before" : "";
  return [
    `${paint("green", "✔")} ${library} is ready${unchanged}: ${figuresOf(counts)}.`,
    ...attention(library, counts).map((line) => `  ${paint("yellow", "!")} ${line}`),
    `  Ask it:  lectern ask ${library} "…"`,
  ];
}

/** `3 pages, 12 passages`. */
export function figuresOf({ pages, passages, code, info }: LiveGeneration["counts"]): string {
  return `${counted(pages, "page")}, ${counted(passages ?? code + info, "passage")}`;
}

/** Problems, each with the command that shows it. */
export function attention(library: string, { pagesFailed, quarantined }: LiveGeneration["counts"]): readonly string[] {
  return [
    ...(pagesFailed > 0 ? [`${counted(pagesFailed, "page")} failed: lectern status ${library} --failed`] : []),
    ...(quarantined > 0 ? [`${counted(quarantined, "passage")} held back: lectern status ${library} --held-back`] : []),
  ];
}
