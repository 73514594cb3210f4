import { defaultTeamspace } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import type { Visit } from "../page.ts";

/** The teamspace of a page: the requested one, else the caller's own; and the choices of the caller. */
export async function chosenTeamspace(
  { ask, caller }: Pick<Visit, "ask" | "caller">,
  asked: string | undefined,
): Promise<{ readonly teamspace: string; readonly choices: readonly string[] }> {
  const teamspace = asked ?? caller.teamspace ?? defaultTeamspace;
  if (!may(caller, "teamspaces")) return { teamspace, choices: [teamspace] };
  const { teamspaces } = await ask<{ teamspaces: readonly { readonly id: string }[] }>("/v2/teamspaces");
  return { teamspace, choices: teamspaces.map(({ id }) => id) };
}
