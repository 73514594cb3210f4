import { addressOf } from "./addresses.ts";
import { examplesOfSchema } from "./content.ts";
import type { Cutting } from "./cutting.ts";
import { fieldsOf, typeIn } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import { below, entriesOf } from "./located.ts";
import type { Located } from "./located.ts";
import type { SchemaPart } from "./part.ts";
import { toSampleSchema } from "./sample-schema.ts";
import { toText } from "./values.ts";

/** Number of fields above which a named schema has a page of its own. */
const largeSchema = 10;

/** Named schemas that are too large for the pages of the operations that use them, or all, each with the key of its page. */
export function* readSchemas(cutting: Cutting, all: boolean): Generator<{ key: string; part: SchemaPart }> {
  const { root, description } = cutting;
  const schemas = description.version === "2.0" ? below(root, "definitions") : below(root, "components", "schemas");
  for (const [name, at] of entriesOf(schemas)) {
    const part = toSchemaPart(cutting, name, at);
    if (part !== undefined && (all || part.fields.length > largeSchema)) yield { key: part.from, part };
  }
}

function toSchemaPart(cutting: Cutting, name: string, at: Located): SchemaPart | undefined {
  const { description, api } = cutting;
  const flat = flatten(description, at);
  if (flat === undefined) return undefined;
  const schema = toSampleSchema(description, at, "response");
  return {
    type: "schema",
    api,
    from: addressOf(at),
    name,
    description: toText(flat.keywords["description"]),
    schemaType: typeIn(description, { ...flat, name: "" }) || flat.type,
    fields: fieldsOf(description, at, null),
    ...(schema && { schema }),
    examples: examplesOfSchema(cutting, at),
  };
}
