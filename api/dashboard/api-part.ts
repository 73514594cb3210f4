/** The used members of an OpenAPI document. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
}

/**
 * The part of a description with the operations of a tag, and the schemas that they refer to. The viewer parses a whole description for
 * every operation, which takes seconds.
 */
export function partOf(description: ApiDescription, tag: string): ApiDescription {
  const { paths, tags, components } = description;
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    const own = Object.entries(operations).filter(([, operation]) => operation.tags?.includes(tag));
    return own.length === 0 ? [] : [[path, Object.fromEntries(own)] as const];
  });
  const { schemas = {}, ...others } = components;
  const needed = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const schema = name === "$ref" ? /^#\/components\/schemas\/(.+)$/.exec(String(member))?.[1] : undefined;
      if (schema === undefined) collect(member);
      else if (!needed.has(schema)) {
        needed.add(schema);
        collect(schemas[schema]);
      }
    }
  };
  collect([kept, others]);
  return {
    ...description,
    tags: tags.filter(({ name }) => name === tag),
    paths: Object.fromEntries(kept),
    components: {
      ...others,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name))),
    },
  };
}
