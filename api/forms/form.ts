import type * as z from "zod";

import type { CredentialChoice } from "../../domain/credentials.ts";
import { Failure } from "../../domain/failures.ts";
import type { FailureCode } from "../../domain/failures.ts";
import { kindOf } from "../../domain/kinds/index.ts";
import type { CredentialOf, Kind, SourceSpec } from "../../domain/kinds/index.ts";
import type { Audience } from "../../domain/kinds/kind.ts";
import { chosenId } from "../../domain/library.ts";
import type { Submission } from "../../domain/submitting.ts";
import type { BodyKind } from "../body.ts";
import type { ApiSettings } from "../options.ts";
import { libraryIdText, text, truth } from "../parameters.ts";
import { libraryDescription, libraryTitle } from "../repository.ts";
import type { About, Call } from "../route.ts";

/** One route by which a kind of source is submitted. */
export interface SourceForm<Body = unknown> {
  /** Behind `/api`. */
  readonly path: string;
  readonly scope: "submit" | "admin";
  readonly about: Omit<About, "tag">;
  readonly body: BodyKind<Body>;
  readonly failures: readonly FailureCode[];
  /** Field with the source's address, by which a body is told from those of other forms; absent: it has no preview. */
  readonly address?: string;
  // A method, as the bodies of a list of forms differ.
  toSubmission(call: Call<unknown, Body>): Promise<Submission>;
}

/** A form whose submission is held to the type of its body. */
export function form<Body>(described: SourceForm<Body>): SourceForm {
  return described;
}

/** An address that a person typed, as what is sent for it. */
export interface Typed {
  /** Of the form, behind `/api`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Fields that a person may fill in beside the address; absent where the kind has none of them. */
export interface TypedFields {
  readonly token?: string;
  readonly headers?: string;
  readonly credential?: string;
}

/** A file that is uploaded in a form. */
export interface FileForm {
  /** Behind `/api`. */
  readonly path: string;
  /** Name of the file's field. */
  readonly field: string;
  /** Names of such files. */
  readonly names: RegExp;
  /** Name of the field with the display name. */
  readonly title: string;
}

/** The credential that a kind of source takes. */
export interface CredentialForm<Data> {
  /** What it holds: the `data` of the body that makes one. */
  readonly data: z.ZodType<Data>;
  /** The same of the one field that a submission or a refresh has for a library's own (`CredentialFacts`). */
  readonly own: z.ZodType<Data>;
  /** Field of the body that makes a shared one, which names the tenant; absent: hosts of the kind serve one. */
  readonly tenant?: z.ZodType<string>;
  /** The source that a shared one of these data is tried with before it is kept, `host` as it was typed; absent: it is kept untried. */
  trial?(audience: Audience, host: string, data: Data): SourceSpec;
  /** The source at an address that a credential is tested with. @throws Failure validation_error */
  toSource(address: string, settings: ApiSettings): SourceSpec;
}

/** The options of a kind of source, which can be changed of a library: never its address. */
export interface OptionsForm {
  /** As the body of a submission has them, with their defaults. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The same source with what is given, checked; undefined is the default of an option that has no value of its own as such. */
  change(source: SourceSpec, given: Readonly<Record<string, unknown>>): SourceSpec;
  /** The options of a source, as the body of a submission would have them; what is absent or null is the default. */
  read(source: SourceSpec): Readonly<Record<string, unknown>>;
}

/**
 * Options whose change is held to the types of their fields and of the kind's spec. `read` says what they are of a source; absent: the spec
 * has them under the same names.
 */
export function optionsForm<Spec extends SourceSpec, Shape extends Readonly<Record<string, z.ZodType>>>(
  fields: Shape,
  change: (source: Spec, given: { readonly [Name in keyof Shape]?: z.output<Shape[Name]> }) => Spec,
  read: (source: Spec) => { readonly [Name in keyof Shape]?: unknown } = (source) => source as object,
): OptionsForm {
  return { fields, change: change as unknown as OptionsForm["change"], read: read as unknown as OptionsForm["read"] };
}

/** How a kind of source is submitted. */
export interface KindForms<Data extends object = object> {
  /** What one is called in a sentence, and what several are. */
  readonly noun: string;
  readonly plural: string;
  readonly forms: readonly SourceForm[];
  /** The credential that its libraries can have, of their own or shared; null: none. */
  readonly credential: CredentialForm<Data> | null;
  /** What can be changed of its libraries; absent: nothing. */
  readonly options?: OptionsForm;
  /** What is sent for an address of this kind; null: it is not one of this kind. A folder is given by its absolute path. */
  typed(address: string): Typed | null;
  /** What a file on the person's machine is sent as; absent: nothing is uploaded. */
  readonly file?: FileForm;
  /** Names of the body's fields for what a person may fill in. */
  readonly fields: TypedFields;
}

/** A form of every kind. */
export type Forms = { readonly [K in Kind]: KindForms<CredentialOf<K>> };

/** Fields of every form. */
export const commonFields = {
  libraryName: libraryIdText.optional().describe("The ID that the library is to have, instead of the derived one."),
  title: libraryTitle.optional().describe("Display name, which comes before what the source says of itself."),
  description: libraryDescription
    .optional()
    .describe("Short description, which comes before what the source says of itself."),
};

/** ID of a shared credential, in a body. */
export const credentialId: z.ZodString = text(1, 100);

/** What a body says of the credential: a library's own or a shared one. @throws Failure validation_error for both */
export function oneCredential(
  field: string,
  data: object | undefined,
  id: string | undefined,
): CredentialChoice | undefined {
  if (data !== undefined && id !== undefined)
    throw new Failure("validation_error", `Give ${field} or credential, not both.`);
  if (id !== undefined) return { id };
  return data && { data };
}

/** Field of forms whose libraries are public by default. */
export const privateField: z.ZodType<boolean> = truth().default(false).describe("Belongs to the key's teamspace.");

/** The ID that a submission chose, else the one that its kind derives. @throws Failure invalid_library_id or validation_error */
export function idOf(source: SourceSpec, title: string, libraryName: string | undefined): string {
  const { deriveId, idPrefix } = kindOf(source);
  return libraryName === undefined ? deriveId(source, title) : chosenId(libraryName, idPrefix(source));
}

/** Title and description, where the submission names them. */
export function choice({
  title,
  description = "",
}: {
  title?: string | undefined;
  description?: string | undefined;
}): Pick<Submission, "chosen"> {
  const chosen = { ...(title !== undefined && { title }), ...(description !== "" && { description }) };
  return Object.keys(chosen).length > 0 ? { chosen } : {};
}
