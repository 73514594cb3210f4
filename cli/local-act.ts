import { defaultTeamspace } from "../domain/access.ts";
import type { AuditAction } from "../domain/audit.ts";
import { failures, toFailureRecord } from "../domain/failures.ts";
import type { Catalog } from "../domain/ports.ts";
import { newId } from "./ids.ts";

/** Executes an act of a command without HTTP, and records it in the audit log. `command` takes the place of a key there. */
export async function localAct<T>(
  { audit }: Pick<Catalog, "audit">,
  { command, action, target }: { readonly command: string; readonly action: AuditAction; readonly target: string },
  work: () => Promise<T>,
): Promise<T> {
  const id = newId();
  await audit.add({
    id,
    at: Date.now(),
    action,
    target,
    keyId: command,
    subject: null,
    teamspace: defaultTeamspace,
    address: "local",
    outcome: "begun",
    code: null,
    requestId: null,
  });
  try {
    const result = await work();
    await audit.end(id, { target, outcome: "done", code: null });
    return result;
  } catch (error) {
    const { code } = toFailureRecord(error);
    await audit.end(id, { target, outcome: failures[code].status >= 500 ? "failed" : "refused", code });
    throw error;
  }
}
