import type { Heads } from "./heads.ts";
import type { Found } from "./state.ts";
import { leftUnasked, visit } from "./visit.ts";
import type { Visited, Visiting } from "./visit.ts";

/** Number of pages missing from the list that are asked for; if none of them is there, the list is believed. */
const maxAsked = 100;

/**
 * Visits what was found. Of pages that were there before, and that a whole list of what is shared lacks, only some are asked why: after
 * a mass loss that would be thousands of requests, at three a second. As soon as one of them is there after all, each is asked for.
 */
export function createDoubts(heads: Heads, visiting: Visiting): (found: Found) => Promise<Visited | "later"> {
  let gone = 0;
  let isListRight = true;
  return async (found) => {
    if (found.why !== "earlier" || !heads.lacks(found.id)) return visit(found, visiting);
    if (gone >= maxAsked && isListRight) return leftUnasked(found);
    const visited = await visit(found, visiting);
    if (visited === "later") return visited;
    if (visited.item.type === "skipped") gone += 1;
    else if (visited.item.type !== "failed") isListRight = false;
    return visited;
  };
}
