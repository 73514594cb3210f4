import { decodePage } from "./decode.ts";
import { whyRefused } from "./includes/allowed.ts";
import { mayInclude } from "./includes/paths.ts";
import { scan } from "./includes/scan.ts";
import { readVariables, variablePlaces } from "./includes/variables.ts";
import type { ValueOf } from "./markdown/variables.ts";

import type { IncludableFiles } from "./includes/expand.ts";

export { expand } from "./includes/expand.ts";
export type { IncludableFiles } from "./includes/expand.ts";
export { mayInclude } from "./includes/paths.ts";
export { includeLimits } from "./includes/budget.ts";

/** A file that a page includes. */
export interface IncludeRef {
  /** Paths in the tree where it may lie, the best first: the first one that is there is meant. None climbs out of the tree. */
  readonly places: readonly string[];
}

/** What a page, or a file that a page includes, includes itself, and what says what names in it stand for. Pure and linear; [] for what is no text. */
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
  const values = variablePlaces(path, decoded.text);
  if (values.length > 0) refs.set(values.join("\n"), { places: values });
  return [...refs.values()];
}

/** What the repository says of the names that a page has in double braces. */
export function valuesOf(path: string, source: string, files: IncludableFiles): ValueOf {
  const place = variablePlaces(path, source).find((one) => files.get(one) instanceof Uint8Array);
  const bytes = place === undefined ? undefined : files.get(place);
  return place !== undefined && bytes instanceof Uint8Array ? readVariables(place, bytes) : () => undefined;
}

/** True for a path that documentation may include, whatever is there. */
export function isIncludable(path: string): boolean {
  return whyRefused(path) === undefined;
}
