import { resolveAddress, below, walk, type Description, type Located } from "./located.ts";
import { cachedPer } from "./values.ts";
import { parseFile, versionOf, type Version } from "./parse.ts";
import { isObject, type Json, objectOf } from "../json.ts";

/** Maximum number of schemas with the same anchor in a file. */
const maxSameName = 1000;

type Anchors = ReadonlyMap<string, readonly Located[]>;

/** Cached anchors of each file, as a file with anchors has many references to them. */
const anchorsByFile = cachedPer(() => new Map<string, Anchors>());

/** The schemas of a file by anchor (`$anchor`, `$dynamicAnchor`), in document order. */
function anchorsOf(description: Description, file: string): Anchors {
  const files = anchorsByFile(description);
  const anchors = files.get(file) ?? findAnchors(description.files.get(file), file);
  files.set(file, anchors);
  return anchors;
}

function findAnchors(root: unknown, file: string): Anchors {
  const anchors = new Map<string, Located[]>();
  walk(root, (value, pointer) => {
    for (const name of [value["$anchor"], value["$dynamicAnchor"]]) {
      if (typeof name !== "string") continue;
      const same = anchors.get(name) ?? [];
      anchors.set(name, same);
      if (same.length < maxSameName) same.push({ value, file, pointer: pointer() });
    }
  });
  return anchors;
}

/** The one of several schemas that is nearest to a pointer. */
function nearest(candidates: readonly Located[], from: string): Located | undefined {
  let [best, most] = [candidates[0], -1];
  for (const one of candidates) {
    const shared = countShared(one.pointer, from);
    if (shared > most) [best, most] = [one, shared];
  }
  return best;
}

/** The number of keys in the common beginning of two pointers. */
function countShared(one: string, other: string): number {
  const others = other.split("/");
  const keys = one.split("/");
  const differs = keys.findIndex((key, at) => key !== others[at]);
  return differs < 0 ? keys.length : differs;
}

/**
 * The target of a `$dynamicRef` inside the schemas `scope`, outermost first: the first of them, or of their definitions, with the
 * anchor (JSON Schema 2020-12, 8.2.3.2). The place itself if none has it, and for anything but a `$dynamicRef`.
 */
export function inScope<Place extends { readonly value: unknown }>(place: Place, scope: readonly object[]): Place {
  const ref = isObject(place.value) ? place.value["$dynamicRef"] : undefined;
  if (typeof ref !== "string" || !ref.startsWith("#")) return place;
  const hasAnchor = (value: unknown): boolean => isObject(value) && value["$dynamicAnchor"] === ref.slice(1);
  const target = scope.flatMap((one) => [one, ...Object.values(objectOf(objectOf(one)["$defs"]))]).find(hasAnchor);
  return target === undefined ? place : { ...place, value: target };
}

/** Maximum length of a chain of references. */
const maxHops = 30;

/**
 * Follows the `$ref` of a value, into other files too. Summary and description next to the reference have precedence over the
 * target's, and since 3.1 all keywords do. `origin` is the target without them. Undefined for a missing value and for circular references.
 */
export function follow(description: Description, at: Located): (Located & { readonly origin: unknown }) | undefined {
  let current = at;
  let siblings: Json = {};
  for (let hops = 0; hops < maxHops; hops++) {
    if (current.value === undefined) return undefined;
    const ref = refOf(current.value);
    if (ref === undefined) {
      const { value } = current;
      const isBare = Object.keys(siblings).length === 0 || !isObject(value);
      return { ...current, value: isBare ? value : { ...value, ...siblings }, origin: value };
    }
    siblings = { ...siblingsOf(objectOf(current.value), description.version), ...siblings };
    const target = targetOf(description, current, ref);
    if (target === undefined) return undefined;
    current = target;
  }
  return undefined;
}

/** The reference in a value; a `$dynamicRef` is read as one to the nearest anchor. Undefined for any other value. */
export function refOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { $ref, $dynamicRef } = value;
  if (typeof $ref === "string") return $ref;
  return typeof $dynamicRef === "string" ? $dynamicRef : undefined;
}

/** Name of a reference's target for readers: the last key of its pointer, or its file's name. */
export function nameOf(ref: string): string {
  const [file = "", pointer = ""] = ref.split("#");
  const last = pointer.split("/").at(-1) ?? "";
  return last === "" ? (file.split("/").at(-1) ?? "").replace(/\.\w+$/, "") : unescaped(last);
}

/** Keywords next to a reference that are significant. */
function siblingsOf({ $ref: _ref, $dynamicRef: _dynamic, ...others }: Json, version: Version): Json {
  if (version === "3.1" || version === "3.2") return others;
  const { summary, description } = others;
  return { ...(summary !== undefined && { summary }), ...(description !== undefined && { description }) };
}

/** Cached targets, as many are referred to hundreds of times, and broken references within files. */
const lookedUp = cachedPer(() => ({ targets: new Map<string, Located | undefined>(), broken: new Set<string>() }));

/** The target of a reference; undefined for a missing file or anchor. */
export function targetOf(description: Description, from: Located, ref: string): Located | undefined {
  const { targets, broken } = lookedUp(description);
  // The target among several anchors of one name depends on the place of the reference.
  const key = `${from.file} ${ref}${/#[^/]/.test(ref) ? ` ${from.pointer}` : ""}`;
  const target = targets.has(key) ? targets.get(key) : findTarget(description, from, ref);
  targets.set(key, target);
  if (target?.value === undefined && ref.startsWith("#")) broken.add(ref);
  return target;
}

/** Broken references within files, of those that were followed. */
export function brokenReferences(description: Description): readonly string[] {
  return [...lookedUp(description).broken];
}

function findTarget(description: Description, from: Located, ref: string): Located | undefined {
  const { files, root, base } = description;
  const hash = ref.indexOf("#");
  const address = hash === 0 ? from.file : resolveAddress(ref, from.file === root ? base : from.file);
  const name = address === base ? root : address;
  const pointer = hash < 0 ? "" : ref.slice(hash + 1);
  if (name === null) return undefined;
  if (pointer !== "" && !pointer.startsWith("/")) {
    const candidates = anchorsOf(description, name).get(pointer) ?? [];
    return nearest(candidates, name === from.file ? from.pointer : "");
  }
  const keys = pointer.split("/").slice(1).map(unescaped);
  return below({ value: files.get(name), file: name, pointer: "" }, ...keys);
}

function unescaped(token: string): string {
  const plain = /%[0-9a-f]{2}/i.test(token) ? decoded(token) : token;
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch (error) {
    // The percent sign is literal.
    if (error instanceof URIError) return token;
    throw error;
  }
}

/** A reference to another file. */
export interface FileReference {
  /** The raw reference, cut to `maxText`. */
  readonly ref: string;
  /** JSON pointer to its object, cut to `maxText`. */
  readonly pointer: string;
  /** Address of the file that it leads to, without fragment; null if it leads to none. */
  readonly url: string | null;
}

/** A file to search for references. */
export interface ReferringFile {
  /** Its name in messages. */
  readonly name: string;
  /** Address that relative references are resolved against; its name for a file without address. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** True for the submitted file, which has to be a description. */
  readonly isRoot: boolean;
}

/** Maximum number of files that one file refers to. */
const maxReferred = 1000;
/** Maximum length of a reported reference and pointer, and of an address that is followed, in characters. */
const maxText = 300;
const maxAddress = 2000;

/**
 * The first reference to each file that a file of a description refers to, except in examples, defaults and extensions. At most
 * `maxReferred`.
 * @throws Failure source_invalid for a file that cannot be parsed, or a submitted one that is not a description
 */
export function findFileReferences({ name, address, bytes, isRoot }: ReferringFile): FileReference[] {
  const root = parseFile(bytes, name);
  if (isRoot) versionOf(root, name);
  const references = new Map<string, FileReference>();
  walk(root, (object, pointer) => {
    const ref = refOf(object);
    if (ref === undefined || ref.startsWith("#") || references.size >= maxReferred) return;
    const shortRef = ref.slice(0, maxText);
    const url = ref.length > maxAddress ? null : resolveAddress(ref, address);
    const key = url ?? ` ${shortRef}`;
    if (url !== address && !references.has(key))
      references.set(key, { ref: shortRef, pointer: `#${pointer()}`.slice(0, maxText), url });
  });
  return [...references.values()];
}
