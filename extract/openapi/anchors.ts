import type { Description, Located } from "./located.ts";
import { isObject, rememberedPer, toObject } from "./values.ts";
import { walk } from "./walk.ts";

/** Maximum number of schemas in a file that share a name and are told apart. */
const maxSameName = 1000;

type Anchors = ReadonlyMap<string, readonly Located[]>;

/** The anchors of each file, as a file with anchors has many references to them. */
const anchorsByFile = rememberedPer(() => new Map<string, Anchors>());

/** The schemas of a file that have names (`$anchor`, `$dynamicAnchor`), each with its place, in the order of the file. */
export function anchorsOf(description: Description, file: string): Anchors {
  const files = anchorsByFile(description);
  const anchors = files.get(file) ?? findAnchors(description.files.get(file), file);
  files.set(file, anchors);
  return anchors;
}

function findAnchors(root: unknown, file: string): Anchors {
  const found = new Map<string, Located[]>();
  walk(root, (value, pointer) => {
    for (const name of [value["$anchor"], value["$dynamicAnchor"]]) {
      if (typeof name !== "string") continue;
      const same = found.get(name) ?? [];
      found.set(name, same);
      if (same.length < maxSameName) same.push({ value, file, pointer: pointer() });
    }
  });
  return found;
}

/** Of several schemas of one name the one nearest to a pointer. */
export function nearest(found: readonly Located[], from: string): Located | undefined {
  let [best, most] = [found[0], -1];
  for (const one of found) {
    const shared = countShared(one.pointer, from);
    if (shared > most) [best, most] = [one, shared];
  }
  return best;
}

/** How many keys two pointers have in common from the beginning. */
function countShared(one: string, other: string): number {
  const others = other.split("/");
  const keys = one.split("/");
  const differs = keys.findIndex((key, at) => key !== others[at]);
  return differs < 0 ? keys.length : differs;
}

/**
 * The target of a `$dynamicRef` that is reached through these schemas, outermost first: the first of them, or of their definitions,
 * with the anchor (JSON Schema 2020-12, 8.2.3.2). The place itself for anything else, and where none has it.
 */
export function inScope<Place extends { readonly value: unknown }>(place: Place, scope: readonly object[]): Place {
  const ref = isObject(place.value) ? place.value["$dynamicRef"] : undefined;
  if (typeof ref !== "string" || !ref.startsWith("#")) return place;
  const isMeant = (value: unknown): boolean => isObject(value) && value["$dynamicAnchor"] === ref.slice(1);
  const found = scope.flatMap((one) => [one, ...Object.values(toObject(toObject(one)["$defs"]))]).find(isMeant);
  return found === undefined ? place : { ...place, value: found };
}
