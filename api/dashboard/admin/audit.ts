import * as z from "zod";

import { auditActions, auditOutcomes } from "../../../domain/audit.ts";
import { textOf } from "../fields.ts";
import { page } from "../page.ts";
import type { Described } from "../page.ts";
import { auditView } from "../views/audit.ts";
import type { AuditPage } from "../views/audit.ts";
import { adminContext } from "./context.ts";

const text = textOf(500);

/** Records of a page. */
const listed = 50;

/** The audit log, latest first. */
export const auditPage: Described = page({
  path: "/-/admin/audit",
  scope: "admin",
  parameters: z.object({
    key: text,
    action: text,
    target: text,
    outcome: text,
    since: text,
    until: text,
    teamspace: text,
    cursor: text,
  }),
  async show(visit) {
    const filter = visit.parameters;
    const { until } = filter;
    const query = {
      ...filter,
      // A day is inclusive.
      until: until !== undefined && /^\d{4}-\d\d-\d\d$/.test(until) ? `${until}T23:59:59.999Z` : until,
      limit: String(listed),
    };
    const context = await adminContext(visit, undefined);
    const { body, failure, status } = await visit.tell<AuditPage>("GET", "/v2/audit", { query });
    const seen = { filter, actions: Object.entries(auditActions), outcomes: auditOutcomes };
    const main = auditView(context, { ...seen, ...(failure ? { problem: failure.message } : { list: body }) });
    return { title: "Audit", main, status: failure ? status : 200 };
  },
});
