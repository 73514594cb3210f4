import { plainOf, spansOf, textOf, type NotionProperty } from "./page.ts";
import { type Json, listOf, objectOf } from "../json.ts";

/** Maximum number of options shown. */
const maxOptions = 50;

/** The title of a page or row, a property with any name; "" without. */
export function titleOf(page: Json): string {
  const title = Object.values(objectOf(page["properties"])).find((property) => objectOf(property)["type"] === "title");
  return plainOf(spansOf(objectOf(title)["title"] ?? page["title"]));
}

/** The non-empty properties of a row as text, in the order of their names. */
export function propertiesOf(page: Json): readonly NotionProperty[] {
  return named(page, propertyText);
}

/** The types of a data source's properties, as text. */
export function schemaOf(dataSource: Json): readonly NotionProperty[] {
  return named(dataSource, kindOf);
}

function named({ properties }: Json, textOfProperty: (property: Json) => string): readonly NotionProperty[] {
  return Object.entries(objectOf(properties))
    .map(([name, property]) => ({ name, text: textOfProperty(objectOf(property)).trim() }))
    .filter(({ text }) => text !== "")
    .toSorted(byName);
}

/** Sorts properties by name, as Notion's order depends on the view. */
export function byName(one: NotionProperty, other: NotionProperty): number {
  return one.name < other.name ? -1 : 1;
}

/** The value of a property; "" for titles, which are the page's heading, for relations, and for values that change with every edit. */
export function propertyText(property: Json): string {
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
    case "rollup":
      return typedValue(objectOf(value));
    case "verification":
      return textOf(objectOf(value)["state"]);
    default:
      return "";
  }
}

/** The value of a formula or rollup, which has its type with it. */
function typedValue(value: Json): string {
  const type = textOf(value["type"]);
  const content = value[type];
  if (type === "string") return textOf(content);
  if (type === "boolean") return content === true ? "yes" : "no";
  if (type === "array")
    return listOf(content)
      .map((one) => valueOrTitle(objectOf(one)))
      .filter((text) => text !== "")
      .join(", ");
  return type === "number" || type === "date" ? propertyText({ type, [type]: content }) : "";
}

function valueOrTitle(property: Json): string {
  return property["type"] === "title" ? plainOf(spansOf(property["title"])) : propertyText(property);
}

function nameOf(value: unknown): string {
  return textOf(objectOf(value)["name"]);
}

function dateOf({ start, end }: Json): string {
  return [textOf(start), textOf(end)].filter((day) => day !== "").join(" to ");
}

/** The type of a data source's property, with its options and description. */
function kindOf(property: Json): string {
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
