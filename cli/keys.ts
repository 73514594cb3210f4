import { loadConfig } from "../config.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { confirmed, forPeople, printJson, printRows } from "./output.ts";

/** The displayed members of a key. */
interface Key {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly libraries: readonly string[];
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** `lectern keys`: the API keys of the teamspace. */
export async function list(given: Given): Promise<void> {
  const teamspace = given.text("teamspace");
  const query = teamspace === undefined ? "" : `?${new URLSearchParams({ teamspace }).toString()}`;
  const { keys } = (await asOperator().json("GET", `/v2/keys${query}`)) as unknown as { keys: readonly Key[] };
  printRows(given, keys, columns, "There is no key.");
}

/** `lectern keys create`: creates a key, which is printed once. */
export async function create(given: Given): Promise<void> {
  const [teamspace, expiresAt, user] = [given.text("teamspace"), given.text("expires"), given.text("user")];
  const made = await asOperator().json("POST", "/v2/keys", {
    name: given.words[0],
    scopes: [given.text("scope") ?? "read"],
    libraries: given.texts("library"),
    groups: given.texts("group"),
    ...(user !== undefined && { user }),
    ...(teamspace !== undefined && { teamspace }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
  if (!forPeople(given)) printJson(made);
  else console.log(`${String(made["key"])}   (shown this once: keep it)`);
}

/** `lectern keys revoke`: revokes a key at once, after confirmation. */
export async function revoke(given: Given): Promise<void> {
  const [id = ""] = given.words;
  const client = asOperator();
  if (!(await confirmed(given, `Revoke the key ${id}? Who uses it is refused from then on.`))) return;
  const query = new URLSearchParams({ id }).toString();
  console.log(String((await client.json("DELETE", `/v2/keys?${query}`))["message"]));
}

function columns({ id, name, hint, scopes, libraries, expiresAt, revokedAt }: Key): readonly string[] {
  const ends = expiresAt === null ? "" : `until ${expiresAt.slice(0, 10)}`;
  return [id, name, `${hint}…`, scopes.join(", "), libraries.join(", "), revokedAt === null ? ends : "revoked"];
}

function asOperator(): ServerClient {
  const config = loadConfig(process.env);
  return createServerClient(config, config.adminKey);
}
