import type { FlatSchema } from "./merged-schema.ts";
import { toArray, toObject } from "./values.ts";
import type { JsonObject } from "./values.ts";

/**
 * Index of the first alternative whose values fit no other one, where exactly one may fit: a value of it lacks what each of the
 * others requires, has what they do not allow, or has another fixed value in a field. 0 where there is none.
 */
export function unambiguousOf(alternatives: readonly (FlatSchema | undefined)[]): number {
  const found = alternatives.findIndex(
    (one, at) => one !== undefined && !alternatives.some((other, index) => index !== at && other && mayFit(one, other)),
  );
  return Math.max(found, 0);
}

/** Whether a value with all the properties of one alternative fits another. */
function mayFit(one: FlatSchema, other: FlatSchema): boolean {
  if (one.type !== other.type && other.type !== "" && one.type !== "") return false;
  if (one.type !== "object" || other.type !== "object") return one.type === other.type;
  for (const [name, { required }] of other.properties) if (required && !one.properties.has(name)) return false;
  for (const [name, { value }] of one.properties) {
    const there = other.properties.get(name);
    if (there === undefined ? other.isClosed : exclude(toObject(value), toObject(there.value))) return false;
  }
  return true;
}

/** Whether no value fits both, by their fixed values or types. */
function exclude(one: JsonObject, other: JsonObject): boolean {
  const [own, others] = [fixedValues(one), fixedValues(other)];
  if (own !== undefined && others !== undefined) return !own.some((value) => others.includes(value));
  const [type, otherType] = [one["type"], other["type"]];
  return typeof type === "string" && typeof otherType === "string" && type !== otherType;
}

function fixedValues({ const: only, enum: values }: JsonObject): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return values === undefined ? undefined : toArray(values);
}
