import { toArray, toObject } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** An alternative as far as it is compared with others: its own keywords, and the properties that it has in all. */
export interface Alternative {
  readonly type: string;
  readonly properties: ReadonlyMap<string, { readonly value: unknown; readonly required: boolean }>;
  readonly isClosed: boolean;
}

/**
 * The place of the first alternative whose values are of no other one, where exactly one may fit: a value of it lacks what each of the
 * others requires, has what they do not allow, or says another word in a field. The first place where there is none such.
 */
export function clearestOf(alternatives: readonly (Alternative | undefined)[]): number {
  const clear = alternatives.findIndex(
    (one, at) =>
      one !== undefined &&
      alternatives.every((other, place) => place === at || other === undefined || !mayBe(one, other)),
  );
  return Math.max(clear, 0);
}

/** Whether a value with all the properties of one alternative is one of another. */
function mayBe(one: Alternative, other: Alternative): boolean {
  if (one.type !== other.type && other.type !== "" && one.type !== "") return false;
  if (one.type !== "object" || other.type !== "object") return one.type === other.type;
  for (const [name, { required }] of other.properties) if (required && !one.properties.has(name)) return false;
  for (const [name, { value }] of one.properties) {
    const there = other.properties.get(name);
    if (there === undefined ? other.isClosed : differ(toObject(value), toObject(there.value))) return false;
  }
  return true;
}

/** Whether no value is of both, as far as their own words say. */
function differ(one: JsonObject, other: JsonObject): boolean {
  const [own, others] = [wordsOf(one), wordsOf(other)];
  if (own !== undefined && others !== undefined) return !own.some((word) => others.includes(word));
  const [type, otherType] = [one["type"], other["type"]];
  return typeof type === "string" && typeof otherType === "string" && type !== otherType;
}

function wordsOf({ const: only, enum: values }: JsonObject): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return values === undefined ? undefined : toArray(values);
}
