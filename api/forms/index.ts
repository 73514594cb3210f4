import type { Kind } from "../../domain/kinds/index.ts";
import { confluenceForms } from "./confluence.ts";
import { folderForms } from "./folder.ts";
import type { FileForm, Forms, KindForms, Typed } from "./form.ts";
import { gitForms } from "./git.ts";
import { llmsTxtForms } from "./llmstxt.ts";
import { notionForms } from "./notion.ts";
import { openApiForms } from "./openapi.ts";
import { packageForms } from "./package.ts";
import { websiteForms } from "./website.ts";

/** The forms of each kind of source. A typed address is of the first kind that accepts it. */
export const forms: Readonly<Record<Kind, KindForms>> = {
  notion: notionForms,
  llmstxt: llmsTxtForms,
  openapi: openApiForms,
  confluence: confluenceForms,
  website: websiteForms,
  git: gitForms,
  folder: folderForms,
  package: packageForms,
} satisfies Forms;

/**
 * The request for a typed address, and the further fields of its form; undefined: no kind accepts it, or not the requested
 * one.
 */
export function typedAddress(
  address: string,
  kind?: Kind,
): (Typed & Pick<KindForms, "fields"> & { readonly kind: Kind }) | undefined {
  for (const [name, { typed, fields }] of everyForm()) {
    const found = kind === undefined || kind === name ? typed(address) : null;
    if (found) return { ...found, fields, kind: name };
  }
  return undefined;
}

/** The upload for a file name; undefined: no kind accepts it. */
export function fileForm(name: string): (FileForm & { readonly kind: Kind }) | undefined {
  for (const [kind, { file }] of everyForm()) if (file?.names.test(name)) return { ...file, kind };
  return undefined;
}

/** The forms of each kind with its name. */
export function everyForm(): readonly (readonly [Kind, KindForms])[] {
  return Object.entries(forms) as (readonly [Kind, KindForms])[];
}
