import * as z from "zod";
import { everyForm, forms, typedAddress, likelyAddress, unambiguousAddress } from "../forms/index.ts";
import { isKind, type Kind } from "../../domain/kinds/index.ts";
import { fieldsOfSchema, type Field } from "./schema-fields.ts";

/** A recognised address. */
export interface Recognised {
  readonly kind: Kind;
  /** Name of its kind in a sentence. */
  readonly noun: string;
  /** Path of the operation that submits it, below `/api`. */
  readonly path: string;
  /** Fields of the body of the operation that follow from the address. */
  readonly body: Readonly<Record<string, unknown>>;
  /** All kinds that it can be, this one included. */
  readonly kinds: readonly { readonly kind: Kind; readonly noun: string }[];
  /** The other fields, options of the kind first. */
  readonly fields: readonly Field[];
  /** Values of options that follow from the address, by the names of their controls. */
  readonly values: Readonly<Record<string, string>>;
}

/** Recognises an address like `lectern add`, except local paths. `chosen` is a kind; undefined: no kind accepts the address. */
export function recognise(location: string, chosen?: string): Recognised | undefined {
  const address = unambiguousAddress(location) ?? likelyAddress(location) ?? location;
  const typed = typedAddress(address, chosen !== undefined && isKind(chosen) ? chosen : undefined);
  if (typed === undefined) return undefined;
  const { kind, path, body } = typed;
  const own = forms[kind];
  const options = Object.keys(own.options?.fields ?? {});
  const schema = own.forms.find((form) => form.path === path)?.body.content["application/json"] ?? z.object({});
  const fields = fieldsOfSchema(schema).filter(
    ({ name }) => !Object.hasOwn(body, name) || options.includes(name) || name === "title",
  );
  const values = Object.entries(body).filter(([name]) => options.includes(name));
  return {
    kind,
    noun: own.noun,
    path,
    body,
    kinds: everyForm()
      .filter(([name]) => typedAddress(address, name) !== undefined)
      .map(([name, { noun }]) => ({ kind: name, noun })),
    fields: fields.toSorted((one, other) => Number(options.includes(other.name)) - Number(options.includes(one.name))),
    values: Object.fromEntries(values.map(([name, value]) => [`o.${name}`, [value].flat().join("\n")])),
  };
}
