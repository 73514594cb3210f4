import type { AccessRule } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { GroupGrant } from "../domain/ports.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { forPeople, printAnswer, printJson, printRows } from "./output.ts";

type Grant = Pick<GroupGrant, "group" | "teamspace" | "scope">;

const path = "/v2/access";

/** `lectern access`: the access rules of the teamspace; `--default` sets the default for libraries without a rule. */
export async function rules(given: Given): Promise<void> {
  const byDefault = given.text("default");
  print(given, await (byDefault === undefined ? read(given) : change(given, { default: byDefault })));
}

/** `lectern access set`: sets the rule of a library or namespace. @throws Failure validation_error without users and groups */
export async function set(given: Given): Promise<void> {
  const [library = ""] = given.words;
  const [users, groups] = [given.texts("user"), given.texts("group")];
  if (users.length + groups.length === 0)
    throw new Failure("validation_error", "Name who may read it with --user or --group; both may be repeated.");
  print(given, await change(given, { set: [{ library, users, groups }] }));
}

/** `lectern access remove`: removes the rule of a library or namespace. */
export async function remove(given: Given): Promise<void> {
  print(given, await change(given, { remove: [given.words[0]] }));
}

/** `lectern access groups`: the grants of groups of the issuer. */
export async function groups(given: Given): Promise<void> {
  const { groups: all } = await createServerClient().json("GET", `${path}/groups`);
  printRows(given, all as readonly Grant[], toColumns, "No group of the issuer has rights.");
}

/** `lectern access grant`: grants a group a scope in a teamspace. */
export async function grant(given: Given): Promise<void> {
  const body = {
    group: given.words[0],
    scope: given.text("scope") ?? "read",
    teamspace: given.text("teamspace"),
  };
  const made = await createServerClient().json("POST", `${path}/groups`, body);
  printRows(given, [made as unknown as Grant], toColumns, "");
}

/** `lectern access withdraw`: withdraws a group's rights in a teamspace. */
export async function withdraw(given: Given): Promise<void> {
  const query = { group: given.words[0], teamspace: given.text("teamspace") };
  printAnswer(given, await createServerClient().json("DELETE", withQuery(`${path}/groups`, query)));
}

async function read(given: Given): Promise<Record<string, unknown>> {
  return createServerClient().json("GET", withQuery(path, { teamspace: given.text("teamspace") }));
}

async function change(given: Given, body: object): Promise<Record<string, unknown>> {
  return createServerClient().json("PATCH", path, { ...body, teamspace: given.text("teamspace") });
}

function print(given: Given, access: Record<string, unknown>): void {
  if (!forPeople(given)) return printJson(access);
  const list = access["rules"] as readonly AccessRule[];
  console.log(`Libraries without a rule: ${String(access["default"])}.`);
  if (list.length === 0) return;
  printRows(
    given,
    list,
    (rule) => [rule.library, ...labelled("users", rule.users), ...labelled("groups", rule.groups)],
    "",
  );
}

function labelled(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
}

function toColumns({ group, teamspace, scope }: Grant): readonly string[] {
  return [group, scope, teamspace];
}
