import type { Key } from "../api/dashboard/admin/keys.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { printAnswer, printRows, removeConfirmed } from "./output.ts";

const path = "/v2/keys";

/** `lectern keys`: the API keys of the teamspace. */
export async function list(given: Given): Promise<void> {
  const answer = await createServerClient().json("GET", withQuery(path, { teamspace: given.text("teamspace") }));
  printRows(given, answer["keys"] as readonly Key[], columns, "There is no key.");
}

/** `lectern keys create`: creates a key, which is printed once. */
export async function create(given: Given): Promise<void> {
  const made = await createServerClient().json("POST", path, {
    name: given.words[0],
    scopes: [given.text("scope") ?? "read"],
    libraries: given.texts("library"),
    groups: given.texts("group"),
    user: given.text("user"),
    teamspace: given.text("teamspace"),
    expiresAt: given.text("expires"),
  });
  printAnswer(given, made, `${String(made["key"])}   (shown this once: keep it)`);
}

/** `lectern keys revoke`: revokes a key at once, after confirmation. */
export async function revoke(given: Given): Promise<void> {
  const [id = ""] = given.words;
  await removeConfirmed(
    given,
    `Revoke the key ${id}? Requests with it are refused from then on.`,
    withQuery(path, { id }),
  );
}

function columns({ id, name, hint, scopes, libraries, expiresAt, revokedAt }: Key): readonly string[] {
  const ends = expiresAt === null ? "" : `until ${expiresAt.slice(0, 10)}`;
  return [id, name, `${hint}…`, scopes.join(", "), libraries.join(", "), revokedAt === null ? ends : "revoked"];
}
