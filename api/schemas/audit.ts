import * as z from "zod";

import { auditActions, auditOutcomes } from "../../domain/audit.ts";
import type { AuditAction, AuditRecord } from "../../domain/audit.ts";
import { iso, time } from "./common.ts";

/** A record, as the API, `lectern audit` and AUDIT_LOG show it. */
export const auditRecordSchema = z
  .object({
    id: z.string().describe("ID of the record."),
    time: time("When it began."),
    action: z.enum(Object.keys(auditActions) as AuditAction[]).describe("What was asked for."),
    target: z.string().nullable().describe("ID of what it was done to, as far as it is known."),
    outcome: z
      .enum(auditOutcomes)
      .describe(
        "`done`; `refused`: because of the caller or the request; `failed`: because of the server; `begun`: under way, or cut off by the end of the process.",
      ),
    error: z.string().nullable().describe("Error code, if it was not done."),
    key: z
      .string()
      .nullable()
      .describe("ID of the key, also of one that is revoked or has expired; null: none is known."),
    subject: z.string().nullable().describe("User whom the issuer of tokens names; null: none does."),
    teamspace: z.string().nullable().describe("Teamspace of the caller."),
    address: z.string().describe("IP address of the client; `local`: a command on the server's machine."),
    requestId: z.string().nullable().describe("ID of the request in the log."),
  })
  .meta({ id: "AuditRecord" });

/** A record for display. */
export function toAuditRecord({ at, code, keyId, ...record }: AuditRecord): z.infer<typeof auditRecordSchema> {
  const { id, action, target, outcome, subject, teamspace, address, requestId } = record;
  return {
    id,
    time: iso(at),
    action,
    target,
    outcome,
    error: code,
    key: keyId,
    subject,
    teamspace,
    address,
    requestId,
  };
}
