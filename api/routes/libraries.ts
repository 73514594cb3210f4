import * as z from "zod";

import { visibleTeamspaces } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import {
  cancelRun,
  changeLibrary,
  deleteLibrary,
  dropHeld,
  publishHeld,
  rollbackLibrary,
} from "../../domain/operating.ts";
import type { Schedule } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import { integer, libraryIdText, parseBody, parseQuery, text } from "../parameters.ts";
import { libraryDescription, libraryRules, libraryTitle, selectionFields } from "../repository.ts";
import { toListItem } from "../status.ts";

const trustScoreError = "must be a whole number from 0 to 10";
const listParameters = z.object({
  limit: integer(1, 100).default(50),
  cursor: text(1, 2000).optional(),
  search: text(1, 500).optional(),
});
const deletionParameters = z.object({ libraryId: libraryIdText.optional() });
const nameBody = z.object({ libraryName: libraryIdText });
const changeBody = nameBody.extend({
  title: libraryTitle.nullable().optional(),
  description: libraryDescription.nullable().optional(),
  folders: selectionFields.folders,
  excludeFolders: selectionFields.excludeFolders.unwrap().nullable().optional(),
  excludeFiles: selectionFields.excludeFiles.unwrap().nullable().optional(),
  redirect: libraryIdText.nullable().optional(),
  rules: libraryRules.nullable().optional(),
  schedule: z.custom<Schedule>(isSchedule, { error: "must be days from 1 to 365, or never" }).nullable().optional(),
  trustScore: z
    .int({ error: trustScoreError })
    .min(0, { error: trustScoreError })
    .max(10, { error: trustScoreError })
    .nullable()
    .optional(),
});
const publishBody = nameBody.extend({ drop: z.boolean({ error: "must be true or false" }).default(false) });

/** The list of libraries, and what operators do with one. */
export const libraryRoutes: readonly Route[] = [
  { method: "GET", path: "/api/v2/libs", scope: "read", limit: "read", handler: list },
  { method: "DELETE", path: "/api/v2/libs", scope: "admin", limit: "read", body: "optional", handler: remove },
  { method: "PATCH", path: "/api/v2/libs", scope: "admin", limit: "read", body: "needed", handler: change },
  operation("/api/v2/libs/cancel", cancel),
  operation("/api/v2/libs/publish", publish),
  operation("/api/v2/libs/rollback", rollback),
];

function operation(path: string, handler: Route["handler"]): Route {
  return { method: "POST", path, scope: "admin", limit: "read", body: "needed", handler };
}

/** Lists by ID. A page may be shorter than `limit` where the caller's key is limited to some libraries. */
async function list({ request, caller, options }: Call): Promise<ApiAnswer> {
  const { limit, cursor, search } = parseQuery(listParameters, request.query);
  const { items, total, next } = await options.ports.catalog.libraries.list({
    teamspaces: visibleTeamspaces(caller),
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(search !== undefined && { contains: search }),
  });
  const visible = items.filter(({ library }) => may(caller, "library.read", library));
  return jsonAnswer({
    libraries: visible.map((view) => toListItem(caller, view)),
    // How many there are is told only to those who may read all of them.
    ...(caller.libraries.length === 0 && { total }),
    next,
  });
}

function isSchedule(value: unknown): boolean {
  return value === "never" || (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 365);
}

async function remove({ request, caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryId } = parseQuery(deletionParameters, request.query);
  const libraryName = libraryId ?? (body === undefined ? undefined : parseBody(nameBody, body).libraryName);
  if (libraryName === undefined) {
    throw new Failure("validation_error", "libraryId is missing. Name the library to delete.");
  }
  return jsonAnswer({ libraryName, ...(await deleteLibrary(options.ports, caller, libraryName)) });
}

/** Changes what a library is called, what is read of it and when, what its readers are told, or where it redirects to. */
async function change({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName, ...given } = parseBody(changeBody, body);
  const { trustScore: trust, ...others } = given;
  const changes = Object.fromEntries(Object.entries({ ...others, trust }).filter(([, value]) => value !== undefined));
  if (Object.keys(changes).length === 0) {
    const message = `Nothing to change. Give one of ${Object.keys(changeBody.shape).slice(1).join(", ")}.`;
    throw new Failure("validation_error", message);
  }
  return jsonAnswer({ libraryName, ...(await changeLibrary(options.ports, caller, libraryName, changes)) });
}

async function cancel({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName } = parseBody(nameBody, body);
  return jsonAnswer({ libraryName, ...(await cancelRun(options.ports, caller, libraryName)) });
}

/** Publishes what the shrink guard held, or drops it. */
async function publish({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName, drop } = parseBody(publishBody, body);
  if (drop) return jsonAnswer({ libraryName, ...(await dropHeld(options.ports, caller, libraryName)) });
  const { message, run } = await publishHeld(options.ports, caller, libraryName);
  return jsonAnswer({ libraryName, message, runId: run.runId });
}

async function rollback({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName } = parseBody(nameBody, body);
  return jsonAnswer({ libraryName, ...(await rollbackLibrary(options.ports, caller, libraryName)) });
}
