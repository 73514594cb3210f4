import type { FlatSchema } from "./merged-schema.ts";
import { isObject, toText } from "./values.ts";

/** How descriptions of fields begin that lack `readOnly` and mean it: "[Output Only] …", "Read-only. …". */
const readOnlyInWords = /^[[(*_]{0,3}(?:read[- ]?only|output[- ]only)\b/i;
/** Names of timestamps that a server sets. */
const timestamps =
  /^(?:created|updated|modified|creation|modification|last_?modified|last_?updated)_?(?:on|at|date|time|timestamp)$/i;
/** Names of fields that a server assigns to what it stores. */
const identities: ReadonlySet<string> = new Set(["id", "uuid", "links", "_links", "selflink"]);

/**
 * The fields of an object that only the server sets, though their schemas lack `readOnly`: by the first words of their descriptions,
 * or by their names. An id counts only in the object that a request is about (`isSubject`), and only if the server stores that: it has a
 * field of the other kinds, or a `readOnly` one. Elsewhere an id refers to something that the caller chooses.
 */
export function serverSetOf(
  { name: schemaName, properties }: Pick<FlatSchema, "name"> & { readonly properties: ReadonlyMap<string, Valued> },
  isSubject: boolean,
): ReadonlySet<string> {
  const all = [...properties].map(([name, { value }]) => ({ name, schema: isObject(value) ? value : {} }));
  const found = all.filter(
    ({ name, schema: { description, type } }) =>
      readOnlyInWords.test(toText(description)) ||
      (timestamps.test(name) && [type].flat().some((one) => one === "string" || one === "integer")),
  );
  const isKept = found.length > 0 || all.some(({ schema }) => schema["readOnly"] === true);
  const own = `${folded(schemaName)}id`;
  const given =
    isSubject && isKept ? all.filter(({ name }) => identities.has(name.toLowerCase()) || folded(name) === own) : [];
  return new Set([...found, ...given].map(({ name }) => name));
}

interface Valued {
  readonly value: unknown;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
