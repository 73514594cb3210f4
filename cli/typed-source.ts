import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Typed, TypedFields } from "../api/forms/form.ts";
import { fileForm, typedAddress } from "../api/forms/index.ts";
import { Failure } from "../domain/failures.ts";
import { isKind } from "../domain/kinds/index.ts";
import type { Kind } from "../domain/kinds/index.ts";
import { addressOf } from "./address.ts";
import type { Given } from "./command.ts";
import { kindBody } from "./kind-options.ts";

/** A typed source, with the options of its kind. */
export interface TypedSource extends Typed {
  readonly kind: Kind;
  readonly fields: TypedFields;
  /** A local file to upload. */
  readonly file?: { readonly path: string; readonly field: string; readonly title: string };
}

/** The request for the source in the first argument. @throws Failure validation_error where no kind of source fits */
export async function typedSource(given: Given): Promise<TypedSource> {
  const [location = ""] = given.words;
  const asked = given.text("as");
  const kind = asked !== undefined && isKind(asked) ? asked : undefined;
  const address = await addressOf(location);
  const typed = address === undefined ? await typedPath(location) : typedAddress(address, kind);
  if (typed === undefined) {
    const as = kind === undefined ? "no source that Lectern reads" : `none that can be read as ${kind}`;
    throw new Failure("validation_error", `${location} is ${as}.`);
  }
  return { ...typed, body: { ...typed.body, ...kindBody(typed.kind, given) } };
}

async function typedPath(path: string): Promise<TypedSource | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return typedAddress(resolve(path));
  if (!found?.isFile())
    throw new Failure(
      "validation_error",
      `${path} is neither an address nor a folder or file on this machine. Give the whole address, such as https://git.example.com/owner/name, or the path of a folder.`,
    );
  const form = fileForm(path);
  if (form === undefined) return undefined;
  const { field, title, kind } = form;
  return { path: form.path, body: {}, fields: {}, kind, file: { path, field, title } };
}
