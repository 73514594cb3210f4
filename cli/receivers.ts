import type * as z from "zod";
import type { receiverSchema } from "../api/routes/receivers.ts";
import { withQuery } from "../api/request.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes, printAnswer, printRows, removeConfirmed } from "./output.ts";

type Receiver = z.infer<typeof receiverSchema>;

const path = "/v2/receivers";

/** `lectern receivers`: the receivers of the teamspace. */
export async function list(given: Given): Promise<void> {
  const answer = await createServerClient().json("GET", withQuery(path, { teamspace: given.text("teamspace") }));
  printRows(given, answer["receivers"] as readonly Receiver[], columns, "There is no receiver.");
}

/** `lectern receivers create`: adds one, and prints its secret once. */
export async function create(given: Given): Promise<void> {
  const events = given.texts("event");
  const made = await createServerClient().json("POST", path, {
    url: given.words[0],
    ...(events.length > 0 && { events }),
    teamspace: given.text("teamspace"),
  });
  const secret = `Its notifications are signed with ${String(made["secret"])}   (shown this once: keep it)`;
  printAnswer(given, made, `Receiver ${String(made["id"])} was added. ${secret}`);
}

/** `lectern receivers test`: sends one a test; exits with an error where it fails. */
export async function test(given: Given): Promise<void> {
  const [id = ""] = given.words;
  const tested = await createServerClient().json("POST", `${path}/${encodeURIComponent(id)}/test`);
  printAnswer(given, tested);
  if (tested["ok"] !== true) process.exitCode = exitCodes.failed;
}

/** `lectern receivers delete`: deletes one, after confirmation. */
export async function remove(given: Given): Promise<void> {
  const [id = ""] = given.words;
  await removeConfirmed(given, `Delete the receiver ${id}?`, `${path}/${encodeURIComponent(id)}`);
}

function columns({ id, url, events, waiting, disabledAt, result }: Receiver): readonly string[] {
  const state = disabledAt === null ? `${waiting} waiting` : `disabled ${disabledAt.slice(0, 10)}`;
  return [id, url, events.join(" "), state, result ?? "nothing sent yet"];
}
