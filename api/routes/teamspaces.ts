import * as z from "zod";

import { defaultTeamspace } from "../../domain/access.ts";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { TeamspaceRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { text } from "../parameters.ts";
import { route, success } from "../route.ts";
import type { Call, Route } from "../route.ts";
import { time } from "../schemas/common.ts";

const teamspaceBody = z
  .object({
    id: text(1, 63)
      .regex(/^[a-z0-9][a-z0-9-]*$/, { error: "must be lower-case letters, digits and hyphens, such as web-team" })
      .describe("Lower-case letters, digits and hyphens."),
    title: text(1, 100).optional().describe("Display name; default: the ID."),
  })
  .meta({ id: "NewTeamspace" });

const teamspaceSchema = z
  .object({
    id: z.string().describe("Teamspace ID."),
    title: z.string().describe("Display name."),
    createdAt: time("When it was made."),
  })
  .meta({ id: "Teamspace" });

const idParameter = z.object({ id: text(1, 100).describe("Teamspace ID.") });

const common = { path: "/api/v2/teamspaces", scope: "admin", limit: "read" } as const;
const description = "For the instance's administrators.";

/** Teamspaces, for the instance's administrators. */
export const teamspaceRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    about: { operationId: "listTeamspaces", tag: "Teamspaces", summary: "List the teamspaces", description },
    answers: success(z.object({ teamspaces: z.array(teamspaceSchema) })),
    handler: listTeamspaces,
  }),
  route({
    ...common,
    method: "POST",
    about: { operationId: "createTeamspace", tag: "Teamspaces", summary: "Make a teamspace", description },
    body: jsonBody(teamspaceBody),
    answers: success(teamspaceSchema),
    failures: ["duplicate_teamspace"],
    handler: create,
  }),
  route({
    ...common,
    method: "DELETE",
    about: {
      operationId: "deleteTeamspace",
      tag: "Teamspaces",
      summary: "Delete a teamspace",
      description: `${description} Refused while it has libraries, or keys that are not revoked; \`${defaultTeamspace}\` stays.`,
    },
    parameters: idParameter,
    answers: success(
      z.object({ id: z.string().describe("Teamspace ID."), message: z.string().describe("What was done.") }),
    ),
    failures: ["teamspace_in_use"],
    handler: remove,
  }),
];

async function listTeamspaces({ caller, options }: Call): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
  const teamspaces = await options.ports.catalog.teamspaces.list();
  return jsonAnswer({ teamspaces: teamspaces.map(toTeamspace) });
}

async function create({ caller, body, options }: Call<unknown, z.infer<typeof teamspaceBody>>): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
  const { id, title = id } = body;
  const { catalog, now } = options.ports;
  const record: TeamspaceRecord = { id, title, createdAt: now() };
  if (!(await catalog.teamspaces.add(record)))
    throw new Failure("duplicate_teamspace", `There is a teamspace "${id}" already. Use it, or choose another ID.`);
  return jsonAnswer(toTeamspace(record));
}

/** Deletes one that owns nothing any more. */
async function remove({ caller, parameters: { id }, options }: Call<z.infer<typeof idParameter>>): Promise<ApiAnswer> {
  authorize(caller, "teamspaces");
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

function toTeamspace({ id, title, createdAt }: TeamspaceRecord): z.infer<typeof teamspaceSchema> {
  return { id, title, createdAt: new Date(createdAt).toISOString() };
}
