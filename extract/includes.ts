import { decodePage } from "./decode.ts";
import { whyRefused } from "./includes/allowed.ts";
import { isPage } from "./includes/paths.ts";
import { scan } from "./includes/scan.ts";

export { expand } from "./includes/expand.ts";
export type { IncludableFiles } from "./includes/expand.ts";
export { includeLimits } from "./includes/budget.ts";

/** A file that a page includes. */
export interface IncludeRef {
  /** Paths in the tree where it may lie, the best first: the first one that is there is meant. None climbs out of the tree. */
  readonly places: readonly string[];
}

/** What a page, or a file that a page includes, includes itself. Pure and linear; [] for what is no text. */
export function includesOf({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): IncludeRef[] {
  if (!mayInclude(path)) return [];
  const decoded = decodePage(bytes);
  if ("code" in decoded) return [];
  const refs = new Map<string, IncludeRef>();
  for (const { includes } of scan(path, decoded.text)?.directives ?? []) {
    for (const { places } of includes) {
      const readable = places.filter(isIncludable);
      if (readable.length > 0) refs.set(readable.join("\n"), { places: readable });
    }
  }
  return [...refs.values()];
}

/** True for a path that documentation may include, whatever is there. */
export function isIncludable(path: string): boolean {
  return whyRefused(path) === undefined;
}

/** True for a path whose content can include more; anything else is included as it is. */
export function mayInclude(path: string): boolean {
  return isPage(path);
}
