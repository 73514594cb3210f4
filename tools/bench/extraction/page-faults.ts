import { date, saysGenerated } from "./copy-faults.ts";
import { textOf } from "./blocks.ts";
import { proseOf, whereOf } from "./fault-kinds.ts";
import type { Fault, FaultKind, ServedPage } from "./fault-kinds.ts";

const moved = /\b(?:has|have) (?:been )?moved\b|\bno longer (?:distributed|here)\b/;

/** Faults of whole pages, counted in the passages that are served of them, and words that a dropped tag has joined. */
export function pageFaults(pages: readonly ServedPage[]): readonly Fault[] {
  const newest = new Map<string, string>();
  const written = new Set<string>();
  for (const { page, passages } of pages) {
    const { path, bytes } = page.input;
    const [, day = ""] = date.exec(path) ?? [];
    if (day > (newest.get(undated(path)) ?? "")) newest.set(undated(path), day);
    if (!saysGenerated(bytes)) for (const { breadcrumb } of passages) written.add(breadcrumb.at(-1) ?? "");
  }
  return pages.flatMap(({ page, passages }) => {
    const { path, bytes } = page.input;
    const text = textOf(bytes);
    const day = date.exec(path)?.[1] ?? "";
    const isGenerated = saysGenerated(bytes);
    const isOlder = day < (newest.get(undated(path)) ?? "");
    const isMoved = text.length < 700 && moved.test(text);
    const found = passages.flatMap((passage): Fault[] => {
      const fault = (kind: FaultKind): Fault => ({ kind, where: whereOf(passage), text: passage.title });
      if (isOlder) return [fault("older")];
      if (isMoved) return [fault("moved")];
      return isGenerated && written.has(passage.breadcrumb.at(-1) ?? "") ? [fault("made")] : [];
    });
    return [...found, ...joinedIn({ page, passages }, text)];
  });
}

function undated(path: string): string {
  return path.replace(date, "//");
}

function joinedIn({ page, passages }: ServedPage, text: string): readonly Fault[] {
  const prose = passages.flatMap(proseOf).join("\n");
  const breaks = text.matchAll(/(\w{3,})(?:<br ?\/?>|<\/p><p>|<\/li><li>)(\w{3,})/g);
  return [...breaks].flatMap(({ 1: one = "", 2: two = "" }): Fault[] =>
    prose.includes(one + two) ? [{ kind: "joined", where: page.input.path, text: one + two }] : [],
  );
}
