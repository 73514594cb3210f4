import * as z from "zod";
import { describe, expect, it } from "vitest";

import { forms } from "../../api/forms/index.ts";
import type { KindForms } from "../../api/forms/form.ts";
import { routes } from "../../api/app.ts";
import { kinds, type Kind } from "../../domain/kinds/index.ts";
import type { AnySpec, SourceKind } from "../../domain/kinds/kind.ts";

const names = Object.keys(kinds) as Kind[];
const factsOf = (kind: Kind) => kinds[kind] as unknown as SourceKind<AnySpec>;
const formsOf = (kind: Kind): KindForms => forms[kind];

/** The fields of an operation's JSON body. */
function fieldsOf(operationId: string): readonly string[] {
  const route = routes.find(({ about }) => about.operationId === operationId);
  return Object.values(route?.body?.content ?? {}).flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
}

it("has a form for every kind, and no others", () => {
  expect(Object.keys(forms).toSorted()).toEqual(names.toSorted());
});

describe.each(names)("the kind %s", (kind) => {
  const { credential, options, forms: own, noun, plural } = formsOf(kind);

  it("has names, and routes that submit it", () => {
    expect(factsOf(kind).kind).toBe(kind);
    expect([noun, plural]).not.toContain("");
    expect(own.length).toBeGreaterThan(0);
    for (const { about } of own) expect(fieldsOf(about.operationId)).not.toEqual([]);
  });

  it("has a form for credentials if and only if it uses them", () => {
    expect(credential !== null).toBe(factsOf(kind).credential !== undefined);
    const field = factsOf(kind).credential?.field;
    if (field === undefined) return;
    expect(fieldsOf("refreshLibrary")).toContain(field);
    for (const { about } of own)
      expect(fieldsOf(about.operationId)).toEqual(expect.arrayContaining([field, "credential"]));
  });

  it("has the same option names for submissions and changes", () => {
    const changed = Object.keys(options?.fields ?? {});
    expect(fieldsOf("changeLibrary")).toEqual(expect.arrayContaining(changed));
    if (options)
      for (const { about } of own) expect(fieldsOf(about.operationId)).toEqual(expect.arrayContaining(changed));
    for (const address of own.flatMap((form) => form.address ?? [])) expect(changed).not.toContain(address);
  });
});
