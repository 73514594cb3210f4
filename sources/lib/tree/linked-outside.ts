import { posix } from "node:path";
import type { SourceItem } from "../../../domain/ports.ts";

/** Maximum number of documents that the note names. */
const maxNamed = 5;
/** Links of Markdown and HTML, without queries and fragments. */
const links = /\]\(<?([^()<>\s#?]{1,300})|\bhref=["']([^"'\s#?]{1,300})/gi;

const before = "Linked, but outside of the chosen folders: ";
const after = ". Add their folders to read them.";
const separator = ", ";

/**
 * Collects the documents outside of the chosen folders that read pages link to; `outside` has their paths. `earlier`: the notes of the
 * live generation, which are kept for unchanged pages.
 */
export function createLinkedOutside(outside: readonly string[], earlier: readonly string[] = []) {
  const paths = new Set(outside);
  const found = new Map<string, string>();
  const noted = earlier.find((note) => note.startsWith(before))?.slice(before.length, -after.length) ?? "";
  const kept = Map.groupBy(noted.split(separator), (one) => one.slice(one.indexOf(" (from ")));
  const add = (path: string, from: string): void => {
    if (paths.has(path) && !found.has(path)) found.set(path, from);
  };
  return {
    take(item: SourceItem): void {
      const { key } = item.page;
      if (item.type === "known")
        for (const one of kept.get(` (from ${key})`) ?? []) add(one.slice(0, one.indexOf(" (from ")), key);
      if (item.type !== "page" || paths.size === 0) return;
      for (const [, markdown, html] of Buffer.from(item.bytes).toString().matchAll(links)) {
        const link = markdown ?? html ?? "";
        add(posix.join(link.startsWith("/") ? "." : posix.dirname(key), link), key);
      }
    },
    /** A sentence that names them; empty without any. */
    notes(): readonly string[] {
      const named = [...found].slice(0, maxNamed).map(([path, from]) => `${path} (from ${from})`);
      return named.length === 0 ? [] : [`${before}${named.join(separator)}${after}`];
    },
  };
}
