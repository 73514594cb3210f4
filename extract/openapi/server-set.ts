import type { FlatSchema } from "./merged-schema.ts";
import { isObject, toText } from "./values.ts";

/** How descriptions that lack `readOnly` begin where they mean it: "[Output Only] …", "Read-only. …". */
const saidInWords = /^[[(*_]{0,3}(?:read[- ]?only|output[- ]only)\b/i;
/** What a server notes of a thing: when it was made and changed. */
const times =
  /^(?:created|updated|modified|creation|modification|last_?modified|last_?updated)_?(?:on|at|date|time|timestamp)$/i;
/** What a server gives a stored thing. */
const identities: ReadonlySet<string> = new Set(["id", "uuid", "links", "_links", "selflink"]);

/**
 * The fields of an object that only the server sets, though their schemas lack `readOnly`: by the first words of their descriptions,
 * and by their names. An id is one only of the thing that a request is about (`isThing`), and only of one that the server keeps: one with
 * a field of the other sorts, or a `readOnly` one. Elsewhere it refers to something that the caller chooses.
 */
export function serverSetOf(
  { name: schemaName, properties }: Pick<FlatSchema, "name"> & { readonly properties: ReadonlyMap<string, Valued> },
  isThing: boolean,
): ReadonlySet<string> {
  const all = [...properties].map(([name, { value }]) => ({ name, schema: isObject(value) ? value : {} }));
  const found = all.filter(
    ({ name, schema: { description, type } }) =>
      saidInWords.test(toText(description)) ||
      (times.test(name) && [type].flat().some((one) => one === "string" || one === "integer")),
  );
  const isKept = found.length > 0 || all.some(({ schema }) => schema["readOnly"] === true);
  const own = `${folded(schemaName)}id`;
  const given =
    isThing && isKept ? all.filter(({ name }) => identities.has(name.toLowerCase()) || folded(name) === own) : [];
  return new Set([...found, ...given].map(({ name }) => name));
}

interface Valued {
  readonly value: unknown;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
