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
 * and by their names. An id is one only in the body itself (`depth` 0), and only of a thing that the server keeps: one with a field
 * of the other sorts, or a `readOnly` one. Elsewhere it refers to something that the caller chooses.
 */
export function serverSetOf(
  properties: ReadonlyMap<string, { readonly value: unknown }>,
  depth: number,
): ReadonlySet<string> {
  const all = [...properties].map(([name, { value }]) => ({ name, schema: isObject(value) ? value : {} }));
  const found = all.filter(
    ({ name, schema: { description, type } }) =>
      saidInWords.test(toText(description)) ||
      (times.test(name) && [type].flat().some((one) => one === "string" || one === "integer")),
  );
  const isKept = found.length > 0 || all.some(({ schema }) => schema["readOnly"] === true);
  const given = depth === 0 && isKept ? all.filter(({ name }) => identities.has(name.toLowerCase())) : [];
  return new Set([...found, ...given].map(({ name }) => name));
}
