import { firstSentences } from "../sentences.ts";
import { inlineCode, plain, valueCode } from "./description-text.ts";
import { flatten, isNever, type BaseTest } from "./flat-schema.ts";
import type { Description, Located } from "./located.ts";
import { hiddenBy, type Branch, type Direction, type FlatSchema, type Property } from "./merged-schema.ts";
import { nameOf, refOf, targetOf } from "./references.ts";
import { hasPage, namedSchema, type NamedSchema } from "./schema-pages.ts";
import { allowedBy, typeIn } from "./schema-words.ts";
import { cachedPer, joined, toText } from "./values.ts";
import { fixedIn } from "./whole-schema.ts";

/** A field of a body or schema, a parameter or a header, for readers. */
export interface Field {
  /** Names from the outermost down, such as `address.city`, `items[].price` or `labels.*`; "" for the value itself. */
  readonly name: string;
  /** In words, such as `string (date-time)` or `array of Order`. */
  readonly type: string;
  readonly required: boolean;
  /** Text as it is, any other value as JSON. */
  readonly default?: string;
  /** Constraints such as allowed values or a range, in words. */
  readonly allowed?: string;
  readonly deprecated?: true;
  /** Its description, and sentences about further constraints. */
  readonly meaning?: string;
  /** The alternatives or conditions with which it exists; absent for always. */
  readonly when?: readonly string[];
  /** It is an alternative itself; `when` ends with its name. */
  readonly isOption?: true;
  /** Name of the schema whose page has its fields. */
  readonly see?: string;
}

/** What a schema says: about the value itself, and about the fields in it. */
export interface Shape {
  readonly about: Field;
  readonly fields: readonly Field[];
  /** Names of outermost fields that are only on the page of the schema `about.see`. */
  readonly more: readonly string[];
}

/** Number of fields of a named schema, and their length in characters, above which it has a page instead of being listed in place. */
const maxFieldsInPlace = 10;
const maxInPlace = 600;
/** Maximum number of fields of one list. */
const maxFields = 3000;
/** Maximum length of the fields of a schema with a page of its own that are listed elsewhere, in characters. */
const maxShown: Readonly<Record<Direction, number>> = { request: 2400, response: 1200 };
/** Of these: maximum length of a meaning in characters, and maximum number of values of an enumeration. */
const maxBrief = 160;
const fewValues = 8;
/** Maximum number of names that are listed of an alternative with a page of its own. */
const maxNames = 30;

/** Length of fields in a list, in characters. */
function lengthOf(fields: readonly Field[]): number {
  return fields.reduce(
    (sum, { name, type, allowed = "", meaning = "", when = [] }) =>
      sum + 8 + name.length + type.length + allowed.length + meaning.length + when.join().length,
    0,
  );
}

/** Whether a schema has a page of its own. */
export function isOnPage(description: Description, schema: NamedSchema): boolean {
  return hasPage(description, schema, () => {
    const fields = fieldsIn(description, schema.at, null);
    return fields.length > maxFieldsInPlace || lengthOf(fields) > maxInPlace;
  });
}

/** The schema that is referred to, if it has a page of its own. */
function linkedSchema(description: Description, at: Located): NamedSchema | undefined {
  const schema = namedSchema(description, at);
  return schema !== undefined && isOnPage(description, schema) ? schema : undefined;
}

const shapes = cachedPer(() => new Map<unknown, Partial<Record<Direction, Shape>>>());

/** The shape of a body. A schema with a page of its own, or an array of it, is shown up to a bound. */
export function shapeOf(description: Description, at: Located, direction: Direction): Shape {
  const link = linkedSchema(description, at);
  if (link !== undefined) {
    const about = linkedField(description, link, { name: "", required: false });
    return { ...boundedShape(description, link, direction), about };
  }
  const [about = nothing, ...fields] = createLister(description, direction, isLinked)(at, { isOutermost: true });
  const items = flatten(description, at, [], isLinked)?.items;
  const item = items && linkedSchema(description, items);
  if (item === undefined || fields.length > 0)
    return { about, fields: direction === "request" ? neededFirst(fields) : fields, more: [] };
  const shown = boundedShape(description, item, direction);
  return { ...shown, about, fields: shown.fields.map((field) => ({ ...field, name: `[].${field.name}` })) };
}

const nothing: Field = { name: "", type: "", required: false };

function boundedShape(description: Description, { at }: NamedSchema, direction: Direction): Shape {
  const cached = shapes(description).get(at.value);
  if (cached?.[direction] !== undefined) return cached[direction];
  const [about = nothing, ...all] = createLister(description, direction, isNever)(at, { isOutermost: true });
  let length = 0;
  const fields = neededFirst(all).filter((field) => {
    length += lengthOf([field]);
    return length <= maxShown[direction] || (field.required && isOutermost(field) && field.when === undefined);
  });
  const shown = new Set(fields.map(({ name }) => name));
  const names = all.filter((field) => isOutermost(field) && !shown.has(field.name)).map(({ name }) => name);
  const shape = { about, fields, more: [...new Set(names)] };
  shapes(description).set(at.value, { ...cached, [direction]: shape });
  return shape;
}

/** True for a field that is not inside another one. */
export function isOutermost({ name }: Pick<Field, "name">): boolean {
  return !/[.[]/.test(name);
}

/** Puts the fields first that every body has: required ones whose parents are required too. */
function neededFirst(fields: readonly Field[]): readonly Field[] {
  const needed = new Set<string>();
  for (const { name, required, when } of fields) {
    const above = name.replace(/(?:^|\.)[^.]*$/, "").replace(/(?:\[\])+$/, "");
    if (required && when === undefined && (above === "" || needed.has(above))) needed.add(name);
  }
  const isNeeded = ({ name, when }: Field): boolean => when === undefined && needed.has(name);
  return [...fields.filter(isNeeded), ...fields.filter((field) => !isNeeded(field))];
}

/** The shape of a schema for its own page, in full. */
export function wholeShape(description: Description, at: Located): Pick<Shape, "about" | "fields"> {
  const [about = nothing, ...fields] = fieldsIn(description, at, null);
  return { about, fields };
}

/** A schema and everything in it; the first field is the value itself. Schemas with pages of their own are named. */
function fieldsIn(description: Description, at: Located, direction: Direction | null, name = ""): Field[] {
  return createLister(description, direction, isLinked)(at, { name, isOutermost: name === "" });
}

/** The facts about a parameter or header in its schema, and the fields in it. */
export function aboutSchema(
  description: Description,
  at: Located,
  name: string,
): Omit<Field, "name" | "required"> & { readonly inside?: readonly Field[] } {
  const [first = nothing, ...inside] = fieldsIn(description, at, "request", name);
  const { name: _name, required: _required, ...about } = first;
  return { ...about, ...(inside.length > 0 && { inside }) };
}

/** A value whose insides are listed: its name, the conditions for it, and the schemas around its insides. */
interface Inside {
  readonly name: string;
  readonly when: readonly string[];
  readonly above: readonly object[];
}

interface Place extends Partial<Inside> {
  readonly required?: boolean;
  /** It is listed in full even if it has a page of its own. */
  readonly isOutermost?: boolean;
}

const isLinked: BaseTest = (description, part) => linkedSchema(description, part) !== undefined;

/** Lists a value and everything in it. `isBase` tells the parts of `allOf` that are only named; lists of all parts are in few words. */
function createLister(description: Description, direction: Direction | null, isBase: BaseTest) {
  let count = 0;

  const list = (at: Located, place: Place): Field[] => {
    const { name = "", required = false, when = [], above = [], isOutermost: isWhole = false } = place;
    count += 1;
    if (count > maxFields) return [];
    const link = isWhole ? undefined : linkedSchema(description, at);
    const flat = flatten(description, at, link === undefined ? above : [], isBase);
    if (direction !== null && flat?.keywords[hiddenBy[direction]] === true) return [];
    const field = { name, required, ...(when.length > 0 && { when }) };
    if (link !== undefined) return [linkedField(description, link, field)];
    if (flat === undefined) return [{ ...field, ...unresolved(description, at) }];
    const item = flat.items && linkedSchema(description, flat.items);
    const inside = { name, when, above: [...above, ...flat.parts] };
    return [
      { ...field, ...aboutFlat(description, flat, isBase === isNever), ...(item && { see: item.name }) },
      ...listInside(item === undefined ? flat : { ...flat, items: undefined }, inside),
    ];
  };

  const listInside = (flat: FlatSchema, place: Inside): Field[] => {
    const { name: prefix, when } = place;
    const below = (suffix: string): string => (prefix === "" ? suffix.replace(/^\./, "") : `${prefix}${suffix}`);
    const fields: Field[] = [];
    if (flat.items !== undefined) {
      const [item = nothing, ...inside] = list(flat.items, { ...place, name: below("[]") });
      // The array has said what each of its items may be.
      const { allowed: _allowed, ...about } = item;
      fields.push(...withoutDull([about, ...inside]));
    }
    for (const [name, property] of flat.properties)
      fields.push(...list(property, { ...place, name: below(`.${name}`), required: property.required }));
    for (const base of flat.bases) {
      const link = linkedSchema(description, base);
      const about = { name: prefix, required: false, isOption: true } as const;
      if (link !== undefined)
        fields.push(linkedField(description, link, { ...about, when: [...when, `all of ${link.name}`] }));
    }
    for (const { suffix, when: named, at } of flat.branches) {
      const branch = list(at, { ...place, name: below(suffix), when: named === "" ? when : [...when, named] });
      fields.push(...(suffix === "" || suffix === ".*" ? withoutDull(branch) : branch));
    }
    for (const options of flat.choices) fields.push(...listChoice(options, place));
    return fields;
  };

  /** Alternatives. Fields that several have alike are listed once. */
  const listChoice = (options: readonly Branch[], { when, ...place }: Inside): Field[] => {
    const merged = new Map<string, { readonly field: Field; readonly names: string[] }>();
    const add = (key: string, field: Field, name: string): void => {
      const same = merged.get(key);
      if (same === undefined) merged.set(key, { field, names: [name] });
      else if (!same.names.includes(name)) same.names.push(name);
    };
    for (const { when: name, selector, at } of options) {
      const [own, ...fields] = list(at, place);
      if (own === undefined) continue;
      const properties = flatten(description, at, place.above)?.properties ?? new Map<string, Property>();
      const fixed = selector && fixedIn(properties.get(selector.property)?.value);
      const allowed = joined([selector && selectorWords(selector, fixed ?? name), own.allowed], ", ");
      const isNamed = direction !== null && place.name === "" && own.see !== undefined;
      const meaning = joined([own.meaning, isNamed ? namesIn(properties) : undefined]);
      const option: Field = { ...own, isOption: true, ...(allowed && { allowed }), ...(meaning && { meaning }) };
      if (!isDull(option)) add(`${name} ${merged.size}`, option, name);
      for (const field of fields) add(JSON.stringify(field), field, name);
    }
    return [...merged.values()].map(({ field: { when: inner = [], ...field }, names }): Field => {
      const isCommon = names.length > 1 && names.length === options.length;
      const all = [...when, ...(isCommon ? [] : [names.join(" or ")]), ...inner];
      return all.length === 0 ? field : { ...field, when: all };
    });
  };

  return (at: Located, place: Place): Field[] => {
    const fields = list(at, place);
    if (count <= maxFields) return fields;
    const meaning = `${count - maxFields} further fields, and those in them, are left out.`;
    return [...fields, { ...nothing, isOption: true, when: ["More"], meaning }];
  };
}

/** The value that selects an alternative: one that it is mapped to, else `standard`. */
function selectorWords({ property, values }: NonNullable<Branch["selector"]>, standard: unknown): string {
  return `${inlineCode(property)} is ${(values.length > 0 ? values : [standard]).map(valueCode).join(" or ")}`;
}

/** True for a field that says nothing but its type. */
function isDull({ meaning, allowed, default: standard, see, deprecated }: Field): boolean {
  return [meaning, allowed, standard, see, deprecated].every((fact) => fact === undefined);
}

function withoutDull([first, ...others]: readonly Field[]): readonly Field[] {
  return first === undefined || isDull(first) ? others : [first, ...others];
}

/** A sentence with the names of the fields of an alternative. */
function namesIn(properties: FlatSchema["properties"]): string {
  const names = [...properties.keys()].slice(0, maxNames).map(inlineCode);
  const more = properties.size > maxNames ? ` and ${properties.size - maxNames} more` : "";
  return names.length === 0 ? "" : `Fields: ${names.join(", ")}${more}.`;
}

/** A field with a reference to a schema that has a page: the schema's name, and the description next to the reference, else its first sentences. */
function linkedField(
  description: Description,
  { name, at, own }: NamedSchema,
  field: Pick<Field, "name" | "required" | "when" | "isOption">,
): Field {
  const flat = flatten(description, at);
  if (flat === undefined) return { ...field, type: name, see: name };
  const { allowed, ...about } = aboutFlat(description, { ...flat, keywords: { ...flat.keywords, ...own } }, true);
  const isObject = flat.type === "object" || flat.choices.length > 0;
  const meaning = toText(own["description"]) || about.meaning;
  return {
    ...field,
    ...about,
    ...(isObject ? { type: own["nullable"] === true ? `${name} or null` : name } : allowed && { allowed }),
    ...(meaning && { meaning }),
    see: name,
  };
}

/** The facts about a flattened schema; `isBrief`: in few words. */
function aboutFlat(description: Description, flat: FlatSchema, isBrief: boolean): Omit<Field, "name" | "required"> {
  const { keywords, texts, notes } = flat;
  const allowed = allowedBy(description, flat, isBrief ? fewValues : Infinity);
  const standard = keywords["default"] ?? undefined;
  const whole = joined([...texts, notes.join(" ")]);
  const meaning = isBrief ? firstSentences(plain(whole), maxBrief) : whole;
  return {
    type: typeIn(description, flat),
    ...(standard !== undefined && { default: typeof standard === "string" ? standard : JSON.stringify(standard) }),
    ...(allowed && { allowed }),
    ...(keywords["deprecated"] === true && { deprecated: true as const }),
    ...(meaning && { meaning }),
  };
}

/** What is known of a value whose schema is circular or missing. */
function unresolved(description: Description, at: Located): Pick<Field, "type" | "meaning"> {
  const ref = refOf(at.value);
  if (ref === undefined) return { type: "" };
  const isMissing = targetOf(description, at, ref)?.value === undefined;
  const meaning = isMissing
    ? `The reference ${inlineCode(ref)} leads to nothing.`
    : "It has the fields of the schema around it.";
  return { type: isMissing ? "" : nameOf(ref), meaning };
}
