import type { Heads } from "./heads.ts";
import type { Visited } from "./outcomes.ts";
import { leftUnasked } from "./outcomes.ts";
import type { Found } from "./progress.ts";
import { visit } from "./visit.ts";
import type { Visiting } from "./visit.ts";

/** Maximum number of pages missing from the list that are asked for, unless one of them is there after all. */
const maxAsked = 100;

/**
 * Creates `visit` with a cap on the pages of an earlier run that the complete list of shared pages lacks: after a mass loss each would take
 * a request, at three a second. Once one of them is there after all, the list is not trusted, and all are asked for.
 */
export function createCappedVisit(heads: Heads, visiting: Visiting): (found: Found) => Promise<Visited | "later"> {
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
