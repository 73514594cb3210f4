import * as z from "zod";

import { defaultTeamspace } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import { authorize, may } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { KeyRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import { makeKey } from "../keys.ts";
import { parseBody, parseQuery, text } from "../parameters.ts";

const scope = z.enum(["read", "submit", "admin"], { error: "must be read, submit or admin" });

const keyBody = z.object({
  name: text(1, 100),
  scopes: z
    .array(scope, { error: "must be a list of scopes" })
    .min(1, { error: "must name at least one scope" })
    .max(3, { error: "must name at most three scopes" })
    .transform((scopes) => [...new Set(scopes)]),
  libraries: z
    .array(z.unknown(), { error: "must be a list" })
    .max(100, { error: "must have at most 100 entries" })
    .pipe(
      z.array(
        text(1, 500).refine((pattern) => pattern.startsWith("/") || pattern.startsWith("*"), {
          error: "must be a library ID that may hold *, such as /acme/*",
        }),
      ),
    )
    .default([]),
  teamspace: text(1, 100).optional(),
  expiresAt: z.iso.datetime({ offset: true, error: "must be a time such as 2030-01-31T00:00:00Z" }).optional(),
});
const idParameter = z.object({ id: text(1, 100) });
const listParameters = z.object({ teamspace: text(1, 100).optional() });

/** API keys of the caller's teamspace, of any for the instance's administrators; for a key that is limited to libraries, those limited to the same or fewer. */
export const keyRoutes: readonly Route[] = [
  { method: "GET", path: "/api/v2/keys", scope: "admin", limit: "read", handler: list },
  { method: "POST", path: "/api/v2/keys", scope: "admin", limit: "read", body: "needed", handler: create },
  { method: "DELETE", path: "/api/v2/keys", scope: "admin", limit: "read", handler: revoke },
];

async function list({ request, caller, options }: Call): Promise<ApiAnswer> {
  const { teamspace = teamspaceOf(caller) } = parseQuery(listParameters, request.query);
  authorize(caller, "keys", { teamspace });
  const keys = await options.ports.catalog.keys.list(teamspace);
  return jsonAnswer({ keys: keys.filter((key) => mayManage(caller, key)).map(toKey) });
}

/** Makes a key. Its text is in this answer and nowhere else. */
async function create({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { name, scopes, libraries, expiresAt, teamspace = teamspaceOf(caller) } = parseBody(keyBody, body);
  const { ports } = options;
  authorize(caller, "keys", { teamspace, libraries });
  const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
  if (expires !== null && expires <= ports.now()) {
    throw new Failure("validation_error", "expiresAt is in the past. Give a time to come, or leave it out.");
  }
  const { key, hash, hint } = makeKey();
  const record: KeyRecord = {
    id: ports.newId(),
    teamspace,
    name,
    hash,
    hint,
    scopes,
    libraries,
    createdAt: ports.now(),
    expiresAt: expires,
    revokedAt: null,
  };
  if (!(await ports.catalog.keys.add(record))) {
    const message = `There is no teamspace "${teamspace}". GET /api/v2/teamspaces lists them, and POST makes one.`;
    throw new Failure("validation_error", message);
  }
  return jsonAnswer({ key, ...toKey(record), message: "Keep the key: it is shown only once." });
}

/** Revokes at once; revoking again changes nothing. */
async function revoke({ request, caller, options }: Call): Promise<ApiAnswer> {
  const { id } = parseQuery(idParameter, request.query);
  const { ports } = options;
  const key = await ports.catalog.keys.get(id);
  if (!key || !mayManage(caller, key) || !(await ports.catalog.keys.revoke(key.teamspace, id, ports.now()))) {
    throw new Failure("validation_error", "There is no key with this ID. GET /api/v2/keys lists them.");
  }
  return jsonAnswer({ id, message: "The key was revoked." });
}

/** Whether the caller may see and revoke a key. */
function mayManage(caller: Caller, { teamspace, libraries }: KeyRecord): boolean {
  return may(caller, "keys", { teamspace, libraries });
}

function teamspaceOf(caller: Caller): string {
  return caller.teamspace ?? defaultTeamspace;
}

function toKey({ id, teamspace, name, hint, scopes, libraries, createdAt, expiresAt, revokedAt }: KeyRecord): object {
  const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return {
    id,
    teamspace,
    name,
    hint,
    scopes,
    libraries,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  };
}
