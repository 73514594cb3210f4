import { isObject } from "../json.ts";

/** The trimmed text, else "". Wrong values in a description are left out, not errors. Numbers are text too, as versions are often numbers in YAML. */
export function toText(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim() : "";
}

/** The texts among values, each once, joined. */
export function joined(values: readonly unknown[], separator = "\n\n"): string {
  return [...new Set(values.map(toText))].filter((text) => text !== "").join(separator);
}

/** A text as part of an address. Lone surrogates, which escapes in JSON may produce, are replaced. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A copy of a value with at most `maxValues` values in it; undefined for a larger one. */
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

/** A cache per description, created on first use and dropped with the description. */
export function cachedPer<Cache>(create: () => Cache): (description: object) => Cache {
  const caches = new WeakMap<object, Cache>();
  return (description) => {
    const cache = caches.get(description) ?? create();
    caches.set(description, cache);
    return cache;
  };
}
