import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson, printRows } from "./output.ts";

/** The displayed members of an audit record. */
interface Shown {
  readonly time: string;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly error: string | null;
  readonly key: string | null;
  readonly subject: string | null;
  readonly teamspace: string | null;
  readonly address: string;
}

/** Filters of the command, equal to the parameters of the API. */
const filters = ["since", "until", "action", "key", "target", "outcome", "teamspace"] as const;

/** Records per page. */
const pageSize = 100;

/** `lectern audit`: the audit log, latest first. */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const most = limitOf(given);
  const shown: Shown[] = [];
  for await (const page of pages(client, given, most)) {
    // Streamed into a pipe, as there may be many.
    if (forPeople(given)) shown.push(...page);
    else for (const record of page) printJson(record);
  }
  if (forPeople(given)) printRows(given, shown, columns, "There is no such record.");
}

async function* pages(client: ServerClient, given: Given, most: number): AsyncGenerator<readonly Shown[]> {
  const asked = filters.flatMap((name) => {
    const value = given.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  let cursor: string | null = null;
  let left = most;
  do {
    const limit = String(Math.min(left, pageSize));
    const query = new URLSearchParams({ ...Object.fromEntries(asked), limit, ...(cursor !== null && { cursor }) });
    const page = await client.json("GET", `/v2/audit?${query.toString()}`);
    const records = page["records"] as readonly Shown[];
    yield records;
    left -= records.length;
    cursor = page["next"] as string | null;
  } while (cursor !== null && left > 0);
}

/** @throws Failure validation_error */
function limitOf(given: Given): number {
  const text = given.text("limit");
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Failure("validation_error", "--limit must be a whole number from 1 on.");
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
