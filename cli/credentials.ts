import { readFile } from "node:fs/promises";
import type { Credential } from "../api/dashboard/admin/credentials.ts";
import { quantity } from "../domain/quantity.ts";
import { Failure } from "../domain/failures.ts";
import { kindOfCredentialField } from "../domain/kinds/index.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { exitCodes, printAnswer, printRows, removeConfirmed } from "./output.ts";
import { readHeaders, readToken } from "./secret-input.ts";
import { programName } from "./program-name.ts";

const path = "/v2/credentials";

/** `lectern credentials`: the shared credentials of the teamspace. */
export async function list(given: Given): Promise<void> {
  const answer = await createServerClient().json("GET", withQuery(path, { teamspace: given.text("teamspace") }));
  printRows(given, answer["credentials"] as readonly Credential[], columns, "There is no shared credential.");
}

/** `lectern credentials create`: creates one from a token, headers or a private key. @throws Failure validation_error */
export async function create(given: Given): Promise<void> {
  const [name, host] = given.words;
  const ways = ["token-stdin", "headers-stdin", "key"].filter((one) => given.given(one));
  if (ways.length !== 1)
    throw new Failure(
      "validation_error",
      "Give one of --token-stdin or --key FILE, for repositories, and --headers-stdin, for websites. The input is stored encrypted.",
    );
  const isHeaders = given.given("headers-stdin");
  const made = await createServerClient().json("POST", path, {
    kind: kindOfCredentialField(isHeaders ? "headers" : "gitToken"),
    name,
    host,
    data: isHeaders ? { headers: await readHeaders() } : await gitData(given),
    tenant: given.text("tenant"),
    expiresAt: given.text("expires"),
    teamspace: given.text("teamspace"),
  });
  const id = String(made["id"]);
  printAnswer(given, made, `Credential ${id} was created. Use it as in: ${programName()} add … --credential ${id}`);
}

async function gitData(given: Given): Promise<object> {
  const key = given.text("key");
  if (key === undefined) return { token: await readToken() };
  const knownHosts = given.text("known-hosts");
  return {
    privateKey: key === "-" ? await readToken() : await readFile(key, "utf8"),
    appId: given.text("app"),
    installationId: given.text("installation"),
    ...(knownHosts !== undefined && { knownHosts: await readFile(knownHosts, "utf8") }),
    user: given.text("ssh-user"),
  };
}

/** `lectern credentials test`: tests one on its host; exits with an error where it is refused. */
export async function test(given: Given): Promise<void> {
  const [id = "", address] = given.words;
  const tested = await createServerClient().json("POST", `${path}/${encodeURIComponent(id)}/test`, { address });
  printAnswer(given, tested);
  if (tested["ok"] !== true) process.exitCode = exitCodes.failed;
}

/** `lectern credentials delete`: deletes one that no library uses, after confirmation. */
export async function remove(given: Given): Promise<void> {
  const [id = ""] = given.words;
  await removeConfirmed(given, `Delete the credential ${id}?`, `${path}/${encodeURIComponent(id)}`);
}

function columns({ id, name, kind, host, tenant, uses }: Credential): readonly string[] {
  return [id, name, kind, tenant === undefined ? host : `${host}, ${tenant}`, `used by ${quantity(uses, "library")}`];
}
