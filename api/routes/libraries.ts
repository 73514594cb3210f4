import * as z from "zod";
import { visibleTeamspaces, toReachTable } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import { troubles, type LibraryFacet } from "../../domain/catalog.ts";
import { quantity } from "../../domain/quantity.ts";
import { Failure } from "../../domain/failures.ts";
import { kinds, type Kind, type SourceSpec } from "../../domain/kinds/index.ts";
import {
  cancelRun,
  changeLibrary,
  decideRename,
  deleteLibrary,
  dropHeld,
  publishHeld,
  rollbackLibrary,
} from "../../domain/operating.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import { changeOptions, optionFields } from "../forms/library-settings.ts";
import { flag, integer, libraryIdText, oneOf, parseBody, present, text, truth } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { doneSchema } from "../schemas/answers.ts";
import { settingChanges, settingsIn } from "../schemas/library-settings.ts";
import { summarySchema } from "../schemas/status.ts";
import { toListItem } from "../status.ts";

const listParameters = z.object({
  limit: integer(1, 100).prefault(50).describe("Maximum number of libraries in one page."),
  cursor: text(1, 2000).optional().describe("`next` of the previous page."),
  search: text(1, 500).optional().describe("Text in the ID or title."),
  excluded: flag().optional().describe("`true`: include libraries that policy excludes, if the key may change them."),
  state: oneOf([...troubles, "any", "unserved"])
    .optional()
    .describe(
      "Only libraries with this trouble in a version: `failed`: the last run failed; `held`: a refresh is held; `stuck`: the open run is suspended, or made no progress for half an hour; `quarantined`: passages are quarantined; `damaged`: the live generation is damaged; `unindexed`: the index lacks the live generation, which is loaded again; `partial`: most documentation is in formats that are not read; `any`: any of these. `unserved`: libraries whose first run failed, which other lists leave out.",
    ),
  kind: oneOf(Object.keys(kinds) as Kind[])
    .optional()
    .describe("Only libraries of this kind of source."),
});
const nameBody = z.object({ libraryName: libraryIdText }).meta({ id: "LibraryName" });
/** The fields of a change, for libraries of any kind; options depend on the kind. */
const changes = z.object({
  libraryName: libraryIdText.describe("Library ID, without a version. A missing leading slash is forgiven."),
  ...settingChanges,
});
const changeBody = z.object({ ...changes.shape, ...optionFields }).meta({ id: "Change" });
const publishBody = nameBody
  .extend({ drop: truth().default(false).describe("Drop the held generation instead of publishing it.") })
  .meta({ id: "Publish" });

const renameBody = z
  .object({
    libraryName: libraryIdText.describe("The library's current ID. A missing leading slash is forgiven."),
    accept: truth().describe("Whether to rename the library, or to keep its ID."),
  })
  .meta({ id: "Rename" });

const renamedSchema = z.object({
  libraryName: z.string().describe("The library's ID from now on."),
  message: z.string().describe("What was done."),
});

/** A page of the list of libraries. */
export const listSchema = z.object({
  libraries: z.array(summarySchema),
  total: z.int().describe("Number of all libraries that the key may see."),
  unserved: z.int().describe("Number of further libraries, whose first run failed (`state=unserved`)."),
  next: z.string().nullable().describe("Cursor of the next page."),
});
const common = { path: "/api/v2/libs", scope: "admin", limit: "read" } as const;
const versionFailures = [...libraryFailures, "library_redirected", "tag_not_found"] as const;

/** The list of libraries, and operations on a library. */
export const libraryRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    scope: "read",
    about: { operationId: "listLibraries", tag: "Operations", summary: "List libraries" },
    parameters: listParameters,
    answers: success(listSchema),
    async handler({ caller, parameters: { limit, cursor, search, state, kind, excluded }, options: { ports } }) {
      const reach = caller.reach && toReachTable(caller.reach);
      const access = await ports.policies.of(caller);
      const accept = (library: LibraryFacet): boolean =>
        (excluded === "true" && may(caller, "library.change", library)) ||
        access.exclusion(library, library.servedAt) === undefined;
      const { libraries } = ports.catalog;
      const wanted = {
        teamspaces: visibleTeamspaces(caller),
        patterns: caller.libraries,
        ...(reach && { reach }),
        ...(access.restricts && { accept }),
        ...(search !== undefined && { contains: search }),
        ...(kind !== undefined && { kind }),
      };
      const { items, total, next } = await libraries.list({
        ...wanted,
        limit,
        unserved: state === "unserved",
        ...(cursor !== undefined && { cursor }),
        ...(state !== undefined && state !== "unserved" && { trouble: { kind: state, now: ports.now() } }),
        troublesAt: ports.now(),
      });
      const unserved =
        state === "unserved" ? total : (await libraries.list({ ...wanted, limit: 1, unserved: true })).total;
      return jsonAnswer({ libraries: items.map((view) => toListItem(caller, view)), total, unserved, next });
    },
  }),
  route({
    ...common,
    method: "DELETE",
    audit: "library.delete",
    about: {
      operationId: "deleteLibrary",
      tag: "Operations",
      summary: "Delete a library",
      description: "Named by `libraryId`, or by `libraryName` in the body.",
    },
    parameters: z.object({
      libraryId: libraryIdText.optional(),
      onlyUnserved: flag().optional().describe("`true`: 409 if it was ever served, or has an open run."),
    }),
    body: optionalJsonBody(nameBody),
    answers: success(doneSchema),
    failures: [...libraryFailures, "run_open"],
    async handler({ caller, parameters: { libraryId, onlyUnserved }, body, options }) {
      const libraryName = libraryId ?? (body === undefined ? undefined : parseBody(nameBody, body).libraryName);
      if (libraryName === undefined)
        throw new Failure("validation_error", "libraryId is missing. Name the library to delete.");
      return jsonAnswer({
        libraryName,
        ...(await deleteLibrary(options.ports, caller, libraryName, { onlyUnserved: onlyUnserved === "true" })),
      });
    },
  }),
  route({
    ...common,
    method: "DELETE",
    path: `${common.path}/unserved`,
    audit: "library.delete",
    about: {
      operationId: "deleteUnserved",
      tag: "Operations",
      summary: "Delete the libraries whose first run failed",
      description:
        "All of `state=unserved` that the key may delete, except those that are being indexed. The audit log gets a record of the request, and one of each library.",
    },
    answers: success(z.object({ message: z.string(), deleted: z.int().describe("Number of deleted libraries.") })),
    async handler({ caller, options: { ports }, callOperation: again }) {
      let [deleted, cursor]: [number, string | undefined] = [0, undefined];
      do {
        const { items, next } = await ports.catalog.libraries.list({
          teamspaces: visibleTeamspaces(caller),
          patterns: caller.libraries,
          limit: 100,
          unserved: true,
          ...(cursor !== undefined && { cursor }),
        });
        cursor = next ?? undefined;
        for (const { library } of items.filter((one) => may(caller, "library.change", one.library))) {
          const query = new URLSearchParams({ libraryId: library.id, onlyUnserved: "true" });
          if ((await again("DELETE", "/v2/libs", { query })).status === 200) deleted += 1;
        }
      } while (cursor !== undefined);
      return jsonAnswer({ message: `${quantity(deleted, "library")} deleted.`, deleted });
    },
  }),
  route({
    ...common,
    method: "PATCH",
    audit: "library.change",
    about: {
      operationId: "changeLibrary",
      tag: "Operations",
      summary: "Change a library",
      description:
        "Absent fields do not change. Options of its source, and the screen, take effect with the next refresh, all others at once.",
    },
    // The options depend on the kind of the library.
    body: { ...jsonBody(changes.loose()), content: jsonBody(changeBody).content },
    answers: success(doneSchema),
    failures: [...libraryFailures, "access_denied"],
    async handler({ request: { declaration }, caller, body, options }) {
      const { libraryName } = body;
      const fields = settingsIn(body);
      const given = present(Object.fromEntries(Object.keys(optionFields).map((name) => [name, body[name]])));
      if (Object.keys(fields).length === 0 && Object.keys(given).length === 0) {
        const message = `Nothing to change. Give one of ${Object.keys(changeBody.shape).slice(1).join(", ")}.`;
        throw new Failure("validation_error", message);
      }
      const changesOptions = Object.keys(given).length > 0 && {
        options: (source: SourceSpec) => changeOptions(source, given),
      };
      const done = await changeLibrary(options.ports, caller, libraryName, {
        ...fields,
        ...changesOptions,
        ...(declaration && { declaration }),
      });
      return jsonAnswer({ libraryName, ...done });
    },
  }),
  operation("cancel", {
    audit: "run.cancel",
    about: { operationId: "cancelRun", tag: "Operations", summary: "Cancel the open run of a library" },
    body: jsonBody(nameBody),
    failures: versionFailures,
    handler: async ({ caller, body: { libraryName }, options }) =>
      jsonAnswer({ libraryName, ...(await cancelRun(options.ports, caller, libraryName)) }),
  }),
  operation("publish", {
    audit: "library.publish",
    about: { operationId: "publishHeld", tag: "Operations", summary: "Publish or drop a held generation" },
    body: jsonBody(publishBody),
    failures: [...versionFailures, "run_open", "generation_damaged", "format_unknown", "service_unavailable"],
    async handler({ caller, body: { libraryName, drop }, options }) {
      if (drop) return jsonAnswer({ libraryName, ...(await dropHeld(options.ports, caller, libraryName)) });
      const { message, run } = await publishHeld(options.ports, caller, libraryName);
      return jsonAnswer({ libraryName, message, runId: run.runId });
    },
  }),
  operation("rollback", {
    audit: "library.rollback",
    about: {
      operationId: "rollbackLibrary",
      tag: "Operations",
      summary: "Publish the previous generation again",
    },
    body: jsonBody(nameBody),
    failures: [...versionFailures, "generation_damaged", "format_unknown"],
    handler: async ({ caller, body: { libraryName }, options }) =>
      jsonAnswer({ libraryName, ...(await rollbackLibrary(options.ports, caller, libraryName)) }),
  }),
  operation("rename", {
    audit: "library.rename",
    about: {
      operationId: "decideRename",
      tag: "Operations",
      summary: "Accept or refuse a pending rename",
      description:
        "If accepted, the library gets the ID of its new address, and the old ID redirects. If refused, it keeps its ID, and the same rename is not proposed again.",
    },
    body: jsonBody(renameBody),
    answers: success(renamedSchema),
    failures: [...libraryFailures, "access_denied", "duplicate_library"],
    handler: async ({ caller, body: { libraryName, accept }, options }) =>
      jsonAnswer(await decideRename(options.ports, caller, libraryName, accept)),
  }),
];

function operation<Body>(
  name: string,
  more: Pick<Route<unknown, Body>, "audit" | "about" | "body" | "failures" | "handler"> &
    Partial<Pick<Route, "answers">>,
): Route {
  return route({ ...common, answers: success(doneSchema), ...more, method: "POST", path: `${common.path}/${name}` });
}
