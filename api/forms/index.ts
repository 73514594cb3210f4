import type * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { Kind } from "../../domain/kinds/index.ts";
import { confluenceForms } from "./confluence.ts";
import { folderForms } from "./folder.ts";
import type { FileForm, Forms, KindForms, SourceForm, Typed } from "./form.ts";
import { gitForms } from "./git.ts";
import { llmsTxtForms } from "./llmstxt.ts";
import { notionForms } from "./notion.ts";
import { openApiForms } from "./openapi.ts";
import { packageForms } from "./package.ts";
import { uploadForms } from "./upload.ts";
import { websiteForms } from "./website.ts";
import { sshAddress } from "../../domain/addresses.ts";
import { parsePackage } from "../../domain/packages.ts";

/** The forms of each kind of source. The first kind that accepts a typed address gets it. */
export const forms: Readonly<Record<Kind, KindForms>> = {
  notion: notionForms,
  llmstxt: llmsTxtForms,
  openapi: openApiForms,
  confluence: confluenceForms,
  package: packageForms,
  website: websiteForms,
  git: gitForms,
  folder: folderForms,
  upload: uploadForms,
} satisfies Forms;

interface AddressForm extends SourceForm {
  /** Field with the address. */
  readonly address: string;
  /** Schema of its body. */
  readonly schema: z.ZodType;
}

/** The forms of sources with an address. */
export const addressForms: readonly AddressForm[] = Object.values(forms)
  .flatMap((kind) => kind.forms)
  .flatMap((form) => {
    const { address, body } = form;
    const { "application/json": schema } = body.content;
    return address === undefined || schema === undefined ? [] : [{ ...form, address, schema }];
  });

/** The form of a body, by its field with the address. @throws Failure validation_error for a body without one */
export function addressForm(body: Readonly<Record<string, unknown>>): AddressForm {
  const match = addressForms.find(({ address }) => body[address] !== undefined);
  if (match) return match;
  const names = addressForms.map(({ address }) => address).join(", ");
  throw new Failure("validation_error", `Name a source with one of ${names}, as its submission does.`);
}

/** The request for a typed address, and the further fields of its form; undefined if no kind, or not `kind`, accepts it. */
export function typedAddress(
  address: string,
  kind?: Kind,
): (Typed & Pick<KindForms, "fields"> & { readonly kind: Kind }) | undefined {
  for (const [name, { typed, fields }] of everyForm()) {
    const request = kind === undefined || kind === name ? typed(address, kind !== undefined) : null;
    if (request) return { ...request, fields, kind: name };
  }
  return undefined;
}

/** The upload for a file name; undefined if no kind accepts it. */
export function fileForm(name: string): (FileForm & { readonly kind: Kind }) | undefined {
  const isNamed = (ending: string): boolean => name.toLowerCase().endsWith(ending);
  for (const [kind, { file }] of everyForm()) if (file?.endings.some(isNamed) === true) return { ...file, kind };
  return undefined;
}

/** The endings of all files that can be uploaded. */
export function fileEndings(): readonly string[] {
  return everyForm().flatMap(([, { file }]) => file?.endings ?? []);
}

/** The forms of each kind with its name. */
export function everyForm(): readonly (readonly [Kind, KindForms])[] {
  return Object.entries(forms) as (readonly [Kind, KindForms])[];
}

const http = /^https?:\/\//i;
const gitForm = /^git:\/\/([\w.-]{1,253})(?::\d{1,5})?\/([^\s@]{1,500})$/i;
const hostForm = /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}\.[a-z]{2,63}(?::\d{1,5})?\/[^\s/][^\s]{0,500}$/i;
const shortForm = /^[a-z\d](?:[a-z\d-]{0,38})\/[\w.-]{1,100}$/i;

/** Host of the short form `owner/name`. */
const commonHost = "github.com";

/**
 * The address of an unambiguous location: an http address or a package is unchanged, `git@host:owner/name` becomes
 * `ssh://git@host/owner/name`, and `git://host/owner/name` an http address. Undefined for a possible folder.
 */
export function unambiguousAddress(location: string): string | undefined {
  if (http.test(location) || parsePackage(location) !== null) return location;
  const ssh = sshAddress(location);
  if (ssh) return ssh.href;
  const [, host, path] = gitForm.exec(location) ?? [];
  return host !== undefined && path !== undefined ? `https://${host}/${path}` : undefined;
}

/** The http address of a location that is not a folder: `host/owner/name`, or `owner/name` of github.com. */
export function likelyAddress(location: string): string | undefined {
  if (hostForm.test(location)) return `https://${location}`;
  return shortForm.test(location) ? `https://${commonHost}/${location}` : undefined;
}
