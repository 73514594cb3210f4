/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object of JSON that is no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one: what a description has wrong is left out, never an error. */
export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value if it is an array, else an empty one. */
export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is text, without blanks around it, else "". Numbers are text too: versions are often written as such. */
export function toText(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim() : "";
}

/** A copy of a value that has at most `maxValues` values in it; undefined for a larger one, or for one that is no JSON. */
export function bounded(value: unknown, maxValues: number): unknown {
  let left = maxValues;
  const copy = (one: unknown): unknown => {
    if (--left < 0) return undefined;
    if (Array.isArray(one)) return one.map(copy);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, child]) => [key, copy(child)]));
  };
  const copied = copy(value);
  return left < 0 ? undefined : copied;
}

/** What is remembered of each description while it is read: created when it is first asked for, and dropped with the description. */
export function rememberedPer<Memory>(create: () => Memory): (description: object) => Memory {
  const memories = new WeakMap<object, Memory>();
  return (description) => {
    const memory = memories.get(description) ?? create();
    memories.set(description, memory);
    return memory;
  };
}
