import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { confirmed, count, forPeople, printJson, printRows } from "./output.ts";
import { readHeaders, readToken } from "./secret-input.ts";

/** The displayed members of a credential. */
interface Credential {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly host: string;
  readonly tenant?: string;
  readonly uses: number;
}

const path = "/v2/credentials";

/** `lectern credentials`: the shared credentials of the teamspace. */
export async function list(given: Given): Promise<void> {
  const teamspace = given.text("teamspace");
  const query = teamspace === undefined ? "" : `?${new URLSearchParams({ teamspace }).toString()}`;
  const answer = await asOperator().json("GET", `${path}${query}`);
  printRows(given, answer["credentials"] as readonly Credential[], columns, "There is no shared credential.");
}

/** `lectern credentials create`: creates one from the token or the headers on standard input. @throws Failure validation_error for neither */
export async function create(given: Given): Promise<void> {
  const [name, host] = given.words;
  const [tenant, teamspace] = [given.text("tenant"), given.text("teamspace")];
  const isHeaders = given.given("headers-stdin");
  if (isHeaders === given.given("token-stdin"))
    throw new Failure(
      "validation_error",
      "Give one of --token-stdin, for repositories, and --headers-stdin, for websites. What stands there is kept encrypted.",
    );
  const made = await asOperator().json("POST", path, {
    kind: isHeaders ? "website" : "git",
    name,
    host,
    data: isHeaders ? { headers: await readHeaders() } : { token: await readToken() },
    ...(tenant !== undefined && { tenant }),
    ...(teamspace !== undefined && { teamspace }),
  });
  if (!forPeople(given)) printJson(made);
  else console.log(`${String(made["id"])} is kept. Use it as in: lectern add … --credential ${String(made["id"])}`);
}

/** `lectern credentials test`: tests one on its host; exits with an error where it is refused. */
export async function test(given: Given): Promise<void> {
  const [id = "", address] = given.words;
  const body = address === undefined ? {} : { address };
  const tested = await asOperator().json("POST", `${path}/${encodeURIComponent(id)}/test`, body);
  if (forPeople(given)) console.log(String(tested["message"]));
  else printJson(tested);
  if (tested["ok"] !== true) process.exitCode = exitCodes.failed;
}

/** `lectern credentials delete`: deletes one that no library uses, after confirmation. */
export async function remove(given: Given): Promise<void> {
  const [id = ""] = given.words;
  const client = asOperator();
  if (!(await confirmed(given, `Delete the credential ${id}?`))) return;
  console.log(String((await client.json("DELETE", `${path}/${encodeURIComponent(id)}`))["message"]));
}

function columns({ id, name, kind, host, tenant, uses }: Credential): readonly string[] {
  return [
    id,
    name,
    kind,
    tenant === undefined ? host : `${host}, ${tenant}`,
    `used by ${count(uses, "library").replace("librarys", "libraries")}`,
  ];
}

function asOperator(): ServerClient {
  const config = loadConfig(process.env);
  return createServerClient(config, config.adminKey);
}
