import { plainOf } from "./markdown.ts";
import { listOf, objectOf, spansOf, textOf } from "./page.ts";
import type { NotionProperty, Span, Raw } from "./page.ts";

/** More are left out: nobody reads them. */
const maxOptions = 50;

/** The title of a page or row, which is a property of any name; "" without. */
export function titleOf(page: Raw): string {
  const title = Object.values(objectOf(page["properties"])).find((property) => objectOf(property)["type"] === "title");
  return plainOf(spansOf(objectOf(title)["title"] ?? page["title"]));
}

/** What a database says of itself. */
export function descriptionOf(database: Raw): readonly Span[] {
  return spansOf(database["description"]);
}

/** The properties of a row as text, without those that say nothing, in the order of their names. */
export function propertiesOf(page: Raw): readonly NotionProperty[] {
  return named(page, propertyText);
}

/** What the rows of a data source have, as text. */
export function schemaOf(dataSource: Raw): readonly NotionProperty[] {
  return named(dataSource, kindOf);
}

function named({ properties }: Raw, textOfProperty: (property: Raw) => string): readonly NotionProperty[] {
  return Object.entries(objectOf(properties))
    .map(([name, property]) => ({ name, text: textOfProperty(objectOf(property)).trim() }))
    .filter(({ text }) => text !== "")
    .toSorted(byName);
}

/** The order of properties: Notion's own is that of a view. */
export function byName(one: NotionProperty, other: NotionProperty): number {
  return one.name < other.name ? -1 : 1;
}

/** The value of a property; of titles, which stand above the page, of relations and of what changes with every edit it is "". */
export function propertyText(property: Raw): string {
  const type = textOf(property["type"]);
  const value = property[type];
  switch (type) {
    case "rich_text":
      return plainOf(spansOf(value));
    case "number":
      return typeof value === "number" ? String(value) : "";
    case "checkbox":
      return value === true ? "yes" : value === false ? "no" : "";
    case "url":
    case "email":
    case "phone_number":
    case "created_time":
      return textOf(value);
    case "select":
    case "status":
    case "place":
    case "created_by":
      return nameOf(value);
    case "multi_select":
    case "people":
    case "files":
      return listOf(value)
        .map(nameOf)
        .filter((name) => name !== "")
        .join(", ");
    case "date":
      return dateOf(objectOf(value));
    case "unique_id": {
      const { prefix, number } = objectOf(value);
      return typeof number === "number" ? `${textOf(prefix) === "" ? "" : `${textOf(prefix)}-`}${number}` : "";
    }
    case "formula":
      return ofType(objectOf(value));
    case "rollup":
      return ofType(objectOf(value));
    case "verification":
      return textOf(objectOf(value)["state"]);
    default:
      return "";
  }
}

/** A value that says itself of which type it is: of formulas and rollups. */
function ofType(value: Raw): string {
  const type = textOf(value["type"]);
  const held = value[type];
  if (type === "string") return textOf(held);
  if (type === "boolean") return held === true ? "yes" : "no";
  if (type === "array")
    return listOf(held)
      .map((one) => valueOrTitle(objectOf(one)))
      .filter((text) => text !== "")
      .join(", ");
  return type === "number" || type === "date" ? propertyText({ type, [type]: held }) : "";
}

function valueOrTitle(property: Raw): string {
  return property["type"] === "title" ? plainOf(spansOf(property["title"])) : propertyText(property);
}

function nameOf(value: unknown): string {
  return textOf(objectOf(value)["name"]);
}

function dateOf({ start, end }: Raw): string {
  return [textOf(start), textOf(end)].filter((day) => day !== "").join(" to ");
}

/** What a property of a data source is: its type, and the options that it has. */
function kindOf(property: Raw): string {
  const type = textOf(property["type"]);
  if (type === "title") return "";
  const description = textOf(property["description"]);
  const options = listOf(objectOf(property[type])["options"])
    .map(nameOf)
    .filter((name) => name !== "");
  const shown = options.slice(0, maxOptions).join(", ");
  const words = `${type.replaceAll("_", " ")}${shown === "" ? "" : `: ${shown}`}`;
  return description === "" ? words : `${words}. ${description}`;
}
