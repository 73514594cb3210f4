import { resolve } from "node:path";
import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of the audit log. */
export const auditSettings = {
  auditDays: setting({
    env: "AUDIT_RETENTION_DAYS",
    default: "365",
    meaning: "Days for which audit records are kept in the catalog.",
    schema: format.whole(1, 36_500),
  }),
  auditLog: setting({
    env: "AUDIT_LOG",
    default: "",
    meaning: "Where audit records are also written, as JSON lines: stdout, or a file.",
    schema: format.orNull(z.string().transform((text) => (text === "stdout" ? text : resolve(text)))),
  }),
};
