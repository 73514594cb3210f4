import * as z from "zod";

import { decideRename } from "../../domain/operating.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { libraryIdText, truth } from "../parameters.ts";
import { libraryFailures, route, success } from "../route.ts";
import type { Route } from "../route.ts";

const renameBody = z
  .object({
    libraryName: libraryIdText.describe("The ID that the library has now. A missing leading slash is forgiven."),
    accept: truth().describe("Rename the library, or keep its ID for good."),
  })
  .meta({ id: "Rename" });

const renamedSchema = z.object({
  libraryName: z.string().describe("The ID that the library has from now on."),
  message: z.string().describe("What was done."),
});

/** Accepts or refuses a pending rename. */
export const renameRoute: Route = route({
  method: "POST",
  path: "/api/v2/libs/rename",
  scope: "admin",
  limit: "read",
  audit: "library.rename",
  about: {
    operationId: "decideRename",
    tag: "Operations",
    summary: "Accept or refuse a rename that waits",
    description:
      "Accepted, the library gets the ID of its new address, and the old one redirects. Refused, it keeps its ID, and that one is not proposed again.",
  },
  body: jsonBody(renameBody),
  answers: success(renamedSchema),
  failures: [...libraryFailures, "access_denied", "duplicate_library"],
  handler: async ({ caller, body: { libraryName, accept }, options }) =>
    jsonAnswer(await decideRename(options.ports, caller, libraryName, accept)),
});
