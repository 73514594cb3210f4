import * as z from "zod";
import { entryFields, isEntryField, manifestForms, propertiesOf } from "./entries.ts";
import { accessBody } from "../routes/access.ts";
import { policyBody, policySchema } from "../routes/policies.ts";

type JsonSchema = Record<string, unknown>;

/** The JSON Schema of manifests (draft 2020-12), for editors. */
export function manifestSchema(): JsonSchema {
  const entries = manifestForms.map(({ noun, form, names }) => {
    const properties: Record<string, unknown> = {
      ...propertiesOf(form.schema),
      ...propertiesOf(z.object(entryFields)),
    };
    properties["credential"] &&= { type: "string", description: "Name of a shared credential." };
    return {
      title: noun,
      type: "object",
      additionalProperties: false,
      required: [form.address],
      properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    };
  });
  const all: Record<string, unknown> = Object.assign({}, ...entries.map(({ properties }) => properties));
  const shared = Object.keys(all).filter(isEntryField);
  const { accessibleLibraryCount: _count, sourceTypes: _types, ...policy } = propertiesOf(policySchema);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Library manifest of Lectern",
    type: "object",
    additionalProperties: false,
    required: ["libraries"],
    properties: {
      name: { type: "string", description: "Name of the manifest; it tells apart what several have added." },
      teamspace: { type: "string", description: "Teamspace that owns the libraries, which are private then." },
      defaults: {
        type: "object",
        description: "Fields of all entries that have such a field, and do not give it.",
        additionalProperties: false,
        properties: Object.fromEntries(shared.map((name) => [name, all[name]])),
      },
      libraries: { type: "array", items: { anyOf: entries } },
      policy: {
        type: "object",
        description: "Policy of the teamspace; lists are whole, absent members stay.",
        properties: { ...(partial(policy) as JsonSchema), sourceTypes: propertiesOf(policyBody)["sourceTypes"] },
      },
      access: {
        type: "object",
        description: "Access rules of the teamspace: all of them.",
        properties: { default: propertiesOf(accessBody)["default"], rules: propertiesOf(accessBody)["set"] },
      },
    },
  };
}

/** A JSON Schema whose objects require nothing. */
function partial(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(partial);
  if (typeof schema !== "object" || schema === null) return schema;
  const { required, ...members } = schema as JsonSchema;
  const kept = Array.isArray(required) ? {} : { ...(required !== undefined && { required: partial(required) }) };
  return { ...kept, ...Object.fromEntries(Object.entries(members).map(([name, member]) => [name, partial(member)])) };
}
