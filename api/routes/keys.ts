import * as z from "zod";
import type { Caller } from "../../domain/access.ts";
import { authorize, may } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { KeyRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { makeKey } from "../keys.ts";
import { list, text } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, isoOrNull, scopeSchema, time, timeOrNull, type AnswerOf } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField, unknownTeamspace } from "./teamspaces.ts";

const keyBody = z
  .object({
    name: text(1, 100).describe("Display name."),
    scopes: z
      .array(scopeSchema, { error: "must be a list of scopes" })
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
      .describe("Library IDs to which it is limited; `*` matches anything."),
    user: text(1, 500).optional().describe("User of the key, for access rules."),
    groups: list(text(1, 500), 100).prefault([]).describe("Groups of the key, for access rules."),
    teamspace: teamspaceField("The teamspace that owns it"),
    expiresAt: z.iso
      .datetime({ offset: true, error: "must be a time such as 2030-01-31T00:00:00Z" })
      .optional()
      .describe("Expiry; default: never."),
  })
  .meta({ id: "NewKey" });

/** An API key, without its text. */
export const keySchema = z
  .object({
    id: z.string().describe("Key ID."),
    teamspace: z.string().describe("The teamspace that owns it."),
    name: z.string().describe("Display name."),
    hint: z.string().describe("First characters of the key."),
    scopes: z.array(scopeSchema).describe("`admin` includes `submit`, `submit` includes `read`."),
    libraries: z.array(z.string()).describe("Library IDs to which it is limited; `*` matches anything; empty: all."),
    user: z.string().optional().describe("User of the key."),
    groups: z.array(z.string()).describe("Groups of the key."),
    createdAt: time("When it was created."),
    expiresAt: timeOrNull("Expiry."),
    revokedAt: timeOrNull("When it was revoked."),
  })
  .meta({ id: "Key" });

const createdSchema = z
  .object({
    key: z.string().describe("The key."),
    message: z.string().describe("Advice on the key."),
    ...keySchema.shape,
  })
  .meta({ id: "CreatedKey" });

const idParameter = z.object({ id: text(1, 100).describe("Key ID.") });

const common = { path: "/api/v2/keys", scope: "admin", limit: "read" } as const;

/** API keys of the caller's teamspace; of any one for administrators of the instance. */
export const keyRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    about: {
      operationId: "listKeys",
      tag: "Keys",
      summary: "List the API keys of the teamspace",
      description: "A key that is limited to some libraries manages only keys with the same or narrower limits.",
    },
    parameters: z.object({ teamspace: teamspaceField("Whose keys") }),
    answers: success(z.object({ keys: z.array(keySchema) })),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      authorize(caller, "keys", { teamspace });
      const keys = await options.ports.catalog.keys.list(teamspace);
      return jsonAnswer({ keys: keys.filter((key) => mayManage(caller, key)).map(toKey) });
    },
  }),
  route({
    ...common,
    method: "POST",
    audit: "key.create",
    about: {
      operationId: "createKey",
      tag: "Keys",
      summary: "Create an API key",
      description: "Only this answer has the key.",
    },
    body: jsonBody(keyBody),
    answers: success(createdSchema),
    async handler({ caller, body, options: { ports } }) {
      const { expiresAt, user, groups, teamspace = ownTeamspace(caller), ...chosen } = body;
      authorize(caller, "keys", { teamspace, libraries: chosen.libraries });
      const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
      if (expires !== null && expires <= ports.now()) {
        throw new Failure("validation_error", "expiresAt is in the past. Give a future time, or leave it out.");
      }
      const { key, hash, hint } = makeKey();
      const record: KeyRecord = {
        id: ports.newId(),
        teamspace,
        hash,
        hint,
        ...chosen,
        createdAt: ports.now(),
        expiresAt: expires,
        revokedAt: null,
        ...(user !== undefined && { subject: user }),
        ...(groups.length > 0 && { groups }),
      };
      if (!(await ports.catalog.keys.add(record))) throw unknownTeamspace(teamspace);
      return jsonAnswer({ key, ...toKey(record), message: "Keep the key: it is shown only once." });
    },
  }),
  route({
    ...common,
    method: "DELETE",
    audit: "key.revoke",
    about: { operationId: "revokeKey", tag: "Keys", summary: "Revoke an API key" },
    parameters: idParameter,
    answers: success(z.object({ id: z.string().describe("Key ID."), message: z.string().describe("What was done.") })),
    // Idempotent.
    async handler({ caller, parameters: { id }, options: { ports } }) {
      const key = await ports.catalog.keys.get(id);
      if (!key || !mayManage(caller, key) || !(await ports.catalog.keys.revoke(key.teamspace, id, ports.now()))) {
        throw new Failure("validation_error", "There is no key with this ID. List the keys to see theirs.");
      }
      return jsonAnswer({ id, message: "The key was revoked." });
    },
  }),
];

/** Whether the caller may see and revoke a key. */
function mayManage(caller: Caller, { teamspace, libraries }: KeyRecord): boolean {
  return may(caller, "keys", { teamspace, libraries });
}

function toKey(key: KeyRecord): AnswerOf<typeof keySchema> {
  const { id, teamspace, name, hint, scopes, libraries, subject, groups = [], createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    teamspace,
    name,
    hint,
    scopes,
    libraries,
    ...(subject !== undefined && { user: subject }),
    groups,
    createdAt: iso(createdAt),
    expiresAt: isoOrNull(expiresAt),
    revokedAt: isoOrNull(revokedAt),
  };
}
