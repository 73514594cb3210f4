import type * as z from "zod";
import type { auditRecordSchema } from "../api/routes/audit.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient, pagesOf } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson, printRows } from "./output.ts";

type Shown = z.infer<typeof auditRecordSchema>;

/** Filters of the command, named like the parameters of the API. */
const filters = ["since", "until", "action", "key", "target", "outcome", "teamspace"] as const;

/** Records per page. */
const pageSize = 100;

/** `lectern audit`: the audit log, latest first. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  let left = limitOf(given);
  const query = {
    ...Object.fromEntries(filters.map((name) => [name, given.text(name)])),
    limit: String(Math.min(left, pageSize)),
  };
  const shown: Shown[] = [];
  for await (const page of pagesOf<Shown>(client, "/v2/audit", "records", query)) {
    const records = page.slice(0, left);
    // Streamed into a pipe, as there may be many.
    if (forPeople(given)) shown.push(...records);
    else for (const record of records) printJson(record);
    left -= records.length;
    if (left === 0) break;
  }
  if (forPeople(given)) printRows(given, shown, columns, "No matching records.");
}

/** @throws Failure validation_error */
function limitOf(given: Given): number {
  const text = given.text("limit");
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Failure("validation_error", "--limit must be a whole number of at least 1.");
  return Number(text);
}

function columns({ time, action, target, outcome, error, key, subject, teamspace, address }: Shown) {
  const who = [key ?? "no key", subject === null ? "" : `(${subject})`, teamspace === null ? "" : `of ${teamspace}`];
  return [
    time.slice(0, 19).replace("T", " "),
    outcome,
    action,
    target ?? "",
    who.filter((part) => part !== "").join(" "),
    address,
    error ?? "",
  ];
}
