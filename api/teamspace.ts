import { defaultTeamspace } from "../domain/access.ts";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { text } from "./parameters.ts";

/** The teamspace of a caller; `default` for one without a key. */
export function ownTeamspace({ teamspace }: Pick<Caller, "teamspace">): string {
  return teamspace ?? defaultTeamspace;
}

/** Field of a parameter or a body that names a teamspace, for the operations of administrators. */
export function teamspaceField(whose: string) {
  return text(1, 100)
    .optional()
    .describe(`${whose}; default: the caller's own. Another one is for the instance's administrators.`);
}

/** The failure for an ID that no teamspace has. */
export function unknownTeamspace(id: string): Failure {
  const message = `There is no teamspace "${id}". GET /api/v2/teamspaces lists them, and POST makes one.`;
  return new Failure("validation_error", message);
}
