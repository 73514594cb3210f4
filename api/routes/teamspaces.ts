import * as z from "zod";

import { defaultTeamspace } from "../../domain/access.ts";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { TeamspaceRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import { parseBody, parseQuery, text } from "../parameters.ts";

const teamspaceBody = z.object({
  id: text(1, 63).regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: "must be lower-case letters, digits and hyphens, such as web-team",
  }),
  title: text(1, 100).optional(),
});
const idParameter = z.object({ id: text(1, 100) });

/** Teamspaces, for the instance's administrators. */
export const teamspaceRoutes: readonly Route[] = [
  { method: "GET", path: "/api/v2/teamspaces", scope: "admin", limit: "read", handler: list },
  { method: "POST", path: "/api/v2/teamspaces", scope: "admin", limit: "read", body: "needed", handler: create },
  { method: "DELETE", path: "/api/v2/teamspaces", scope: "admin", limit: "read", handler: remove },
];

async function list({ caller, options }: Call): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
  const teamspaces = await options.ports.catalog.teamspaces.list();
  return jsonAnswer({ teamspaces: teamspaces.map(toTeamspace) });
}

async function create({ caller, body, options }: Call): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
  const { id, title = id } = parseBody(teamspaceBody, body);
  const { catalog, now } = options.ports;
  const record: TeamspaceRecord = { id, title, createdAt: now() };
  if (!(await catalog.teamspaces.add(record)))
    throw new Failure("duplicate_teamspace", `There is a teamspace "${id}" already. Use it, or choose another ID.`);
  return jsonAnswer(toTeamspace(record));
}

/** Deletes one that owns nothing any more. */
async function remove({ request, caller, options }: Call): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
  const { id } = parseQuery(idParameter, request.query);
  if (id === defaultTeamspace)
    throw new Failure("validation_error", `The teamspace "${id}" cannot be deleted: it is the instance's own.`);
  const left = await options.ports.catalog.teamspaces.remove(id);
  if (!left)
    throw new Failure("validation_error", "There is no teamspace with this ID. GET /api/v2/teamspaces lists them.");
  if (left.libraries + left.keys > 0) {
    const message = `The teamspace "${id}" has ${left.libraries} libraries and ${left.keys} keys. Delete the libraries and revoke the keys first.`;
    throw new Failure("teamspace_in_use", message);
  }
  return jsonAnswer({ id, message: "The teamspace was deleted." });
}

function toTeamspace({ id, title, createdAt }: TeamspaceRecord): object {
  return { id, title, createdAt: new Date(createdAt).toISOString() };
}
