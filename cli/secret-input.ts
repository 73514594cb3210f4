import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { TypedFields } from "../api/forms/form.ts";
import { kindOfCredentialField, kinds, type Kind } from "../domain/kinds/index.ts";
import { Failure } from "../domain/failures.ts";
import type { Given } from "./command.ts";
import { programName } from "./program-name.ts";

/**
 * The credential field of a submission: from the token or headers on standard input, or the token in the environment; empty if there is
 * none, or the source has no credential field.
 * @throws Failure validation_error if standard input is empty, the source takes no credential, or the token is an argument
 */
export async function secretFields(
  given: Given,
  configured: string | null,
  fields: TypedFields,
): Promise<Record<string, unknown>> {
  // An option of earlier versions: arguments are visible to all users of the machine.
  if (given.given("token")) {
    const message =
      "Do not pass a token as an argument: other users see it in the list of processes. Pass it with --token-stdin, or in LECTERN_GIT_TOKEN, and replace the exposed one.";
    throw new Failure("validation_error", message);
  }
  for (const option of ["token-stdin", "headers-stdin", "credential"] as const) {
    const field = option === "credential" ? option : option === "token-stdin" ? "token" : "headers";
    if (!given.given(option) || fields[field] !== undefined) continue;
    const { kindsWith } = await import("../api/forms/library-settings.ts");
    throw new Failure("validation_error", `--${option} is for ${kindsWith(field)} only.`);
  }
  const { token, headers, credential } = fields;
  if (given.given("token-stdin") && token !== undefined) return { [token]: await readToken() };
  if (given.given("headers-stdin") && headers !== undefined) return { [headers]: await readHeaders() };
  if (given.given("credential") && credential !== undefined) return { [credential]: given.text("credential") };
  // The token in the environment is for hosts of repositories only.
  const isGit = token !== undefined && token === kinds.git.credential?.field;
  return configured !== null && isGit ? { [token]: configured } : {};
}

/** Kind and data of a shared credential: a token, headers or a private key. @throws Failure validation_error unless one is given */
export async function credentialFields(
  given: Given,
): Promise<{ readonly kind: Kind | undefined; readonly data: object }> {
  if (["token-stdin", "headers-stdin", "key"].filter((one) => given.given(one)).length !== 1)
    throw new Failure(
      "validation_error",
      "Give one of --token-stdin or --key FILE, for repositories, and --headers-stdin, for websites. The input is stored encrypted.",
    );
  if (given.given("headers-stdin"))
    return { kind: kindOfCredentialField("headers"), data: { headers: await readHeaders() } };
  const kind = kindOfCredentialField("gitToken");
  const [key, knownHosts] = [given.text("key"), given.text("known-hosts")];
  if (key === undefined) return { kind, data: { token: await readToken() } };
  const data = {
    privateKey: key === "-" ? await readToken() : await readFile(key, "utf8"),
    appId: given.text("app"),
    installationId: given.text("installation"),
    knownHosts: knownHosts && (await readFile(knownHosts, "utf8")),
    user: given.text("ssh-user"),
  };
  return { kind, data };
}

/** The token on standard input. @throws Failure validation_error without one */
async function readToken(): Promise<string> {
  const token = await input();
  if (token !== "") return token;
  const message = `There is no token on standard input. Pass it as in: ${programName()} add … --token-stdin < token.txt`;
  throw new Failure("validation_error", message);
}

/** The headers on standard input, by name. @throws Failure validation_error without headers, or if a line is not one */
async function readHeaders(): Promise<Record<string, string>> {
  const lines = (await input()).split("\n").map((line) => line.trim());
  const matches = lines.filter((line) => line !== "").map((line) => /^([^:\s]+):\s*(\S.*)$/.exec(line));
  const headers = matches.flatMap((match) => (match?.[1] && match[2] ? [[match[1], match[2]] as const] : []));
  if (headers.length > 0 && headers.length === matches.length) return Object.fromEntries(headers);
  // The message does not quote the lines, as they are secret.
  const message = "Standard input must contain headers, one per line, such as Authorization: Bearer …";
  throw new Failure("validation_error", message);
}

async function input(): Promise<string> {
  return process.stdin.isTTY ? "" : (await text(process.stdin)).trim();
}
