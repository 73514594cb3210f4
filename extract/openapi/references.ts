import { resolveAddress } from "./addresses.ts";
import { anchorsOf, nearest } from "./anchors.ts";
import { below } from "./located.ts";
import type { Description, Located } from "./located.ts";
import { isObject, rememberedPer, toObject } from "./values.ts";
import type { JsonObject } from "./values.ts";
import type { Version } from "./version.ts";

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
