import type { Description, Located } from "./located.ts";
import { isPlainKeyword } from "./merged-schema.ts";
import { nameOf, refOf, targetOf } from "./references.ts";
import { cachedPer } from "./values.ts";
import { isObject, listOf, objectOf, type Json } from "../json.ts";

/** A schema that a reference names. */
export interface NamedSchema {
  readonly name: string;
  readonly at: Located;
  /** Keywords next to the reference. */
  readonly own: Json;
}

/** Maximum number of schemas that are measured inside each other. */
const maxNested = 40;
/** Maximum length of a chain of references. */
const maxHops = 30;

/** The schema that a reference leads to, also through wrappers that add only keywords without schemas; undefined for any other. */
export function namedSchema(description: Description, at: Located): NamedSchema | undefined {
  let [current, own, name]: [Located, Json, string] = [at, {}, ""];
  for (let hops = 0; hops < maxHops; hops++) {
    const value = objectOf(current.value);
    const { $ref: ref, ...siblings } = value;
    const others = Object.keys(typeof ref === "string" ? siblings : value);
    if (typeof ref === "string") {
      if (!others.every(isPlain)) return undefined;
      const target = targetOf(description, current, ref);
      if (target === undefined || !isObject(target.value)) return undefined;
      own = { ...siblings, ...own };
      [current, name] = [target, nameOf(ref)];
      if (Object.keys(target.value).length > 1 || refOf(target.value) === undefined) return { name, at: target, own };
      continue;
    }
    const wrappers = ["allOf", "oneOf", "anyOf"].filter((key) => value[key] !== undefined);
    const [key = ""] = wrappers;
    const parts = listOf(value[key]).filter((part) => objectOf(part)["type"] !== "null");
    if (wrappers.length !== 1 || parts.length !== 1 || !others.every((one) => one === key || isPlain(one)))
      return undefined;
    const { [key]: _parts, ...plain } = value;
    own = { ...plain, ...(parts.length < listOf(value[key]).length && { nullable: true }), ...own };
    current = { ...current, value: parts[0] };
  }
  return undefined;
}

function isPlain(key: string): boolean {
  return isPlainKeyword(key) || key.startsWith("x-") || key === "externalDocs";
}

interface Measured {
  readonly schema: NamedSchema;
  isPage: boolean;
  isOpen: boolean;
}

const measured = cachedPer(() => new Map<unknown, Measured>());
const nesting = cachedPer(() => ({ depth: 0 }));

/** The schemas that have pages of their own, as far as they are known; the list may grow while it is read. */
export function* schemaPages(description: Description): Generator<NamedSchema> {
  for (const { schema, isPage } of measured(description).values()) if (isPage) yield schema;
}

/** Gives a schema a page of its own. */
export function giveAPage(description: Description, schema: NamedSchema): void {
  measured(description).set(schema.at.value, { schema, isPage: true, isOpen: false });
}

/** Whether a schema has a page of its own: a large one, and one that contains itself. `isLarge` measures it. */
export function hasPage(description: Description, schema: NamedSchema, isLarge: () => boolean): boolean {
  const all = measured(description);
  const known = all.get(schema.at.value);
  if (known !== undefined) {
    // It contains itself if it is being measured.
    known.isPage ||= known.isOpen;
    return known.isPage;
  }
  const state = nesting(description);
  const entry: Measured = { schema, isPage: state.depth >= maxNested, isOpen: true };
  all.set(schema.at.value, entry);
  if (!entry.isPage) {
    state.depth += 1;
    const isPage = isLarge();
    entry.isPage ||= isPage;
    state.depth -= 1;
  }
  entry.isOpen = false;
  return entry.isPage;
}
