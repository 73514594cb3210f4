import { escaped } from "./parse.ts";
import { isObject, toObject } from "./values.ts";

/** The files of a description, parsed, by their names. */
interface Parsed {
  readonly files: ReadonlyMap<string, unknown>;
}

/** A schema that has a name, and where it stands. */
interface Named {
  readonly value: unknown;
  readonly file: string;
  readonly pointer: string;
}

/** Keys whose values are data, in which nothing is a schema. */
const data = new Set(["example", "examples", "default", "enum", "const", "value"]);
/** Maximum number of schemas of one name that are told apart in a file. */
const maxOfOne = 1000;

const known = new WeakMap<Parsed, Map<string, ReadonlyMap<string, readonly Named[]>>>();

/** The schemas of a file that have names (`$anchor`, `$dynamicAnchor`), each with its place, in the order of the file. */
export function anchorsOf(description: Parsed, file: string): ReadonlyMap<string, readonly Named[]> {
  const files = known.get(description) ?? new Map<string, ReadonlyMap<string, readonly Named[]>>();
  known.set(description, files);
  const anchors = files.get(file) ?? findAnchors(description.files.get(file), file);
  files.set(file, anchors);
  return anchors;
}

function findAnchors(root: unknown, file: string): ReadonlyMap<string, readonly Named[]> {
  const found = new Map<string, Named[]>();
  const seen = new Set<object>();
  const visit = (value: unknown, pointer: () => string): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    // Aliases of YAML share values.
    seen.add(value);
    for (const key of ["$anchor", "$dynamicAnchor"] as const) {
      const name = (value as Record<string, unknown>)[key];
      if (typeof name !== "string") continue;
      const same = found.get(name) ?? [];
      found.set(name, same);
      if (same.length < maxOfOne) same.push({ value, file, pointer: pointer() });
    }
    for (const [key, child] of Object.entries(value))
      if (!data.has(key)) visit(child, () => `${pointer()}/${escaped(key)}`);
  };
  visit(root, () => "");
  return found;
}

/** Of several schemas of one name the one that stands nearest to a place. */
export function nearest(found: readonly Named[], from: string): Named | undefined {
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
 * What a `$dynamicRef` means that stands in these schemas, from the outermost down: the first of them, or of their definitions, that
 * has the anchor (JSON Schema 2020-12, 8.2.3.2). The place itself for anything else, and where none has it.
 */
export function inScope<Place extends { readonly value: unknown }>(place: Place, scope: readonly object[]): Place {
  const ref = isObject(place.value) ? place.value["$dynamicRef"] : undefined;
  if (typeof ref !== "string" || !ref.startsWith("#")) return place;
  const isMeant = (value: unknown): boolean => isObject(value) && value["$dynamicAnchor"] === ref.slice(1);
  const found = scope.flatMap((one) => [one, ...Object.values(toObject(toObject(one)["$defs"]))]).find(isMeant);
  return found === undefined ? place : { ...place, value: found };
}
