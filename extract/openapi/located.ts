import { escaped } from "./parse.ts";
import type { Version } from "./parse.ts";
import { toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

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

/** Keywords whose values are data, in which nothing is a part of the description. */
const data = new Set(["example", "default", "enum", "const", "value", "dataValue", "mapping", "scopes"]);
/** Keywords whose values are maps: their keys are names that the description chooses. */
const maps = new Set(
  "properties patternProperties schemas definitions $defs dependentSchemas responses parameters headers requestBodies callbacks webhooks pathItems paths links examples securitySchemes securityDefinitions content mediaTypes encoding".split(
    " ",
  ),
);

/**
 * Calls `visit` for each object of a file whose keys are keywords, with its JSON pointer: not for maps of names, and for nothing in
 * examples, defaults or extensions. What aliases of YAML share is visited once.
 */
export function walk(root: unknown, visit: (object: JsonObject, pointer: () => string) => void): void {
  const seen = new Set<object>();
  const enter = (value: unknown, pointer: () => string, isMap: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    const isList = Array.isArray(value);
    if (!isList && !isMap) visit(value as JsonObject, pointer);
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
  const name = path === undefined ? file : path.split("/").map(encodeURIComponent).join("/");
  return `${name}#${pointer.split("/").map(encodeURIComponent).join("/")}`;
}

/** Address of the file that a reference leads to, without its fragment; null if that is relative, and its own file has no address. */
export function resolveAddress(ref: string, file: string): string | null {
  const url = URL.canParse(file) ? URL.parse(ref, file) : URL.parse(ref);
  if (url === null) return null;
  url.hash = "";
  return url.href;
}

/** Files of a tree have addresses of an own scheme, so that references between them are resolved like URLs. */
const treeScheme = "tree:/";

/** Address of the file at a path of a tree. */
export function treeAddress(path: string): string {
  return `${treeScheme}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Path of the file at such an address; undefined for any other address, and for a path that leaves the tree. */
export function treePath(address: string): string | undefined {
  if (!address.startsWith(treeScheme)) return undefined;
  try {
    const steps = address.slice(treeScheme.length).split("/").map(decodeURIComponent);
    return steps.every((step) => !/^\.{0,2}$|[/\\]/.test(step)) ? steps.join("/") : undefined;
  } catch {
    return undefined;
  }
}
