import { escaped } from "./parse.ts";
import type { Version } from "./version.ts";
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

/** A reference to another file. */
export interface ExternalReference {
  /** As it is written. */
  readonly ref: string;
  /** JSON pointer to the object that has it. */
  readonly pointer: string;
  /** Address of the file without its fragment; null if the reference is relative, and its own file has no address. */
  readonly url: string | null;
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
    const target = targetOf(description, here.file, ref);
    if (target === undefined) return undefined;
    here = target;
  }
  return undefined;
}

/** The reference that a value is; undefined for any other value. */
export function refOf(value: unknown): string | undefined {
  return isObject(value) && typeof value["$ref"] === "string" ? value["$ref"] : undefined;
}

/** Name of what a reference refers to, as people know it: the last key of its pointer, or its file's name. */
export function nameOf(ref: string): string {
  const [file = "", pointer = ""] = ref.split("#");
  const last = pointer.split("/").at(-1) ?? "";
  return last === "" ? (file.split("/").at(-1) ?? "").replace(/\.\w+$/, "") : unescaped(last);
}

/** References of a file to other files, in positions where a reference is one: not in examples, defaults, or extensions. */
export function externalReferences(root: unknown, file: string): ExternalReference[] {
  const found: ExternalReference[] = [];
  const seen = new Set<object>();
  const visit = (value: unknown, pointer: () => string, names: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, () => `${pointer()}/${index}`, false);
      return;
    }
    const ref = names ? undefined : refOf(value);
    if (ref !== undefined && !ref.startsWith("#")) found.push({ ref, pointer: pointer(), url: addressOf(ref, file) });
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== "object" || (!names && (data.has(key) || key.startsWith("x-")))) continue;
      if (key === "examples" && Array.isArray(child)) continue;
      visit(child, () => `${pointer()}/${escaped(key)}`, !names && named.has(key));
    }
  };
  visit(root, () => "#", false);
  return found;
}

/** Keywords below which there is data, and no description. */
const data = new Set(["example", "default", "enum", "const", "value", "dataValue", "mapping", "scopes"]);
/** Keywords whose keys are names that the description chooses. */
const named = new Set(
  "properties patternProperties schemas definitions $defs dependentSchemas responses parameters headers requestBodies callbacks webhooks pathItems paths links examples securitySchemes securityDefinitions content mediaTypes encoding".split(
    " ",
  ),
);

function get(value: object, key: string | number): unknown {
  return (value as Record<string, unknown>)[key];
}

/** Keywords beside a reference that count. */
function besides({ $ref: _ref, ...others }: JsonObject, version: Version): JsonObject {
  if (version === "3.1" || version === "3.2") return others;
  const { summary, description } = others;
  return { ...(summary !== undefined && { summary }), ...(description !== undefined && { description }) };
}

/** Targets of references by their files: the same is referred to hundreds of times. */
const knownTargets = new WeakMap<Description, Map<string, Located | undefined>>();

function targetOf(description: Description, file: string, ref: string): Located | undefined {
  const known = knownTargets.get(description) ?? new Map<string, Located | undefined>();
  knownTargets.set(description, known);
  const key = `${file} ${ref}`;
  const target = known.has(key) ? known.get(key) : findTarget(description, file, ref);
  known.set(key, target);
  return target;
}

function findTarget({ files, root, base }: Description, file: string, ref: string): Located | undefined {
  const hash = ref.indexOf("#");
  const address = hash === 0 ? file : addressOf(ref, file === root ? base : file);
  const name = address === base ? root : address;
  const pointer = hash < 0 ? "" : ref.slice(hash + 1);
  if (name === null || (pointer !== "" && !pointer.startsWith("/"))) return undefined;
  const keys = pointer.split("/").slice(1).map(unescaped);
  return below({ value: files.get(name), file: name, pointer: "" }, ...keys);
}

function addressOf(ref: string, file: string): string | null {
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
