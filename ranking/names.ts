import { foldId } from "../domain/library.ts";
import type { LibraryEntry } from "../domain/ports.ts";

/** The form that names are compared by: letters, digits, + and # alone, so that Next.js, next-js and NEXT JS are one. */
export function foldName(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}+#]/gu, "");
}

/** The folded names that a library goes by: title, last part of its ID, aliases, and a scoped alias without its scope. */
export function namesOf(entry: Pick<LibraryEntry, "id" | "title" | "aliases">): readonly string[] {
  const lastOf = (text: string) => text.split("/").at(-1) ?? "";
  const names = [entry.title, lastOf(entry.id), ...entry.aliases.flatMap((alias) => [alias, lastOf(alias)])];
  return [...new Set(names.map(foldName))].filter((name) => name !== "");
}

/** The folded IDs that a text may stand for, with and without what could be a version behind it. */
export function idsOf(text: string): readonly string[] {
  const id = foldId(text.startsWith("/") ? text : `/${text}`);
  const ends = [...id.matchAll(/(?<=.\/.+)[/@]/gu)].map(({ index }) => index);
  return [id, ...ends.map((end) => id.slice(0, end))].filter((candidate) => candidate.lastIndexOf("/") > 0);
}

/** The name without a trailing `js` or `dev`, under which people know it as well; undefined where there is none. */
export function shortName(name: string): string | undefined {
  return /^(.{2,}?)(?:js|dev|docs)$/u.exec(name)?.[1];
}

/** Overlapping runs of three characters, by which misspelt names meet; the ends count too. */
export function trigramsOf(name: string): readonly string[] {
  const padded = Array.from(`_${name}_`);
  const found = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3).join(""));
  return [...found];
}

/** Typing errors that a name of this length may have. */
export function toleratedErrors(name: string): number {
  if (name.length < 4) return 0;
  return name.length < 8 ? 1 : 2;
}

/**
 * True where at most `most` insertions, deletions, replacements and swaps of neighbours turn one text into the other.
 * Work is bounded by length times `most`.
 */
export function isNear(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > most) return false;
    [beforeLast, last] = [last, row];
  }
  return (last[b.length] ?? Infinity) <= most;
}
