import * as z from "zod";

import { decideRename } from "../../domain/renaming.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import { libraryIdText, parseBody } from "../parameters.ts";

const renameBody = z.object({ libraryName: libraryIdText, accept: z.boolean({ error: "must be true or false" }) });

/** Accepts or refuses the new ID that a library's host gave it. */
export const renameRoute: Route = {
  method: "POST",
  path: "/api/v2/libs/rename",
  scope: "admin",
  limit: "read",
  body: "needed",
  handler: rename,
};

async function rename({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName, accept } = parseBody(renameBody, body);
  return jsonAnswer(await decideRename(options.ports, caller, libraryName, accept));
}
