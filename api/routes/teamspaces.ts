import * as z from "zod";
import { defaultTeamspace, teamspacePattern, type Caller } from "../../domain/access.ts";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { quantity } from "../../domain/quantity.ts";
import { foldId, parseLibraryId } from "../../domain/library.ts";
import type { AccessRecord, TeamspaceRecord, TeamspaceRules } from "../../domain/ports.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { text } from "../parameters.ts";
import { libraryRules } from "../forms/fields.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";

/** Maximum number of libraries for which a teamspace has rules. */
const maxLibraries = 1000;

const teamspaceBody = z
  .object({
    id: text(1, 63)
      .regex(teamspacePattern, { error: "must be lower-case letters, digits and hyphens, such as web-team" })
      .describe("Lower-case letters, digits and hyphens."),
    title: text(1, 100).optional().describe("Display name; default: the ID."),
  })
  .meta({ id: "NewTeamspace" });

/** A teamspace. */
export const teamspaceSchema = z
  .object({
    id: z.string().describe("Teamspace ID."),
    title: z.string().describe("Display name."),
    createdAt: time("When it was created."),
  })
  .meta({ id: "Teamspace" });

const rulesSchema = z.object({
  global: z.array(z.string()).describe("Rules sent with every answer."),
  libraries: z.record(z.string(), z.array(z.string())).describe("Rules sent with the answers of a library, by its ID."),
});

/** The rules of a teamspace, with its ID. */
export const teamspaceRulesSchema = z
  .object({
    id: z.string().describe("Teamspace ID."),
    rules: rulesSchema.describe("For the teamspace's keys; those of `default` also for callers without a key."),
  })
  .meta({ id: "TeamspaceAccess" });

const changeBody = z
  .object({
    rules: z
      .object({
        global: libraryRules.nullable().optional().describe("Replace the current ones; empty or null: none."),
        libraries: z
          .record(text(1, 500), libraryRules.nullable())
          .refine((rules) => Object.keys(rules).length <= maxLibraries, {
            error: `must have at most ${maxLibraries} libraries`,
          })
          .optional()
          .describe("By library ID; they replace those of the same library; empty or null: none."),
      })
      .describe("Absent fields do not change."),
  })
  .meta({ id: "TeamspaceChange" });

const idParameter = z.object({ id: text(1, 100).describe("Teamspace ID.") });

const common = { path: "/api/v2/teamspaces", scope: "admin", limit: "read" } as const;
const one = { path: `${common.path}/{id}`, parameters: idParameter } as const;
const forTeamspace = "For administrators of the teamspace, and of the instance.";
const description = "For the instance's administrators.";

/** Teamspaces, for administrators of the instance; the rules of a teamspace, also for its own administrators. */
export const teamspaceRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    about: { operationId: "listTeamspaces", tag: "Teamspaces", summary: "List the teamspaces", description },
    answers: success(z.object({ teamspaces: z.array(teamspaceSchema) })),
    async handler({ caller, options }) {
      authorize(caller, "teamspaces");
      const teamspaces = await options.ports.catalog.teamspaces.list();
      return jsonAnswer({ teamspaces: teamspaces.map(toTeamspace) });
    },
  }),
  route({
    ...common,
    method: "POST",
    audit: "teamspace.create",
    about: { operationId: "createTeamspace", tag: "Teamspaces", summary: "Create a teamspace", description },
    body: jsonBody(teamspaceBody),
    answers: success(teamspaceSchema),
    failures: ["duplicate_teamspace"],
    async handler({ caller, body: { id, title = id }, options }) {
      authorize(caller, "teamspaces");
      const { catalog, now } = options.ports;
      const record: TeamspaceRecord = { id, title, createdAt: now() };
      if (!(await catalog.teamspaces.add(record)))
        throw new Failure("duplicate_teamspace", `The teamspace "${id}" already exists. Use it, or choose another ID.`);
      return jsonAnswer(toTeamspace(record));
    },
  }),
  route({
    ...common,
    method: "DELETE",
    audit: "teamspace.delete",
    about: {
      operationId: "deleteTeamspace",
      tag: "Teamspaces",
      summary: "Delete a teamspace",
      description: `${description} Refused while it has libraries, or keys that are not revoked; \`${defaultTeamspace}\` stays.`,
    },
    parameters: idParameter,
    answers: success(
      z.object({ id: z.string().describe("Teamspace ID."), message: z.string().describe("What was done.") }),
    ),
    failures: ["teamspace_in_use"],
    async handler({ caller, parameters: { id }, options }) {
      authorize(caller, "teamspaces");
      if (id === defaultTeamspace)
        throw new Failure("validation_error", `The teamspace "${id}" cannot be deleted: it is the instance's own.`);
      const left = await options.ports.catalog.teamspaces.remove(id);
      if (!left) throw unknownTeamspace(id);
      if (left.libraries + left.keys > 0) {
        const message = `The teamspace "${id}" has ${quantity(left.libraries, "library")} and ${quantity(left.keys, "key")}. Delete the libraries and revoke the keys first.`;
        throw new Failure("teamspace_in_use", message);
      }
      return jsonAnswer({ id, message: "The teamspace was deleted." });
    },
  }),
  route({
    ...common,
    ...one,
    method: "GET",
    about: {
      operationId: "getTeamspace",
      tag: "Teamspaces",
      summary: "Get the rules of a teamspace",
      description: forTeamspace,
    },
    answers: success(teamspaceRulesSchema),
    async handler({ caller, parameters: { id }, options }) {
      authorize(caller, "policies", { teamspace: id });
      const { teamspaces } = options.ports.catalog;
      if (!(await teamspaces.list()).some((known) => known.id === id)) throw unknownTeamspace(id);
      return accessAnswer(id, await teamspaces.access(id));
    },
  }),
  route({
    ...common,
    ...one,
    method: "PATCH",
    audit: "teamspace.change",
    about: {
      operationId: "changeTeamspace",
      tag: "Teamspaces",
      summary: "Change the rules of a teamspace",
      description: forTeamspace,
    },
    body: jsonBody(changeBody),
    answers: success(teamspaceRulesSchema),
    failures: ["invalid_library_id"],
    async handler({ caller, parameters: { id }, body, options }) {
      authorize(caller, "policies", { teamspace: id });
      const { catalog, now } = options.ports;
      const changed = await catalog.teamspaces.changeAccess(
        id,
        ({ rules }) => ({ rules: changeRules(rules, body.rules) }),
        now(),
      );
      if (!changed) throw unknownTeamspace(id);
      return accessAnswer(id, changed);
    },
  }),
];

/** The rules after a change. @throws Failure invalid_library_id, validation_error for an ID with a version or too many libraries */
function changeRules(
  before: TeamspaceRules | null,
  { global, libraries = {} }: z.infer<typeof changeBody>["rules"],
): TeamspaceRules {
  const after = new Map(
    Object.entries(before?.libraries ?? {}).map(([id, rules]) => [foldId(id), [id, rules] as const]),
  );
  for (const [name, rules] of Object.entries(libraries)) {
    const { id, version } = parseLibraryId(name);
    if (version !== "") throw new Failure("validation_error", "rules.libraries takes library IDs without a version.");
    if (rules === null || rules.length === 0) after.delete(foldId(id));
    else after.set(foldId(id), [id, rules]);
  }
  if (after.size > maxLibraries)
    throw new Failure(
      "validation_error",
      `rules.libraries would have ${after.size} libraries; the maximum is ${maxLibraries}.`,
    );
  return {
    global: global === undefined ? (before?.global ?? []) : (global ?? []),
    libraries: Object.fromEntries(after.values()),
  };
}

function accessAnswer(id: string, { rules }: AccessRecord): ApiAnswer {
  return jsonAnswer({ id, rules: rules ?? { global: [], libraries: {} } });
}

function toTeamspace({ id, title, createdAt }: TeamspaceRecord): z.infer<typeof teamspaceSchema> {
  return { id, title, createdAt: iso(createdAt) };
}

/** The teamspace of a caller; `default` for one without a key. */
export function ownTeamspace({ teamspace }: Pick<Caller, "teamspace">): string {
  return teamspace ?? defaultTeamspace;
}

/** The field that names the teamspace of an administrator's operation. */
export function teamspaceField(description: string) {
  return text(1, 100)
    .optional()
    .describe(`${description}; default: the caller's own. Another one is for the instance's administrators.`);
}

/** The failure for an ID that no teamspace has. */
export function unknownTeamspace(id: string): Failure {
  const message = `There is no teamspace "${id}". GET /api/v2/teamspaces lists them, and POST makes one.`;
  return new Failure("validation_error", message);
}
