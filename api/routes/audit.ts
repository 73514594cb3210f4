import * as z from "zod";
import {
  auditActions,
  auditOutcomes,
  type AuditAction,
  type AuditFilter,
  type AuditRecord,
} from "../../domain/audit.ts";
import { authorize, may } from "../../domain/authorizing.ts";
import { libraryTarget } from "../auditing.ts";
import { jsonAnswer } from "../answers.ts";
import { integer, oneOf, present, text } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";

/** A record, as the API, `lectern audit` and AUDIT_LOG show it. */
export const auditRecordSchema = z
  .object({
    id: z.string().describe("ID of the record."),
    time: time("When it began."),
    action: z.enum(Object.keys(auditActions) as AuditAction[]).describe("The requested act."),
    target: z.string().nullable().describe("ID of the target, if known."),
    outcome: z
      .enum(auditOutcomes)
      .describe(
        "`done`; `refused`: because of the caller or the request; `failed`: because of the server; `begun`: executing, or interrupted as the process ended.",
      ),
    error: z.string().nullable().describe("Error code, if it was not done."),
    key: z.string().nullable().describe("ID of the key, even if it is revoked or expired; null: unknown."),
    subject: z.string().nullable().describe("The user of a token or key; null: none."),
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

const timeError = "must be a time such as 2030-01-31T00:00:00Z, or a day";

/** A time, or a day, which means its beginning in UTC. */
const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: timeError })
  .transform((text) => Date.parse(text));

const listParameters = z.object({
  since: moment.optional().describe("Only acts that began then or later: a time, or a day (UTC)."),
  until: moment.optional().describe("Only acts that began then or earlier."),
  action: oneOf(Object.keys(auditActions) as AuditAction[])
    .optional()
    .describe("Only this act."),
  key: text(1, 100).optional().describe("Only callers with this key ID."),
  target: text(1, 500)
    .optional()
    .describe("Only acts on the library (any version), key, credential or teamspace of this ID."),
  outcome: oneOf(auditOutcomes).optional().describe("Only acts with this outcome."),
  teamspace: text(1, 100)
    .optional()
    .describe(
      "Only callers of this teamspace; default: the caller's own; for the instance's administrators all callers, also unknown ones.",
    ),
  limit: integer(1, 100).prefault(50).describe("Maximum number of records in one page."),
  cursor: text(1, 200).optional().describe("`next` of the previous page."),
});

/** The audit log. */
export const auditRoute: Route = route({
  method: "GET",
  path: "/api/v2/audit",
  scope: "admin",
  limit: "read",
  about: {
    operationId: "listAudit",
    tag: "Operations",
    summary: "List who did what, and what was refused",
    description: "Administrative acts and submissions, newest first.",
  },
  parameters: listParameters,
  answers: success(
    z.object({
      records: z.array(auditRecordSchema),
      next: z.string().nullable().describe("Cursor of the next page."),
    }),
  ),
  async handler({ caller, parameters: { key: keyId, target, teamspace, limit, cursor, ...meant }, options }) {
    const { catalog } = options.ports;
    const seesAll = may(caller, "audit");
    const whose = teamspace ?? (seesAll ? undefined : (caller.teamspace ?? ""));
    authorize(caller, "audit", whose === undefined ? {} : { teamspace: whose });
    // An earlier teamspace may have had the same ID.
    const made = seesAll ? undefined : (await catalog.teamspaces.list()).find(({ id }) => id === whose)?.createdAt;
    const filter: AuditFilter = present({
      ...meant,
      keyId,
      teamspace: whose,
      target: target === undefined ? undefined : (libraryTarget(target) ?? target),
      since: made === undefined ? meant.since : Math.max(made, meant.since ?? 0),
    });
    const { items, next } = await catalog.audit.list(filter, { limit, ...(cursor !== undefined && { cursor }) });
    return jsonAnswer({ records: items.map(toAuditRecord), next });
  },
});
