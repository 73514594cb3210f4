import * as z from "zod";
import type { CredentialChoice } from "../../domain/credentials.ts";
import { Failure, type FailureCode } from "../../domain/failures.ts";
import { kindOf, type CredentialOf, type Kind, type SourceSpec } from "../../domain/kinds/index.ts";
import type { Audience } from "../../domain/kinds/kind.ts";
import { chosenId } from "../../domain/library.ts";
import type { Submission } from "../../domain/submitting.ts";
import type { BodyKind } from "../body.ts";
import type { ApiOptions, ApiSettings } from "../options.ts";
import { libraryIdText, text, truth } from "../parameters.ts";
import { libraryDescription, libraryTitle } from "./fields.ts";
import type { About, Call } from "../route.ts";

/** A route by which a kind of source is submitted. */
export interface SourceForm<Body = unknown> {
  /** Path below `/api`. */
  readonly path: string;
  readonly scope: "submit" | "admin";
  readonly about: Omit<About, "tag">;
  readonly body: BodyKind<Body>;
  readonly failures: readonly FailureCode[];
  /** Field with the address of the source, which identifies the form in a preview; absent: no preview. */
  readonly address?: string;
  // A method, so that a list can have forms of all bodies.
  toSubmission(call: Call<unknown, Body>): Promise<Submission>;
}

/** Defines a form, with the type of its body. */
export function form<Body>(described: SourceForm<Body>): SourceForm {
  return described;
}

/** The request for a typed address. */
export interface Typed {
  /** Path of the form below `/api`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Names of further fields for people; absent: the kind has no such field. */
export interface TypedFields {
  readonly token?: string;
  readonly headers?: string;
  readonly credential?: string;
}

/** The upload of a kind of source. */
export interface FileForm {
  /** Path below `/api`. */
  readonly path: string;
  /** Name of the file's field. */
  readonly field: string;
  /** Endings of accepted file names, in lower case, with the dot. */
  readonly endings: readonly string[];
  /** Name of the field with the display name. */
  readonly title: string;
}

/** The credential of a kind of source. */
export interface CredentialForm<Data> {
  /** Schema of its data: `data` in the body that creates one. */
  readonly data: z.ZodType<Data>;
  /** Schema of the field for a library's own credential, in a submission or refresh (`CredentialFacts`). */
  readonly own: z.ZodType<Data>;
  /** Schema of the tenant of a shared credential; absent: hosts of the kind serve one tenant. */
  readonly tenant?: z.ZodType<string | undefined>;
  /** The host of the audience of data, as typed; absent or undefined: the host itself. @throws Failure validation_error */
  host?(typed: string, data: Data): string | undefined;
  /** The source for testing a shared credential before it is stored, `host` as typed; absent: no test. */
  trial?(audience: Audience, host: string, data: Data): SourceSpec;
  /** The source for testing a credential at an address. @throws Failure validation_error */
  toSource(address: string, settings: ApiSettings): SourceSpec;
}

/** The changeable options of a kind of source, never its address. */
export interface OptionsForm {
  /** Their fields in a submission, with defaults. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The source with the given options, validated; undefined is the default of an option. */
  change(source: SourceSpec, given: Readonly<Record<string, unknown>>): SourceSpec;
  /** The options of a source as fields of a submission; absent or null is the default. */
  read(source: SourceSpec): Readonly<Record<string, unknown>>;
}

/** Defines options, with the types of their fields and of the spec. By default the spec has the options under the same names. */
export function optionsForm<Spec extends SourceSpec, Shape extends Readonly<Record<string, z.ZodType>>>(
  fields: Shape,
  change: (source: Spec, given: { readonly [Name in keyof Shape]?: z.output<Shape[Name]> }) => Spec,
  read: (source: Spec) => { readonly [Name in keyof Shape]?: unknown } = (source) => source as object,
): OptionsForm {
  return { fields, change: change as unknown as OptionsForm["change"], read: read as unknown as OptionsForm["read"] };
}

/** The fields that name a source of a kind (`KindForms.place`). */
export function placeIn<Spec extends SourceSpec>(
  source: SourceSpec,
  place: (source: Spec) => Readonly<Record<string, unknown>> | null,
): Readonly<Record<string, unknown>> | null {
  return place(source as Spec);
}

/** How a kind of source is submitted. */
export interface KindForms<Data extends object = object> {
  /** Its name in a sentence, singular and plural. */
  readonly noun: string;
  readonly plural: string;
  readonly forms: readonly SourceForm[];
  /** The form of credentials, a library's own or shared; null: the kind has none. */
  readonly credential: CredentialForm<Data> | null;
  /** Changeable options of its libraries; absent: none. */
  readonly options?: OptionsForm;
  /** The request for an address that looks like this kind, or may be one if that was chosen; else null. The address of a folder is its absolute path. */
  typed(address: string, isChosen?: boolean): Typed | null;
  /** The fields of a submission that name a source, for an export; null: it was uploaded. */
  place(source: SourceSpec): Readonly<Record<string, unknown>> | null;
  /** The upload of a local file; absent: none. */
  readonly file?: FileForm;
  /** Names of further fields for people. */
  readonly fields: TypedFields;
}

/** A form of every kind. */
export type Forms = { readonly [K in Kind]: KindForms<CredentialOf<K>> };

/** Fields of every form. */
export const commonFields = {
  libraryName: libraryIdText.optional().describe("ID for the library, instead of the derived one."),
  title: libraryTitle.optional().describe("Display name; default: the source's own."),
  description: libraryDescription.optional().describe("Short description; default: the source's own."),
};

/** Fields of the forms of uploads; those of a multipart body are text. */
export const uploadFields = z.object({
  libraryTitle: libraryTitle
    .optional()
    .describe("Display name, from which the ID is derived; default: the file's name."),
  description: libraryDescription.optional().describe("Short description."),
  libraryName: libraryIdText.optional().describe("ID for the library, such as /docs/name."),
  private: truthText("Belongs to the key's teamspace."),
  force: truthText("The file replaces the library's current one."),
});

/** ID of a shared credential, in a body. */
export const credentialId: z.ZodString = text(1, 100);

/** The credential in a body: a library's own or a shared one. @throws Failure validation_error if both are given */
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

/**
 * The submission of a source with the common fields of its form. `others.title` is the default title; without it, the last segment
 * of the ID. @throws Failure invalid_library_id or validation_error
 */
export function submissionOf(
  source: SourceSpec,
  given: { readonly [K in keyof typeof commonFields]?: string | undefined },
  others: {
    readonly title?: string;
    readonly private: boolean;
    readonly credential?: CredentialChoice | undefined;
  },
): Submission {
  const { libraryName, title, description = "" } = given;
  const { deriveId, idPrefix } = kindOf(source);
  const named = title ?? others.title;
  const id = libraryName === undefined ? deriveId(source, named ?? "") : chosenId(libraryName, idPrefix(source));
  const chosen = { ...(title !== undefined && { title }), ...(description !== "" && { description }) };
  return {
    id,
    private: others.private,
    title: named ?? id.slice(id.lastIndexOf("/") + 1),
    description,
    ...(Object.keys(chosen).length > 0 && { chosen }),
    source,
    ...(others.credential && { credential: others.credential }),
  };
}

/** Returns the submission if the server may fetch its address. @throws Failure address_not_allowed */
export async function checked(
  submission: Submission,
  url: URL,
  { checkUrl }: Pick<ApiOptions, "checkUrl">,
): Promise<Submission> {
  await checkUrl(url);
  return submission;
}

/** A field that is true only as "true", as in the published contract. */
function truthText(description: string): z.ZodType<boolean> {
  return z
    .string()
    .optional()
    .transform((value) => value === "true")
    .describe(`${description} Only "true" counts.`);
}
