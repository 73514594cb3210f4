import * as z from "zod";
import { visibleTeamspaces, tableOf } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import { troubles } from "../../domain/catalog.ts";
import type { LibraryFacet } from "../../domain/catalog.ts";
import { counted } from "../../domain/counted.ts";
import { Failure } from "../../domain/failures.ts";
import { kinds } from "../../domain/kinds/index.ts";
import type { Kind, SourceSpec } from "../../domain/kinds/index.ts";
import {
  cancelRun,
  changeLibrary,
  deleteLibrary,
  dropHeld,
  publishHeld,
  rollbackLibrary,
} from "../../domain/operating.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import { changeOptions, optionFields } from "../forms/library-settings.ts";
import { flag, integer, libraryIdText, oneOf, parseBody, text, truth } from "../parameters.ts";
import { libraryDescription, libraryRules, libraryTitle } from "../forms/fields.ts";
import { libraryFailures, route, success } from "../route.ts";
import type { Route } from "../route.ts";
import { doneSchema } from "../schemas/answers.ts";
import { summarySchema } from "../schemas/status.ts";
import { toListItem } from "../status.ts";

const trustScoreError = "must be a whole number from 0 to 10";
const scheduleError = "must be days from 1 to 365, or never";
const days = z.int({ error: scheduleError }).min(1, { error: scheduleError }).max(365, { error: scheduleError });

const listParameters = z.object({
  limit: integer(1, 100).prefault(50).describe("Maximum number of libraries in one page."),
  cursor: text(1, 2000).optional().describe("`next` of the page before."),
  search: text(1, 500).optional().describe("What ID or title contains."),
  excluded: flag().optional().describe("`true`: also what policy excludes, of the libraries that the key may change."),
  state: oneOf([...troubles, "any", "unserved"])
    .optional()
    .describe(
      "Only libraries with which, in one of their versions, this is the matter: `failed`: the last run failed; `held`: a refresh is held; `stuck`: the open run is suspended, or has not got on for half an hour; `quarantined`: passages are in quarantine; `damaged`: what is live is damaged; `unindexed`: the index does not have what is live, which is loaded again; `any`: one of these. `unserved`: the libraries that every other list leaves out, whose first run failed, so that nothing of them was ever served.",
    ),
  kind: oneOf(Object.keys(kinds) as Kind[])
    .optional()
    .describe("Only libraries of this kind of source."),
});
const nameBody = z.object({ libraryName: libraryIdText }).meta({ id: "LibraryName" });
/** Changes of a library of any kind, beside its options. */
const changes = z.object({
  libraryName: libraryIdText.describe("Library ID, without a version. A missing leading slash is forgiven."),
  title: libraryTitle.nullable().optional().describe("Display name; null: what the source says of itself."),
  description: libraryDescription
    .nullable()
    .optional()
    .describe("Short description; null: what the source says of itself."),
  redirect: libraryIdText.nullable().optional().describe("ID of the library that readers are sent to; null: none."),
  rules: libraryRules
    .nullable()
    .optional()
    .describe("Rules that go with every answer, a line each; empty or null: none."),
  schedule: z
    .union([days, z.literal("never")], { error: scheduleError })
    .nullable()
    .optional()
    .describe("Refresh interval in days, or `never`; null: by use."),
  screen: z
    .literal("off", { error: 'must be "off" or null' })
    .nullable()
    .optional()
    .describe("`off`: nothing is held back, for a library about orders to agents; null: the screen is on."),
  trustScore: z
    .int({ error: trustScoreError })
    .min(0, { error: trustScoreError })
    .max(10, { error: trustScoreError })
    .nullable()
    .optional()
    .describe("Trust score that overrides the source's reputation; null resets it."),
  verified: truth()
    .nullable()
    .optional()
    .describe("Whether policies take the library for verified; null: its trust score says so."),
});
const changeBody = z.object({ ...changes.shape, ...optionFields }).meta({ id: "Change" });
const publishBody = nameBody
  .extend({ drop: truth().default(false).describe("Drop the held generation instead of publishing it.") })
  .meta({ id: "Publish" });

/** A page of the list of libraries. */
export const listSchema = z.object({
  libraries: z.array(summarySchema),
  total: z.int().describe("How many the key may see in all."),
  unserved: z.int().describe("How many more there are whose first run failed (`state=unserved`)."),
  next: z.string().nullable().describe("Cursor of the next page."),
});
const common = { path: "/api/v2/libs", scope: "admin", limit: "read" } as const;
const ofOne = [...libraryFailures, "library_redirected", "tag_not_found"] as const;

/** The list of libraries, and operations on one. */
export const libraryRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    scope: "read",
    about: { operationId: "listLibraries", tag: "Operations", summary: "List libraries" },
    parameters: listParameters,
    answers: success(listSchema),
    async handler({ caller, parameters: { limit, cursor, search, state, kind, excluded }, options: { ports } }) {
      const reach = caller.reach && tableOf(caller.reach);
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
      onlyUnserved: flag().optional().describe("`true`: 409 where something of it was ever served, or a run goes on."),
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
        "All of `state=unserved` that the key may delete, with a record of the request in the audit log, and one of each library. None that can be read, or is being indexed, is deleted.",
    },
    answers: success(z.object({ message: z.string(), deleted: z.int().describe("How many were deleted.") })),
    async handler({ caller, options: { ports }, again }) {
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
      return jsonAnswer({ message: `${counted(deleted, "library")} deleted.`, deleted });
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
        "What is absent stays as it is. Options of its source, and the screen, count from the next refresh on; everything else holds at once.",
    },
    // The options depend on the kind of the library.
    body: { ...jsonBody(changes.loose()), content: jsonBody(changeBody).content },
    answers: success(doneSchema),
    failures: [...libraryFailures, "access_denied"],
    async handler({ caller, body, options }) {
      const { libraryName, title, description, redirect, rules, schedule, screen, trustScore: trust, verified } = body;
      const given = present({ title, description, redirect, rules, schedule, screen, trust, verified });
      const wanted = present(Object.fromEntries(Object.keys(optionFields).map((name) => [name, body[name]])));
      if (Object.keys(given).length === 0 && Object.keys(wanted).length === 0) {
        const message = `Nothing to change. Give one of ${Object.keys(changeBody.shape).slice(1).join(", ")}.`;
        throw new Failure("validation_error", message);
      }
      const respec = Object.keys(wanted).length > 0 && {
        options: (source: SourceSpec) => changeOptions(source, wanted),
      };
      const done = await changeLibrary(options.ports, caller, libraryName, { ...given, ...respec });
      return jsonAnswer({ libraryName, ...done });
    },
  }),
  operation("cancel", {
    audit: "run.cancel",
    about: { operationId: "cancelRun", tag: "Operations", summary: "Cancel the open run of a library" },
    body: jsonBody(nameBody),
    failures: ofOne,
    handler: async ({ caller, body: { libraryName }, options }) =>
      jsonAnswer({ libraryName, ...(await cancelRun(options.ports, caller, libraryName)) }),
  }),
  operation("publish", {
    audit: "library.publish",
    about: { operationId: "publishHeld", tag: "Operations", summary: "Publish or drop a held generation" },
    body: jsonBody(publishBody),
    failures: [...ofOne, "run_open", "generation_damaged", "format_unknown", "service_unavailable"],
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
    failures: [...ofOne, "generation_damaged", "format_unknown"],
    handler: async ({ caller, body: { libraryName }, options }) =>
      jsonAnswer({ libraryName, ...(await rollbackLibrary(options.ports, caller, libraryName)) }),
  }),
];

function operation<Body>(
  name: string,
  more: Pick<Route<unknown, Body>, "audit" | "about" | "body" | "failures" | "handler">,
): Route {
  return route({
    ...common,
    ...more,
    method: "POST",
    path: `${common.path}/${name}`,
    answers: success(doneSchema),
  });
}

/** The fields that are not undefined. */
function present(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
