import { may } from "../../../domain/authorizing.ts";
import { ownTeamspace } from "../../teamspace.ts";
import type { Visit } from "../page.ts";
import type { AdminContext } from "../views/administration.ts";

/** The context of a page about a teamspace: the requested one, else the caller's own. */
export async function adminContext(
  { ask, caller, formToken }: Visit,
  asked: string | undefined,
): Promise<AdminContext> {
  const teamspace = asked ?? ownTeamspace(caller);
  const context = { caller, formToken, teamspace, now: Date.now() };
  if (!may(caller, "teamspaces")) return { ...context, choices: [teamspace] };
  const { teamspaces } = await ask<{ teamspaces: readonly { readonly id: string }[] }>("/v2/teamspaces");
  return { ...context, choices: teamspaces.map(({ id }) => id) };
}
