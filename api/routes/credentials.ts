import * as z from "zod";

import { deleteCredential, listCredentials, makeCredential, testCredential } from "../../domain/shared-credentials.ts";
import type { CredentialView, NewCredential } from "../../domain/shared-credentials.ts";
import { Failure } from "../../domain/failures.ts";
import { credentialKind, kindOf, kinds } from "../../domain/kinds/index.ts";
import type { Kind } from "../../domain/kinds/index.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { CredentialForm } from "../forms/form.ts";
import { everyForm, forms } from "../forms/index.ts";
import { parseBody, text } from "../parameters.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField } from "./teamspaces.ts";

/** Fields for creating credentials of every kind, beside their data. */
const commonFields = {
  name: text(1, 100).describe("What people call it; unique among the teamspace's credentials of the kind."),
  host: text(1, 1000).describe(
    "Host that it may be sent to, such as git.example.com or git.example.com:8443; or an address on it.",
  ),
  teamspace: teamspaceField("The teamspace that owns it"),
};

type CredentialBody = Omit<NewCredential, "teamspace" | "tenant"> & {
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
    id: z.string().describe("Credential ID, by which submissions name it."),
    teamspace: z.string().describe("The teamspace that owns it."),
    name: z.string().describe("What people call it."),
    kind: z.enum(Object.keys(kinds) as Kind[]).describe("Kind of source that it is for."),
    host: z.string().describe("The only host that it is sent to."),
    tenant: z.string().optional().describe("Whose part of the host it is for, where one host serves many."),
    createdAt: time("When it was made."),
    expiresAt: time("When it stops working, as far as that is known.").optional(),
    warning: z.string().optional().describe("What to do about it: it ends soon, has ended, or could not be tried."),
    libraries: z.array(z.string()).describe("IDs of the libraries that use it, of those that the key may read."),
    uses: z.int().describe("How many libraries use it in all."),
  })
  .meta({ id: "Credential" });

const testBody = z
  .object({
    address: text(1, 1000)
      .optional()
      .describe(
        "What to read with it, such as the address of a repository that needs it, on its host; default: a library that uses it.",
      ),
  })
  .meta({ id: "CredentialTest" });

/** The result of a test of a credential. */
export const testSchema = z
  .object({
    ok: z.boolean().describe("The source could be read."),
    error: z.string().nullable().describe("Error code; null if it is ok."),
    message: z.string().describe("What was read, or what to do."),
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
      description: "A key that is limited to some libraries manages no credentials.",
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
      summary: "Make a credential that private libraries of the teamspace can share",
      description:
        "It is kept encrypted, sent to its host only, and never shown. Of kinds whose libraries are all private it is tried first, and refused with what it lacks.",
    },
    body: jsonBody(credentialBody),
    answers: success(credentialSchema),
    failures: ["duplicate_credential", "address_not_allowed", "source_not_found", "source_refused", "source_invalid"],
    async handler({ caller, body, options }) {
      const { kind, name, data, tenant, teamspace = ownTeamspace(caller) } = body;
      const audience = { host: toHost(body.host), ...(tenant !== undefined && { tenant }) };
      const trial = formOf(kind).trial?.(audience, body.host, data);
      const wanted = { kind, name, data, teamspace, ...audience, ...(trial && { trial }) };
      return jsonAnswer(toCredential(await makeCredential(options.ports, caller, wanted)));
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
      description: "Asks the host as a run does. What a host shows to everybody proves nothing: name what needs it.",
    },
    parameters: idParameter,
    body: optionalJsonBody(testBody),
    answers: success(testSchema, "Tested: `ok` says with which end."),
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

/** The host of a host or an address, as sources name theirs. @throws Failure validation_error */
function toHost(given: string): string {
  const isAddress = /^https?:\/\//i.test(given);
  const url = URL.parse(isAddress ? given : `https://${given}`);
  if (url === null || /[\s\\\p{Cc}]/u.test(given) || (!isAddress && /[/?#]/.test(given)))
    throw new Failure("validation_error", "host must be a host such as git.example.com:8443, or an http(s) address.");
  if (url.username !== "" || url.password !== "")
    throw new Failure("validation_error", "host must hold no credentials; put them into data.");
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
