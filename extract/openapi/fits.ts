import type { Description, Located } from "./located.ts";
import { hiddenBy, type Direction } from "./merged-schema.ts";
import { isMatch, textMatching } from "./pattern-sample.ts";
import { follow } from "./references.ts";
import { isObject, type Json, listOf, objectOf } from "../json.ts";

/** Maximum number of schemas that a value is checked against. What is beyond it fits. */
const maxChecks = 1000;

/** Formats that examples often lack. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  "date-time": (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text),
  email: (text) => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  ipv4: (text) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text),
  uri: (text) => URL.canParse(text),
  url: (text) => URL.canParse(text),
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
};

/** Whether a value fits a schema in a body of a direction. Other formats and unknown keywords are not checked. */
export function fits(description: Description, value: unknown, schema: Located, direction: Direction): boolean {
  let left = maxChecks;
  const hidden = hiddenBy[direction];

  const check = (one: unknown, at: Located): boolean => {
    // What a dynamic reference leads to depends on the schemas around it.
    if (typeof objectOf(at.value)["$dynamicRef"] === "string") return true;
    const target = follow(description, at);
    if (target?.value === false) return false;
    if (target === undefined || !isObject(target.value) || --left < 0) return true;
    const keywords = target.value;
    if (one === null && (keywords["nullable"] === true || keywords["x-nullable"] === true)) return true;
    return meets(one, keywords) && meetsParts(one, target, keywords) && meetsInside(one, target, keywords);
  };

  const meetsParts = (one: unknown, { file }: Located, { allOf, anyOf, oneOf, not, discriminator }: Json): boolean => {
    const isFit = (part: unknown): boolean => check(one, { value: part, file, pointer: "" });
    const matches = listOf(oneOf).filter(isFit).length;
    return (
      listOf(allOf).every(isFit) &&
      (!Array.isArray(anyOf) || anyOf.some(isFit)) &&
      (!Array.isArray(oneOf) || matches === 1 || (matches > 1 && isObject(discriminator))) &&
      (!isObject(not) || !isFit(not))
    );
  };

  const meetsInside = (one: unknown, { file }: Located, keywords: Json): boolean => {
    // Pointers inside of schemas are not used.
    const isFit = (item: unknown, part: unknown): boolean => check(item, { value: part, file, pointer: "" });
    if (Array.isArray(one)) {
      const first = listOf(keywords["prefixItems"]);
      return one.every((item, index) => isFit(item, first[index] ?? keywords["items"]));
    }
    if (!isObject(one)) return true;
    const properties = objectOf(keywords["properties"]);
    const isHidden = (name: string): boolean =>
      Object.hasOwn(properties, name) &&
      objectOf(follow(description, { value: properties[name], file, pointer: "" })?.value)[hidden] === true;
    const patterns = Object.keys(objectOf(keywords["patternProperties"]));
    const dependent = Object.entries(objectOf(keywords["dependentRequired"]));
    const required = [keywords["required"], ...dependent.map(([name, names]) => Object.hasOwn(one, name) && names)];
    return (
      required.flatMap(listOf).every((name) => Object.hasOwn(one, String(name)) || isHidden(String(name))) &&
      Object.entries(one).every(([name, item]) => {
        if (Object.hasOwn(properties, name)) return !isHidden(name) && isFit(item, properties[name]);
        return patterns.some((pattern) => isMatch(pattern, name)) || isFit(item, keywords["additionalProperties"]);
      })
    );
  };

  return check(value, schema);
}

/** Whether a value meets the keywords of a schema that contain no schemas. */
function meets(value: unknown, keywords: Json): boolean {
  const { type, const: only, enum: values, multipleOf, format, pattern, uniqueItems } = keywords;
  // Converters between versions write a type `null` next to alternatives for `nullable`.
  const isNullable = type === "null" && (keywords["oneOf"] !== undefined || keywords["anyOf"] !== undefined);
  const types = isNullable ? [] : [type].flat().filter((one) => typeof one === "string");
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) return false;
  if (only !== undefined && !isSame(only, value)) return false;
  // The values beside an array may be those of its items.
  const allowed = listOf(values).filter((one) => !Array.isArray(value) || Array.isArray(one));
  if (allowed.length > 0 && !allowed.some((one) => isSame(one, value))) return false;
  if (typeof value === "number") {
    const { exclusiveMinimum: above, exclusiveMaximum: under } = keywords;
    return (
      isWithin(value, keywords["minimum"], keywords["maximum"]) &&
      !(above === true && value === keywords["minimum"]) &&
      !(under === true && value === keywords["maximum"]) &&
      !(typeof above === "number" && value <= above) &&
      !(typeof under === "number" && value >= under) &&
      !(typeof multipleOf === "number" && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9)
    );
  }
  const leastLength = typeof keywords["minLength"] === "number" ? keywords["minLength"] : 0;
  if (typeof value === "string")
    return (
      (typeof format !== "string" || !Object.hasOwn(formats, format) || formats[format]?.(value) === true) &&
      isWithin(value.length, keywords["minLength"], keywords["maxLength"]) &&
      // The text that is made for a pattern matches, though it may be too slow to test.
      (typeof pattern !== "string" || isMatch(pattern, value) || textMatching(pattern, leastLength) === value)
    );
  if (Array.isArray(value))
    return (
      isWithin(value.length, keywords["minItems"], keywords["maxItems"]) &&
      (uniqueItems !== true || new Set(value.map((item) => JSON.stringify(item))).size === value.length)
    );
  return !isObject(value) || isWithin(Object.keys(value).length, keywords["minProperties"], keywords["maxProperties"]);
}

function isWithin(value: number, least: unknown, most: unknown): boolean {
  return !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}
