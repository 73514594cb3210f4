import { appendFile } from "node:fs/promises";
import { toAuditRecord } from "../api/routes/audit.ts";
import type { AuditRecord, AuditAction } from "../domain/audit.ts";
import { defaultTeamspace } from "../domain/access.ts";
import { failures, toFailureRecord } from "../domain/failures.ts";
import type { Catalog } from "../domain/ports.ts";
import { newId } from "./ids.ts";

/**
 * Writes records as lines of JSON to standard output or a file. The file is opened for each line, so that it can be rotated. Each line is
 * a single append, so that several processes can share the file. The returned function @throws if a line cannot be written
 */
export function openAuditLog(to: string): (record: AuditRecord) => Promise<void> {
  let last = Promise.resolve();
  return (record) => {
    const line = `${JSON.stringify(toAuditRecord(record))}\n`;
    const write = async (): Promise<void> => {
      if (to === "stdout") process.stdout.write(line);
      else await appendFile(to, line, { mode: 0o600 });
    };
    // One at a time, in order, also after an error.
    const written = last.then(write);
    last = written.catch(() => {});
    return written;
  };
}

/** An act of a command. */
interface CommandAct {
  readonly command: string;
  readonly action: AuditAction;
  readonly target: string;
}

/** The audit record of an act of a command, which is in place of a key. */
export function recordOfCommand({ command, action, target }: CommandAct, at: number): AuditRecord {
  return {
    id: newId(),
    at,
    action,
    target,
    keyId: command,
    subject: null,
    teamspace: defaultTeamspace,
    address: "local",
    outcome: "begun",
    code: null,
    requestId: null,
  };
}

/** Executes an act of a command and records it in the audit log. */
export async function auditedAct<T>(
  { audit }: Pick<Catalog, "audit">,
  act: CommandAct,
  work: () => Promise<T>,
): Promise<T> {
  const record = recordOfCommand(act, Date.now());
  const { id, target } = record;
  await audit.add(record);
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
