import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson, printRows } from "./output.ts";

/** A rule in a list. */
interface Rule {
  readonly library: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** A grant in a list. */
interface Grant {
  readonly group: string;
  readonly teamspace: string;
  readonly scope: string;
}

const path = "/v2/access";

/** `lectern access`: the access rules of the teamspace; `--default` sets the default for libraries without a rule. */
export async function rules(given: Given): Promise<void> {
  const chosen = given.text("default");
  print(given, await (chosen === undefined ? read(given) : change(given, { default: chosen })));
}

/** `lectern access set`: sets the rule of a library or namespace. @throws Failure validation_error without users and groups */
export async function set(given: Given): Promise<void> {
  const [library = ""] = given.words;
  const [users, groups] = [given.texts("user"), given.texts("group")];
  if (users.length + groups.length === 0)
    throw new Failure("validation_error", "Name who may read it, with --user or --group, as often as you need.");
  print(given, await change(given, { set: [{ library, users, groups }] }));
}

/** `lectern access remove`: removes the rule of a library or namespace. */
export async function remove(given: Given): Promise<void> {
  print(given, await change(given, { remove: [given.words[0]] }));
}

/** `lectern access groups`: the grants of groups of the issuer. */
export async function groups(given: Given): Promise<void> {
  const { groups: all } = await asOperator().json("GET", `${path}/groups`);
  printRows(given, all as readonly Grant[], toColumns, "No group of the issuer has rights.");
}

/** `lectern access grant`: grants a group a scope in a teamspace. */
export async function grant(given: Given): Promise<void> {
  const teamspace = given.text("teamspace");
  const body = {
    group: given.words[0],
    scope: given.text("scope") ?? "read",
    ...(teamspace !== undefined && { teamspace }),
  };
  const made = await asOperator().json("POST", `${path}/groups`, body);
  printRows(given, [made as unknown as Grant], toColumns, "");
}

/** `lectern access withdraw`: withdraws a group's rights in a teamspace. */
export async function withdraw(given: Given): Promise<void> {
  const [group = ""] = given.words;
  const teamspace = given.text("teamspace");
  const query = new URLSearchParams({ group, ...(teamspace !== undefined && { teamspace }) }).toString();
  const done = await asOperator().json("DELETE", `${path}/groups?${query}`);
  if (forPeople(given)) console.log(String(done["message"]));
  else printJson(done);
}

async function read(given: Given): Promise<Record<string, unknown>> {
  const teamspace = given.text("teamspace");
  const query = teamspace === undefined ? "" : `?${new URLSearchParams({ teamspace }).toString()}`;
  return asOperator().json("GET", `${path}${query}`);
}

async function change(given: Given, body: object): Promise<Record<string, unknown>> {
  const teamspace = given.text("teamspace");
  return asOperator().json("PATCH", path, { ...body, ...(teamspace !== undefined && { teamspace }) });
}

function print(given: Given, access: Record<string, unknown>): void {
  if (!forPeople(given)) return printJson(access);
  const all = access["rules"] as readonly Rule[];
  console.log(`What no rule names: ${String(access["default"])}.`);
  if (all.length === 0) return;
  printRows(
    given,
    all,
    ({ library, users, groups: of }) => [library, ...shown("users", users), ...shown("groups", of)],
    "",
  );
}

function shown(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
}

function toColumns({ group, teamspace, scope }: Grant): readonly string[] {
  return [group, scope, teamspace];
}

function asOperator(): ServerClient {
  const config = loadConfig(process.env);
  return createServerClient(config, config.adminKey);
}
