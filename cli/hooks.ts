import type * as z from "zod";
import type { hookSchema } from "../api/routes/hooks.ts";
import { withQuery } from "../api/request.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { printAnswer, printRows, removeConfirmed } from "./output.ts";

type Hook = z.infer<typeof hookSchema>;

const path = "/v2/hooks";

/** `lectern hooks`: the hooks of the teamspace. */
export async function list(given: Given): Promise<void> {
  const answer = await createServerClient().json("GET", withQuery(path, { teamspace: given.text("teamspace") }));
  printRows(given, answer["hooks"] as readonly Hook[], columns, "There is no hook.");
}

/** `lectern hooks create`: makes one, and prints what to enter at the host. */
export async function create(given: Given): Promise<void> {
  const [sender, of = ""] = given.words;
  const isOwner = /^https?:\/\//i.test(of);
  const client = createServerClient();
  const made = await client.json("POST", path, {
    sender,
    ...(isOwner ? { repositories: of } : { libraryId: of }),
    teamspace: given.text("teamspace"),
  });
  // Without PUBLIC_URL the server knows only the path.
  const url = new URL(String(made["url"]), await client.base()).href;
  const { secret } = made as { readonly secret?: string };
  const enter =
    secret === undefined
      ? `Enter this address at Notion, then the token that lectern hooks shows:\n${url}`
      : `Enter at the host, with the content type application/json:\naddress ${url}\nsecret  ${secret}`;
  printAnswer(given, { ...made, url }, `Hook ${String(made["id"])} was made. ${enter}`);
}

/** `lectern hooks delete`: deletes one, after confirmation. */
export async function remove(given: Given): Promise<void> {
  const [id = ""] = given.words;
  await removeConfirmed(given, `Delete the hook ${id}?`, `${path}/${encodeURIComponent(id)}`);
}

function columns({ id, sender, libraryId, repositories, result, verificationToken }: Hook): readonly string[] {
  const last =
    verificationToken === undefined ? (result ?? "no delivery yet") : `enter at Notion: ${verificationToken}`;
  return [id, sender, libraryId ?? repositories ?? "", last];
}
