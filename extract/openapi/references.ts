import { resolveAddress, below, walk } from "./located.ts";
import type { Description, Located } from "./located.ts";
import { isObject, rememberedPer, toObject } from "./values.ts";
import type { JsonObject } from "./values.ts";
import { parseFile, versionOf } from "./parse.ts";
import type { Version } from "./parse.ts";

/** Maximum number of schemas in a file that share a name and are told apart. */
const maxSameName = 1000;

type Anchors = ReadonlyMap<string, readonly Located[]>;

/** The anchors of each file, as a file with anchors has many references to them. */
const anchorsByFile = rememberedPer(() => new Map<string, Anchors>());

/** The schemas of a file that have names (`$anchor`, `$dynamicAnchor`), each with its place, in the order of the file. */
function anchorsOf(description: Description, file: string): Anchors {
  const files = anchorsByFile(description);
  const anchors = files.get(file) ?? findAnchors(description.files.get(file), file);
  files.set(file, anchors);
  return anchors;
}

function findAnchors(root: unknown, file: string): Anchors {
  const found = new Map<string, Located[]>();
  walk(root, (value, pointer) => {
    for (const name of [value["$anchor"], value["$dynamicAnchor"]]) {
      if (typeof name !== "string") continue;
      const same = found.get(name) ?? [];
      found.set(name, same);
      if (same.length < maxSameName) same.push({ value, file, pointer: pointer() });
    }
  });
  return found;
}

/** Of several schemas of one name the one nearest to a pointer. */
function nearest(found: readonly Located[], from: string): Located | undefined {
  let [best, most] = [found[0], -1];
  for (const one of found) {
    const shared = countShared(one.pointer, from);
    if (shared > most) [best, most] = [one, shared];
  }
  return best;
}

/** How many keys two pointers have in common from the beginning. */
function countShared(one: string, other: string): number {
  const others = other.split("/");
  const keys = one.split("/");
  const differs = keys.findIndex((key, at) => key !== others[at]);
  return differs < 0 ? keys.length : differs;
}

/**
 * The target of a `$dynamicRef` that is reached through these schemas, outermost first: the first of them, or of their definitions,
 * with the anchor (JSON Schema 2020-12, 8.2.3.2). The place itself for anything else, and where none has it.
 */
export function inScope<Place extends { readonly value: unknown }>(place: Place, scope: readonly object[]): Place {
  const ref = isObject(place.value) ? place.value["$dynamicRef"] : undefined;
  if (typeof ref !== "string" || !ref.startsWith("#")) return place;
  const isMeant = (value: unknown): boolean => isObject(value) && value["$dynamicAnchor"] === ref.slice(1);
  const found = scope.flatMap((one) => [one, ...Object.values(toObject(toObject(one)["$defs"]))]).find(isMeant);
  return found === undefined ? place : { ...place, value: found };
}

/** What a value is once its references are followed. */
export interface Followed extends Located {
  /** The value as it stands at its place, without what is said beside the references to it. */
  readonly origin: unknown;
}

/** Maximum number of references to references that are followed. */
const maxHops = 30;

/**
 * What a value is, following its `$ref` to whatever file that is in. Summary and description beside the reference come before
 * those behind it, as do all keywords beside it since 3.1. Undefined where nothing is there, or the references are circular.
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

/** The reference that a value is; a `$dynamicRef` counts as one to the nearest anchor. Undefined for any other value. */
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

/** Keywords beside a reference that count. */
function besides({ $ref: _ref, $dynamicRef: _dynamic, ...others }: JsonObject, version: Version): JsonObject {
  if (version === "3.1" || version === "3.2") return others;
  const { summary, description } = others;
  return { ...(summary !== undefined && { summary }), ...(description !== undefined && { description }) };
}

/** Targets that were looked up, as the same is referred to hundreds of times, and references within files that lead to nothing. */
const lookedUp = rememberedPer(() => ({ targets: new Map<string, Located | undefined>(), broken: new Set<string>() }));

function targetOf(description: Description, from: Located, ref: string): Located | undefined {
  const { targets, broken } = lookedUp(description);
  // Which of several anchors of one name is meant depends on where it is referred to.
  const key = `${from.file} ${ref}${/#[^/]/.test(ref) ? ` ${from.pointer}` : ""}`;
  const target = targets.has(key) ? targets.get(key) : findTarget(description, from, ref);
  targets.set(key, target);
  if (target?.value === undefined && ref.startsWith("#")) broken.add(ref);
  return target;
}

/** References within files that were followed and lead to nothing, as they are written. */
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
    const found = anchorsOf(description, name).get(pointer) ?? [];
    return nearest(found, name === from.file ? from.pointer : "");
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
    // A percent sign that is one.
    if (error instanceof URIError) return token;
    throw error;
  }
}

/** A reference to another file. */
export interface FileReference {
  /** As it is written, or the beginning of that. */
  readonly ref: string;
  /** JSON pointer to the object that has it, or the beginning of that. */
  readonly pointer: string;
  /** Address of the file that it leads to, without a fragment; null where it leads to none. */
  readonly url: string | null;
}

/** A file whose references are wanted. */
export interface ReferringFile {
  /** What messages call it. */
  readonly name: string;
  /** What its relative references are relative to; for a file without an address its name. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** True for the submitted file, which has to be a description. */
  readonly isRoot: boolean;
}

/** Maximum number of files that one file refers to. */
const maxReferred = 1000;
/** Maximum length of a reference and of its place as they are reported, and of an address that is followed, in characters. */
const maxText = 300;
const maxAddress = 2000;

/**
 * The files that one file of a description refers to, each by the first reference to it, in positions where a reference is one: not in
 * examples, defaults, or extensions. At most `maxReferred`.
 * @throws Failure source_invalid for a file that cannot be parsed, or is no description
 */
export function findFileReferences({ name, address, bytes, isRoot }: ReferringFile): FileReference[] {
  const root = parseFile(bytes, name);
  if (isRoot) versionOf(root, name);
  const found = new Map<string, FileReference>();
  walk(root, (object, pointer) => {
    const ref = refOf(object);
    if (ref === undefined || ref.startsWith("#") || found.size >= maxReferred) return;
    const written = ref.slice(0, maxText);
    const url = ref.length > maxAddress ? null : resolveAddress(ref, address);
    const key = url ?? ` ${written}`;
    if (url !== address && !found.has(key))
      found.set(key, { ref: written, pointer: `#${pointer()}`.slice(0, maxText), url });
  });
  return [...found.values()];
}
