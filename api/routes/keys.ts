import * as z from "zod";

import { isWithin } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import type { KeyRecord } from "../../domain/ports.ts";
import { defaultTeamspace } from "../access.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { makeKey } from "../keys.ts";
import type { ApiOptions } from "../options.ts";
import { list, text } from "../parameters.ts";
import { route, success } from "../route.ts";
import type { Call, Route } from "../route.ts";
import { time, timeOrNull } from "../schemas/common.ts";

const scope = z.enum(["read", "submit", "admin"], { error: "must be read, submit or admin" });

const keyBody = z
  .object({
    name: text(1, 100).describe("What people call it."),
    scopes: z
      .array(scope, { error: "must be a list of scopes" })
      .min(1, { error: "must name at least one scope" })
      .max(3, { error: "must name at most three scopes" })
      .transform((scopes) => [...new Set(scopes)])
      .describe("At least one."),
    libraries: list(
      text(1, 500).refine((pattern) => pattern.startsWith("/") || pattern.startsWith("*"), {
        error: "must be a library ID that may hold *, such as /acme/*",
      }),
      100,
    )
      .prefault([])
      .describe("Library IDs that it is limited to, `*` standing for anything."),
    expiresAt: z.iso
      .datetime({ offset: true, error: "must be a time such as 2030-01-31T00:00:00Z" })
      .optional()
      .describe("Expiry; default: never."),
  })
  .meta({ id: "NewKey" });

const keySchema = z
  .object({
    id: z.string().describe("Key ID."),
    name: z.string().describe("What people call it."),
    hint: z.string().describe("The first characters of the key."),
    scopes: z.array(scope).describe("`admin` includes `submit`, `submit` includes `read`."),
    libraries: z
      .array(z.string())
      .describe("Library IDs that it is limited to, `*` standing for anything; empty: all."),
    createdAt: time("When it was made."),
    expiresAt: timeOrNull("Expiry."),
    revokedAt: timeOrNull("When it was revoked."),
  })
  .meta({ id: "Key" });

const createdSchema = z
  .object({
    key: z.string().describe("The key."),
    message: z.string().describe("What to do with it."),
    ...keySchema.shape,
  })
  .meta({ id: "CreatedKey" });

const idParameter = z.object({ id: text(1, 100).describe("Key ID.") });

const common = { path: "/api/v2/keys", scope: "admin", limit: "read" } as const;

/** API keys of the caller's teamspace; for a key that is limited to libraries, those limited to the same or fewer. */
export const keyRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    about: {
      operationId: "listKeys",
      tag: "Keys",
      summary: "List the API keys of the teamspace",
      description:
        "A key that is limited to some libraries lists, makes and revokes only keys that are limited to these, or to fewer.",
    },
    answers: success(z.object({ keys: z.array(keySchema) })),
    handler: listKeys,
  }),
  route({
    ...common,
    method: "POST",
    about: {
      operationId: "createKey",
      tag: "Keys",
      summary: "Make an API key",
      description: "The key is in this answer and nowhere else.",
    },
    body: jsonBody(keyBody),
    answers: success(createdSchema),
    handler: create,
  }),
  route({
    ...common,
    method: "DELETE",
    about: { operationId: "revokeKey", tag: "Keys", summary: "Revoke an API key" },
    parameters: idParameter,
    answers: success(z.object({ id: z.string().describe("Key ID."), message: z.string().describe("What was done.") })),
    handler: revoke,
  }),
];

async function listKeys({ caller, options }: Call): Promise<ApiAnswer> {
  const keys = await keysOf(caller, options);
  return jsonAnswer({ keys: keys.map(toKey) });
}

/** Makes a key. Its text is in this answer and nowhere else. */
async function create({ caller, body, options }: Call<unknown, z.infer<typeof keyBody>>): Promise<ApiAnswer> {
  const { name, scopes, libraries, expiresAt } = body;
  const { ports } = options;
  if (!isWithin(caller, libraries)) {
    const message = `Your key is limited to ${caller.libraries.join(", ")}: name libraries within these.`;
    throw new Failure("forbidden", message);
  }
  const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
  if (expires !== null && expires <= ports.now()) {
    throw new Failure("validation_error", "expiresAt is in the past. Give a time to come, or leave it out.");
  }
  const { key, hash, hint } = makeKey();
  const record: KeyRecord = {
    id: ports.newId(),
    teamspace: teamspaceOf(caller),
    name,
    hash,
    hint,
    scopes,
    libraries,
    createdAt: ports.now(),
    expiresAt: expires,
    revokedAt: null,
  };
  await ports.catalog.keys.add(record);
  return jsonAnswer({ key, ...toKey(record), message: "Keep the key: it is shown only once." });
}

/** Revokes at once; revoking again changes nothing. */
async function revoke({ caller, parameters: { id }, options }: Call<z.infer<typeof idParameter>>): Promise<ApiAnswer> {
  const { ports } = options;
  const found = (await keysOf(caller, options)).some((key) => key.id === id);
  if (!found || !(await ports.catalog.keys.revoke(teamspaceOf(caller), id, ports.now()))) {
    throw new Failure("validation_error", "There is no key with this ID. GET /api/v2/keys lists them.");
  }
  return jsonAnswer({ id, message: "The key was revoked." });
}

/** The keys that the caller may see and revoke. */
async function keysOf(caller: Caller, { ports }: ApiOptions): Promise<readonly KeyRecord[]> {
  const keys = await ports.catalog.keys.list(teamspaceOf(caller));
  return keys.filter(({ libraries }) => isWithin(caller, libraries));
}

function teamspaceOf(caller: Caller): string {
  return caller.teamspace ?? defaultTeamspace;
}

function toKey({ id, name, hint, scopes, libraries, createdAt, expiresAt, revokedAt }: KeyRecord): object {
  const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return {
    id,
    name,
    hint,
    scopes,
    libraries,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  };
}
