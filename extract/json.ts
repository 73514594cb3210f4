/** An object of JSON, or of a format like it. Any field may be missing, or have another type than documented. */
export type Json = Readonly<Record<string, unknown>>;

/** Parses JSON; undefined if it is invalid. */
export function jsonOf(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True for an object that is not an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value if it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A key in the syntax of JSON pointers (RFC 6901). */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
