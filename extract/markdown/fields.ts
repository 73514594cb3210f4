import type { Attributes } from "./attributes.ts";
import { literalOf, type Literal } from "./literals.ts";

const places = ["path", "query", "header", "cookie", "body"] as const;

/** The name of a parameter or field, "" without, and what its attributes say of it: `query, string, required`. */
export function fieldFacts(attributes: Attributes): { readonly name: string; readonly facts: string } {
  const place = places.find((one) => (attributes[one] ?? "") !== "");
  const name = attributes["name"] ?? (place === undefined ? "" : attributes[place]) ?? "";
  const standard = attributes["default"] ?? "";
  const facts = [
    place ?? "",
    attributes["type"] ?? "",
    isSet(attributes["required"]) ? "required" : "",
    isSet(attributes["deprecated"]) ? "deprecated" : "",
    standard === "" ? "" : `default \`${standard}\``,
  ];
  return { name, facts: facts.filter((fact) => fact !== "").join(", ") };
}

/** A row of a table of fields with those that are part of it. */
export interface FieldRow {
  readonly fields: Attributes;
  readonly inner: readonly FieldRow[];
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "false";
}

/**
 * The rows of `<PropertiesTable content={[{ name: "a", type: "string", description: "What it is" }]} />`, and of
 * `<TypeTable type={{ a: { type: "string" } }} />` of Fumadocs.
 */
export function fieldRows(code: string): readonly FieldRow[] {
  const table = literalOf(code);
  return table instanceof Map ? [...table].flatMap(([name, field]) => rowsOf([field], name)) : rowsOf(table);
}

/** The objects with a name in a list, each with those in lists below it. */
function rowsOf(value: Literal, named?: string): readonly FieldRow[] {
  if (!isList(value)) return [];
  return value.flatMap((field): readonly FieldRow[] => {
    if (!(field instanceof Map)) return [];
    const fields: Record<string, string> = named === undefined ? {} : { name: named };
    for (const [key, one] of field) if (typeof one !== "object" && one !== undefined) fields[key] ??= String(one);
    const inner = [...field.values()].flatMap((one) => rowsOf(one));
    return fields["name"] === undefined ? inner : [{ fields, inner }];
  });
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value);
}
