import { escaped } from "./parse.ts";
import { toObject, toText } from "./values.ts";
import type { Version } from "./version.ts";

/** A description: the file that was submitted, and those that it refers to. */
export interface Description {
  /** Name of the submitted file: its address, or the name of an uploaded one. */
  readonly root: string;
  /** Address that it came from, after redirects: what its relative references and servers are relative to. The name of an uploaded one. */
  readonly base: string;
  /** What each file says, by its address without a fragment, or its name. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly version: Version;
}

/** A value of a description, and where it stands. */
export interface Located {
  readonly value: unknown;
  /** Name of the file. */
  readonly file: string;
  /** JSON pointer (RFC 6901) within the file, "" for all of it. */
  readonly pointer: string;
}

/** The submitted file. */
export function rootOf({ root, files }: Description): Located {
  return { value: files.get(root), file: root, pointer: "" };
}

/** The value below a key. */
export function below({ value, file, pointer }: Located, ...keys: readonly (string | number)[]): Located {
  let found = value;
  let place = pointer;
  for (const key of keys) {
    found = typeof found === "object" && found !== null && Object.hasOwn(found, key) ? get(found, key) : undefined;
    place += `/${escaped(String(key))}`;
  }
  return { value: found, file, pointer: place };
}

/** The entries of an object, each with its place; none of any other value. */
export function entriesOf(at: Located): [string, Located][] {
  return Object.keys(toObject(at.value))
    .filter((key) => key !== "__proto__")
    .map((key) => [key, below(at, key)]);
}

/** The entries of an object without extensions (`x-`), as paths, responses and callbacks may have. */
export function withoutExtensions(at: Located): [string, Located][] {
  return entriesOf(at).filter(([key]) => !key.startsWith("x-"));
}

/** The items of an array, each with its place; none of any other value. */
export function itemsOf(at: Located): Located[] {
  return Array.isArray(at.value) ? at.value.map((_, index) => below(at, index)) : [];
}

/** The texts of an array. */
export function textsOf(at: Located): string[] {
  return itemsOf(at)
    .map(({ value }) => toText(value))
    .filter((text) => text !== "");
}

function get(value: object, key: string | number): unknown {
  return (value as Record<string, unknown>)[key];
}
