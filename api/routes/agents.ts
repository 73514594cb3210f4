import * as z from "zod";
import { defaultTeamspace } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import { jsonAnswer } from "../answers.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { ownTeamspace } from "./teamspaces.ts";

/** Maximum number of agents in an answer. */
const atMost = 100;

/** The answer of `GET /api/v2/agents`. */
export const agentsSchema = z.object({
  agents: z
    .array(
      z.object({
        client: z.string().describe("Name of the program, as it identifies itself."),
        keyId: z.string().nullable().describe("ID of its key, or of its signed-in user; null: neither."),
        askedAt: time("When it last connected, at most an hour too early."),
      }),
    )
    .describe("The last one of each key, latest first; 100 at most."),
});

/** The agents that have connected over MCP. */
export const agentsRoute: Route = route({
  method: "GET",
  path: "/api/v2/agents",
  scope: "read",
  limit: "read",
  isPolled: true,
  about: {
    operationId: "listAgents",
    tag: "Keys",
    summary: "List the agents that have connected",
    description:
      "The agent of the caller's key; for administrators, those of the teamspace; for those of the instance, also the last one without a key.",
  },
  answers: success(agentsSchema),
  async handler({ caller, options: { ports } }) {
    const teamspace = ownTeamspace(caller);
    const seesAll = may(caller, "keys", { teamspace, libraries: caller.libraries });
    const teamspaces = seesAll && teamspace === defaultTeamspace ? [teamspace, ""] : [teamspace];
    const found = await ports.catalog.agents.list(teamspaces, atMost, seesAll ? undefined : (caller.keyId ?? ""));
    return jsonAnswer({
      agents: found.map(({ client, keyId, askedAt }) => ({ client, keyId: keyId || null, askedAt: iso(askedAt) })),
    });
  },
});
