import { folderForms } from "./folder.ts";
import type { FileForm, Forms, KindForms, Typed } from "./form.ts";
import { gitForms } from "./git.ts";
import { llmsTxtForms } from "./llmstxt.ts";
import { openApiForms } from "./openapi.ts";

/** How each kind of source is submitted. An address that a person types is of the first kind that takes it. */
export const forms = {
  llmstxt: llmsTxtForms,
  openapi: openApiForms,
  git: gitForms,
  folder: folderForms,
} satisfies Forms;

/** What is sent for an address that a person typed, and the fields that may go with it; undefined if no kind takes it. */
export function typedAddress(address: string): (Typed & Pick<KindForms, "fields">) | undefined {
  for (const { typed, fields } of Object.values<KindForms>(forms)) {
    const found = typed(address);
    if (found) return { ...found, fields };
  }
  return undefined;
}

/** How a file of this name is uploaded; undefined if no kind takes it. */
export function fileForm(name: string): FileForm | undefined {
  return Object.values<KindForms>(forms).find(({ file }) => file?.names.test(name))?.file;
}
