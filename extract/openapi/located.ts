import type { Version } from "./parse.ts";
import { encoded, toText } from "./values.ts";
import { escaped, type Json, objectOf } from "../json.ts";

/** A description: the submitted file, and those that it refers to. */
export interface Description {
  /** Name of the submitted file: its address, or the name of an uploaded one. */
  readonly root: string;
  /** Address that it came from, after redirects, which its relative references and servers are resolved against; the name of an uploaded file. */
  readonly base: string;
  /** The parsed files by address without fragment, or by name. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly version: Version;
}

/** A value of a description, and its place. */
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

/** The value below a path of keys. */
export function below({ value, file, pointer }: Located, ...keys: readonly (string | number)[]): Located {
  let child = value;
  for (const key of keys) {
    const hasKey = typeof child === "object" && child !== null && Object.hasOwn(child, key);
    child = hasKey ? (child as Record<string, unknown>)[key] : undefined;
  }
  return { value: child, file, pointer: [pointer, ...keys.map((key) => escaped(String(key)))].join("/") };
}

/** The entries of an object with their places; empty for any other value. */
export function entriesOf(at: Located): [string, Located][] {
  return Object.keys(objectOf(at.value))
    .filter((key) => key !== "__proto__")
    .map((key) => [key, below(at, key)]);
}

/** The entries of an object without extensions (`x-`). */
export function withoutExtensions(at: Located): [string, Located][] {
  return entriesOf(at).filter(([key]) => !key.startsWith("x-"));
}

/** The items of an array with their places; empty for any other value. */
export function itemsOf(at: Located): Located[] {
  return Array.isArray(at.value) ? at.value.map((_, index) => below(at, index)) : [];
}

/** The texts in an array. */
export function textsOf(at: Located): string[] {
  return itemsOf(at)
    .map(({ value }) => toText(value))
    .filter((text) => text !== "");
}

/** Keywords whose values are data, not parts of the description. */
const data = new Set(["example", "default", "enum", "const", "value", "dataValue", "mapping", "scopes"]);
/** Keywords whose values are maps with names as keys. */
const maps = new Set(
  "properties patternProperties schemas definitions $defs dependentSchemas responses parameters headers requestBodies callbacks webhooks pathItems paths links examples securitySchemes securityDefinitions content mediaTypes encoding".split(
    " ",
  ),
);

/**
 * Calls `visit` for each object of a file whose keys are keywords, with its JSON pointer, but not for maps, nor inside examples,
 * defaults or extensions. Values that YAML aliases share are visited once.
 */
export function walk(root: unknown, visit: (object: Json, pointer: () => string) => void): void {
  const visited = new Set<object>();
  const enter = (value: unknown, pointer: () => string, isMap: boolean): void => {
    if (typeof value !== "object" || value === null || visited.has(value)) return;
    visited.add(value);
    const isList = Array.isArray(value);
    if (!isList && !isMap) visit(value as Json, pointer);
    for (const [key, child] of Object.entries(value) as [string, unknown][]) {
      if (!isList && !isMap && (data.has(key) || key.startsWith("x-"))) continue;
      if (key === "examples" && Array.isArray(child)) continue;
      enter(child, () => `${pointer()}/${escaped(key)}`, !isList && !isMap && maps.has(key));
    }
  };
  enter(root, () => "", false);
}

/** Address of a place: its file's, `#`, and the pointer as a fragment (RFC 6901, section 6). */
export function addressOf({ file, pointer }: Pick<Located, "file" | "pointer">): string {
  const path = treePath(file) ?? (URL.canParse(file) ? undefined : file);
  const name = path === undefined ? file : path.split("/").map(encoded).join("/");
  return `${name}#${pointer.split("/").map(encoded).join("/")}`;
}

/** Address of the file that a reference leads to, without fragment; null for a relative reference in a file without address. */
export function resolveAddress(ref: string, file: string): string | null {
  const url = URL.canParse(file) ? URL.parse(ref, file) : URL.parse(ref);
  if (url === null) return null;
  url.hash = "";
  return url.href;
}

/** Scheme of the addresses of a tree's files, with which references between them are resolved like URLs. */
const treeScheme = "tree:/";

/** Address of the file at a path of a tree. */
export function treeAddress(path: string): string {
  return `${treeScheme}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Path of the file at an address of a tree; undefined for any other address, and for a path that leaves the tree. */
export function treePath(address: string): string | undefined {
  if (!address.startsWith(treeScheme)) return undefined;
  try {
    const steps = address.slice(treeScheme.length).split("/").map(decodeURIComponent);
    return steps.every((step) => !/^\.{0,2}$|[/\\]/.test(step)) ? steps.join("/") : undefined;
  } catch {
    return undefined;
  }
}
