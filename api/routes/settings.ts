import * as z from "zod";
import { authorize } from "../../domain/authorizing.ts";
import { settingsOf } from "../../domain/library-settings.ts";
import { findLibrary } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import { optionsOf, settingsSchema } from "../forms/library-settings.ts";
import { libraryIdText } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { settingsOut } from "../schemas/library-settings.ts";

/** The current settings of a library, which `PATCH /v2/libs` changes. */
export const settingsRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/settings",
  scope: "admin",
  limit: "read",
  about: {
    operationId: "getSettings",
    tag: "Operations",
    summary: "Get the settings of a library",
    description: "Current values of everything that can be changed, including the options of its kind of source.",
  },
  parameters: z.object({ libraryId: libraryIdText.describe("Library ID; its versions share the settings.") }),
  answers: success(settingsSchema),
  failures: libraryFailures,
  async handler({ caller, parameters: { libraryId }, options: { ports } }) {
    const { library } = await findLibrary(ports.catalog, caller, libraryId);
    authorize(caller, "library.change", library);
    const { id, source } = library;
    const settings = settingsOut(settingsOf(library));
    return jsonAnswer({ libraryId: id, kind: source.kind, ...settings, options: optionsOf(source) });
  },
});
