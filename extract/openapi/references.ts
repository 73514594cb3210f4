import { escaped } from "./parse.ts";
import type { Version } from "./version.ts";
import { anchorsOf, nearest } from "./anchors.ts";
import { isObject, toObject } from "./values.ts";
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

/** What a value is once its references are followed. */
export interface Followed extends Located {
  /** The value as it stands at its place, without what is said beside the references to it. */
  readonly origin: unknown;
}

/** References that follow each other without anything else between them. */
const maxHops = 30;

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

/** The entries of an object, each with its place; none of what is no object. */
export function entriesOf(at: Located): [string, Located][] {
  return Object.keys(toObject(at.value))
    .filter((key) => key !== "__proto__")
    .map((key) => [key, below(at, key)]);
}

/** The same of an object that may have extensions (`x-`) among its entries, without these: paths, responses, callbacks. */
export function withoutExtensions(at: Located): [string, Located][] {
  return entriesOf(at).filter(([key]) => !key.startsWith("x-"));
}

/** The items of an array, each with its place; none of what is no array. */
export function itemsOf(at: Located): Located[] {
  return Array.isArray(at.value) ? at.value.map((_, index) => below(at, index)) : [];
}

/**
 * What a value is, following its `$ref` to whatever file that is in. Summary and description beside the reference come before
 * those behind it, as do all keywords beside it since 3.1. Undefined where nothing is there, or the references form a circle.
 */
export function follow(description: Description, at: Located): Followed | undefined {
  let here = at;
  let beside: JsonObject = {};
  for (let hops = 0; hops < maxHops; hops++) {
    if (here.value === undefined) return undefined;
    const ref = refOf(here.value);
    if (ref === undefined) {
      const { value } = here;
      const isBare = Object.keys(beside).length === 0 || !isObject(value);
      return { ...here, value: isBare ? value : { ...value, ...beside }, origin: value };
    }
    beside = { ...besides(toObject(here.value), description.version), ...beside };
    const target = targetOf(description, here, ref);
    if (target === undefined) return undefined;
    here = target;
  }
  return undefined;
}

/** The reference that a value is, `$dynamicRef` among them, which is taken for one to the anchor next to it; undefined for any other value. */
export function refOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { $ref, $dynamicRef } = value;
  if (typeof $ref === "string") return $ref;
  return typeof $dynamicRef === "string" ? $dynamicRef : undefined;
}

/** Name of what a reference refers to, as people know it: the last key of its pointer, or its file's name. */
export function nameOf(ref: string): string {
  const [file = "", pointer = ""] = ref.split("#");
  const last = pointer.split("/").at(-1) ?? "";
  return last === "" ? (file.split("/").at(-1) ?? "").replace(/\.\w+$/, "") : unescaped(last);
}

function get(value: object, key: string | number): unknown {
  return (value as Record<string, unknown>)[key];
}

/** Keywords beside a reference that count. */
function besides({ $ref: _ref, $dynamicRef: _dynamic, ...others }: JsonObject, version: Version): JsonObject {
  if (version === "3.1" || version === "3.2") return others;
  const { summary, description } = others;
  return { ...(summary !== undefined && { summary }), ...(description !== undefined && { description }) };
}

/** Targets of references by their files: the same is referred to hundreds of times. */
const knownTargets = new WeakMap<Description, Map<string, Located | undefined>>();

function targetOf(description: Description, { file, pointer }: Located, ref: string): Located | undefined {
  const known = knownTargets.get(description) ?? new Map<string, Located | undefined>();
  knownTargets.set(description, known);
  // Which of several anchors of one name is meant depends on where it is referred to.
  const key = `${file} ${ref}${isNamed(ref) ? ` ${pointer}` : ""}`;
  const target = known.has(key) ? known.get(key) : findTarget(description, { file, pointer }, ref);
  known.set(key, target);
  return target;
}

/** Whether a reference is to an anchor: it names a schema rather than the way to it. */
function isNamed(ref: string): boolean {
  return /#[^/]/.test(ref);
}

/** References within files that were followed and lead to nothing, as they are written. */
export function brokenReferences(description: Description): readonly string[] {
  const targets = [...(knownTargets.get(description) ?? [])].filter(([, target]) => target?.value === undefined);
  return [
    ...new Set(targets.flatMap(([key]) => (key.includes(" #") ? [refIn(key.slice(key.indexOf(" #") + 1))] : []))),
  ];
}

/** The reference that a key begins with. */
function refIn(key: string): string {
  return isNamed(key) ? (key.split(" ")[0] ?? key) : key;
}

type From = Pick<Located, "file" | "pointer">;

function findTarget(description: Description, { file, pointer: from }: From, ref: string): Located | undefined {
  const { files, root, base } = description;
  const hash = ref.indexOf("#");
  const address = hash === 0 ? file : addressOf(ref, file === root ? base : file);
  const name = address === base ? root : address;
  const pointer = hash < 0 ? "" : ref.slice(hash + 1);
  if (name === null) return undefined;
  if (pointer !== "" && !pointer.startsWith("/")) {
    const found = anchorsOf(description, name).get(pointer) ?? [];
    return nearest(found, name === file ? from : "");
  }
  const keys = pointer.split("/").slice(1).map(unescaped);
  return below({ value: files.get(name), file: name, pointer: "" }, ...keys);
}

/** Address of the file that a reference leads to, without its fragment; null if that is relative, and its own file has no address. */
export function addressOf(ref: string, file: string): string | null {
  const url = URL.canParse(file) ? URL.parse(ref, file) : URL.parse(ref);
  if (url === null) return null;
  url.hash = "";
  return url.href;
}

function unescaped(token: string): string {
  const plain = /%[0-9a-f]{2}/i.test(token) ? decoded(token) : token;
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch (error) {
    // A percent sign that is one.
    if (error instanceof URIError) return token;
    throw error;
  }
}
