import { createHash } from "node:crypto";
import type { LibrarySettings } from "../domain/source.ts";

/**
 * The content hash of a generation: that of its snippets, and of what the library says of itself where it says
 * anything, so that a change of nothing else is a change.
 */
export function hashContent(snippets: string, settings: LibrarySettings | undefined): string {
  if (settings === undefined) return snippets;
  const { title, description, rules, versions } = settings;
  const offered = versions?.map(({ ref, kind, title: name }) => [ref, kind, name]);
  return createHash("sha256")
    .update(snippets)
    .update(JSON.stringify([title, description, rules, offered]))
    .digest("hex");
}
