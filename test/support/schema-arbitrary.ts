import fc from "fast-check";

/** The part of JSON Schema that our OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Texts that often break programs. */
const hostileTexts = [
  "",
  " ",
  "\0",
  "\u{1F9ED}\u0301",
  "\uD800",
  "\u202Eabc",
  "../../etc/passwd",
  "/a/b/../../c",
  "%00%2e%2e",
  "null",
  "__proto__",
  "constructor",
  "9".repeat(400),
  "1e309",
  "-1",
  "0x10",
  "' or 1=1 --",
  '"; drop table keys; --',
  "${jndi:x}",
  "{{7*7}}",
  "a".repeat(600),
  "İ".repeat(300),
  "http://10.0.0.1/",
  "https://user:secret@git.example.com/a/b",
  "file:///etc/passwd",
  "//a/b",
  "/acme/widgets/",
  "/acme/widgets@",
  "/acme/widgets/^1 || ~2",
  "2026-13-45T99:99:99Z",
];

/** Hostile texts, short and long ones. */
export const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 700 }),
);

/**
 * Values that mostly fit a schema: some have a wrong type or a hostile text, miss fields, or have extra ones. `known`: by field name,
 * values that exist on the server.
 */
export function schemaArbitrary(
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
  known: Readonly<Record<string, readonly unknown[]>>,
  name = "",
  depth = 0,
): fc.Arbitrary<unknown> {
  const within = (one: JsonSchema, as = name) => schemaArbitrary(one, resolve, known, as, depth + 1);
  if (schema.$ref !== undefined) return within(resolve(schema.$ref));
  const wrong = fc.oneof(hostileText, depth > 4 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 }));
  const existing = known[name];
  return fc.oneof(
    { weight: 12, arbitrary: fitting() },
    { weight: existing ? 24 : 0, arbitrary: existing ? fc.constantFrom(...existing) : wrong },
    { weight: 1, arbitrary: wrong },
  );

  function fitting(): fc.Arbitrary<unknown> {
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices && choices.length > 0) return fc.oneof(...choices.map((one) => within(one)));
    const [all] = schema.allOf ?? [];
    if (all) return within(all);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if ("const" in schema) return fc.constant(schema.const);
    const { type } = schema;
    switch (typeof type === "string" ? type : type?.[0]) {
      case "string": {
        const { minLength = 0, maxLength = 100 } = schema;
        return fc.oneof(
          fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 100)) }),
          hostileText,
        );
      }
      case "integer":
      case "number":
        return fc.oneof(
          fc.integer({ min: schema.minimum ?? -5, max: Math.max(schema.minimum ?? -5, schema.maximum ?? 1000) }),
          fc.constantFrom(0, -1, 2 ** 53, 1e300, 0.5),
        );
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array": {
        const { minItems = 0, maxItems = 4 } = schema;
        return fc.array(within(schema.items ?? {}), {
          minLength: minItems,
          maxLength: Math.min(maxItems, minItems + 4),
        });
      }
      case "object": {
        const { properties = {}, required = [] } = schema;
        const fields = Object.fromEntries(
          Object.entries(properties).map(([field, one]) => [field, within(one, field)]),
        );
        const whole = fc.record(fields, { requiredKeys: required.filter((field) => field in fields) });
        return fc.oneof(
          { weight: 6, arbitrary: whole },
          { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
          {
            weight: 1,
            arbitrary: fc.tuple(whole, fc.string(), wrong).map(([one, field, value]) => ({ ...one, [field]: value })),
          },
        );
      }
      default:
        return depth > 4 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
    }
  }
}
