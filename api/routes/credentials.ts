import * as z from "zod";
import {
  deleteCredential,
  listCredentials,
  makeCredential,
  testCredential,
  type CredentialView,
  type NewCredential,
} from "../../domain/shared-credentials.ts";
import { Failure } from "../../domain/failures.ts";
import { credentialKind, kindOf, kinds, type Kind } from "../../domain/kinds/index.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { CredentialForm } from "../forms/form.ts";
import { everyForm, forms } from "../forms/index.ts";
import { parseBody, text } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField } from "./teamspaces.ts";

/** The fields of a new credential of any kind, without its data. */
const commonFields = {
  name: text(1, 100).describe("Display name, unique among the teamspace's credentials of the kind."),
  host: text(1, 1000).describe(
    "Host to which it may be sent, such as git.example.com or git.example.com:8443, or an address on it.",
  ),
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be a time such as 2030-01-31T00:00:00Z" })
    .transform((text) => Date.parse(text))
    .optional()
    .describe("When its token expires; receivers are notified 14 days and one day before."),
  teamspace: teamspaceField("The teamspace that owns it"),
};

type CredentialBody = Omit<NewCredential, "teamspace" | "tenant" | "expiresAt"> & {
  readonly expiresAt?: number | undefined;
  readonly teamspace?: string | undefined;
  readonly tenant?: string | undefined;
};

/** A body for each kind whose form has a credential, discriminated by `kind`. */
const credentialBody: z.ZodType<CredentialBody> = z
  .discriminatedUnion("kind", bodies(), { error: () => `must be ${credentialKinds().join(" or ")}` })
  .meta({ id: "NewCredential" });

/** A shared credential, without its data. */
export const credentialSchema = z
  .object({
    id: z.string().describe("Credential ID, for submissions."),
    teamspace: z.string().describe("The teamspace that owns it."),
    name: z.string().describe("Display name."),
    kind: z.enum(Object.keys(kinds) as Kind[]).describe("Kind of source."),
    host: z.string().describe("The only host to which it is sent."),
    tenant: z.string().optional().describe("Tenant, if the host serves several."),
    createdAt: time("When it was created."),
    expiresAt: time("When it expires, if known.").optional(),
    warning: z
      .string()
      .optional()
      .describe("Problem and advice: it expires soon, has expired, or could not be tested."),
    libraries: z.array(z.string()).describe("IDs of the libraries that use it, if the key may read them."),
    uses: z.int().describe("Number of all libraries that use it."),
  })
  .meta({ id: "Credential" });

const testBody = z
  .object({
    address: text(1, 1000)
      .optional()
      .describe("Address to test it with, on its host, such as a private repository; default: a library that uses it."),
  })
  .meta({ id: "CredentialTest" });

/** The result of a test of a credential. */
export const testSchema = z
  .object({
    ok: z.boolean().describe("Whether the source could be read."),
    error: z.string().nullable().describe("Error code; null if `ok`."),
    message: z.string().describe("What was read, or advice."),
  })
  .meta({ id: "CredentialTested" });

const idParameter = z.object({ id: text(1, 100).describe("Credential ID.") });

const path = "/api/v2/credentials";
const common = { scope: "admin", limit: "read" } as const;

/** Shared credentials of teamspaces. No answer has their data. */
export const credentialRoutes: readonly Route[] = [
  route({
    ...common,
    path,
    method: "GET",
    about: {
      operationId: "listCredentials",
      tag: "Credentials",
      summary: "List the shared credentials of the teamspace",
      description: "Keys that are limited to some libraries may not manage credentials.",
    },
    parameters: z.object({ teamspace: teamspaceField("Whose credentials") }),
    answers: success(z.object({ credentials: z.array(credentialSchema) })),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      const views = await listCredentials(options.ports, caller, teamspace);
      return jsonAnswer({ credentials: views.map(toCredential) });
    },
  }),
  route({
    ...common,
    path,
    method: "POST",
    audit: "credential.create",
    about: {
      operationId: "createCredential",
      tag: "Credentials",
      summary: "Create a credential for private libraries of the teamspace",
      description:
        "It is stored encrypted, sent only to its host, and never shown. If all libraries of the kind are private, it is tested first, and refused if it fails.",
    },
    body: jsonBody(credentialBody),
    answers: success(credentialSchema),
    failures: ["duplicate_credential", "address_not_allowed", "source_not_found", "source_refused", "source_invalid"],
    async handler({ caller, body, options }) {
      const { kind, name, data, tenant, expiresAt, teamspace = ownTeamspace(caller) } = body;
      const { host: hostOf, trial: trialOf } = formOf(kind);
      const audience = {
        host: hostOf?.(body.host, data) ?? toHost(body.host),
        ...(tenant !== undefined && { tenant }),
      };
      const trial = trialOf?.(audience, body.host, data);
      const wanted = { kind, name, data, teamspace, ...audience, ...(trial && { trial }) };
      const ends = expiresAt === undefined ? {} : { expiresAt };
      return jsonAnswer(toCredential(await makeCredential(options.ports, caller, { ...wanted, ...ends })));
    },
  }),
  route({
    ...common,
    path: `${path}/{id}`,
    method: "DELETE",
    audit: "credential.delete",
    about: {
      operationId: "deleteCredential",
      tag: "Credentials",
      summary: "Delete a shared credential",
      description: "Refused while libraries use it.",
    },
    parameters: idParameter,
    answers: success(
      z.object({ id: z.string().describe("Credential ID."), message: z.string().describe("What was done.") }),
    ),
    failures: ["credential_not_found", "credential_in_use"],
    async handler({ caller, parameters: { id }, options }) {
      await deleteCredential(options.ports, caller, id);
      return jsonAnswer({ id, message: "The credential was deleted." });
    },
  }),
  route({
    ...common,
    path: `${path}/{id}/test`,
    method: "POST",
    limit: "submission",
    audit: "credential.test",
    about: {
      operationId: "testCredential",
      tag: "Credentials",
      summary: "Test a shared credential on its host",
      description:
        "Requests the host as a run does. A public address proves nothing: give one that needs the credential.",
    },
    parameters: idParameter,
    body: optionalJsonBody(testBody),
    answers: success(testSchema, "Tested: `ok` has the result."),
    failures: ["credential_not_found"],
    async handler({ caller, parameters: { id }, body = {}, options }) {
      const { address } = parseBody(testBody, body);
      const sourceOf = address === undefined ? null : (kind: Kind) => formOf(kind).toSource(address, options.settings);
      const { source, failure } = await testCredential(options.ports, caller, id, sourceOf);
      const { code = null, message = `${kindOf(source).location(source)} can be read.` } = failure ?? {};
      return jsonAnswer({ ok: code === null, error: code, message });
    },
  }),
];

function toCredential({
  credential,
  libraries,
  uses,
  expires,
  warning,
}: CredentialView): z.infer<typeof credentialSchema> {
  const { id, teamspace, name, host, tenant, createdAt } = credential;
  return {
    id,
    teamspace,
    name,
    kind: credentialKind(credential),
    host,
    ...(tenant !== undefined && { tenant }),
    createdAt: iso(createdAt),
    ...(expires !== null && { expiresAt: iso(expires) }),
    ...(warning !== undefined && { warning }),
    libraries: libraries.map((library) => library.id),
    uses,
  };
}

/** The host in a text that is a host or an address. @throws Failure validation_error */
function toHost(given: string): string {
  const isAddress = /^https?:\/\//i.test(given);
  const url = URL.parse(isAddress ? given : `https://${given}`);
  if (url === null || /[\s\\\p{Cc}]/u.test(given) || (!isAddress && /[/?#]/.test(given)))
    throw new Failure("validation_error", "host must be a host such as git.example.com:8443, or an http(s) address.");
  if (url.username !== "" || url.password !== "")
    throw new Failure("validation_error", "host must not contain credentials; put them into data.");
  return url.host;
}

function credentialKinds(): readonly Kind[] {
  return everyForm().flatMap(([kind, { credential }]) => (credential === null ? [] : [kind]));
}

function formOf(kind: Kind): CredentialForm<object> {
  const { credential } = forms[kind];
  if (credential === null) throw new Error(`The kind ${kind} takes no credential.`);
  return credential;
}

function bodies() {
  const [first, ...others] = credentialKinds().map((kind) => {
    const { data, tenant } = formOf(kind);
    const named = {
      kind: z.literal(kind).describe("Kind of source."),
      ...commonFields,
      ...(tenant && ({ tenant } as object)),
    };
    return z.object({ ...named, data });
  });
  if (!first) throw new Error("No kind takes a credential.");
  return [first, ...others] as const;
}
