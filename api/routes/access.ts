import * as z from "zod";
import { defaultTeamspace, maxAccessRules, type AccessRules } from "../../domain/access.ts";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { GroupGrant } from "../../domain/ports.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { list, text } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, scopeSchema, time } from "../schemas/answers.ts";
import { ownTeamspace, unknownTeamspace } from "./teamspaces.ts";

const library = text(2, 500)
  .refine(
    (pattern) => /^(?:\/[^/*@\s]+|\/npm\/@[^/*@\s]+|(?:\/[^/*@\s]+){2}|\/npm\/@[^/*@\s]+\/[^/*@\s]+)$/i.test(pattern),
    {
      error: "must be a library ID without a version, such as /acme/widgets, or a namespace, such as /acme",
    },
  )
  .describe("A library ID, or a namespace, which includes all libraries below it. The longest match decides.");

const names = (what: string) => list(text(1, 500), 100).prefault([]).describe(what);

const ruleBody = z
  .object({
    library,
    users: names("Users who may read it, by their names in tokens or keys."),
    groups: names("Groups whose members may read it."),
  })
  .meta({ id: "NewAccessRule" });

const otherwise = z
  .enum(["allow", "deny"], { error: "must be allow or deny" })
  .describe("Access to libraries without a rule.");

/** A change of access rules. */
export const accessBody = z
  .object({
    teamspace: text(1, 100).optional().describe("Teamspace of the rules; default: the caller's own."),
    default: otherwise.optional(),
    set: list(ruleBody, maxAccessRules).prefault([]).describe("Rules to add. They replace those of the same library."),
    remove: list(library, maxAccessRules).prefault([]).describe("Libraries and namespaces whose rules are removed."),
  })
  .meta({ id: "AccessChange" });

const accessSchema = z
  .object({
    teamspace: z.string().describe("Teamspace of the rules."),
    default: otherwise,
    rules: z.array(
      z
        .object({ library: z.string(), users: z.array(z.string()), groups: z.array(z.string()) })
        .describe("Who may read a library or namespace.")
        .meta({ id: "AccessRule" }),
    ),
  })
  .meta({ id: "Access" });

const grantBody = z
  .object({
    group: text(1, 500).describe("The group, by its name in tokens; `*`: everybody who signs in."),
    scope: scopeSchema.describe("The right of its members."),
    teamspace: text(1, 100).prefault(defaultTeamspace).describe("The teamspace in which they have it."),
  })
  .meta({ id: "NewGroupGrant" });

const grantSchema = z
  .object({
    group: z.string().describe("The group, by its name in tokens."),
    scope: scopeSchema,
    teamspace: z.string().describe("The teamspace in which its members have the right."),
    createdAt: time("When it was created."),
  })
  .meta({ id: "GroupGrant" });

const ofTeamspace = z.object({
  teamspace: text(1, 100).optional().describe("Teamspace of the rules; default: the caller's own."),
});
const ofGrant = z.object({
  group: text(1, 500).describe("The group."),
  teamspace: text(1, 100).prefault(defaultTeamspace).describe("The teamspace."),
});

const common = { path: "/api/v2/access", scope: "admin", limit: "read" } as const;
const ofGroups = { ...common, path: "/api/v2/access/groups" } as const;
const forInstance = "For the forInstance's administrators.";

/** Access rules of teamspaces, and grants of groups of the issuer. */
export const accessRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    about: { operationId: "getAccess", tag: "Teamspaces", summary: "Show who of a teamspace may read which libraries" },
    parameters: ofTeamspace,
    answers: success(accessSchema),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      authorize(caller, "access", { teamspace });
      return answerRules(teamspace, await options.ports.catalog.access.rules(teamspace));
    },
  }),
  route({
    ...common,
    method: "PATCH",
    audit: "access.change",
    about: {
      operationId: "changeAccess",
      tag: "Teamspaces",
      summary: "Change who of a teamspace may read which libraries",
      description:
        "Absent fields do not change. It takes effect with the next request, in every process. Rules do not apply to administrators of the teamspace; those of `default` apply to callers without a key.",
    },
    body: jsonBody(accessBody),
    answers: success(accessSchema),
    async handler({ caller, body, options }) {
      const { teamspace = ownTeamspace(caller), default: chosen, set, remove } = body;
      authorize(caller, "access", { teamspace });
      if (chosen === undefined && set.length + remove.length === 0)
        throw new Failure("validation_error", "Nothing to change. Give one of default, set, remove.");
      const changed = await options.ports.catalog.access.change(teamspace, {
        ...(chosen !== undefined && { otherwise: chosen }),
        set,
        remove,
      });
      return answerRules(teamspace, changed);
    },
  }),
  route({
    ...ofGroups,
    method: "GET",
    about: {
      operationId: "listGroups",
      tag: "Teamspaces",
      summary: "List the rights of the issuer's groups",
      description: forInstance,
    },
    answers: success(z.object({ groups: z.array(grantSchema) })),
    async handler({ caller, options }) {
      authorize(caller, "groups");
      return jsonAnswer({ groups: (await options.ports.catalog.access.grants()).map(toGrant) });
    },
  }),
  route({
    ...ofGroups,
    method: "POST",
    audit: "group.grant",
    about: {
      operationId: "grantGroup",
      tag: "Teamspaces",
      summary: "Give a group of the issuer rights in a teamspace",
      description: `${forInstance} They replace the group's rights there. A member of groups of several teamspaces chooses one with the header \`X-Lectern-Teamspace\`; default: the teamspace of the first grant.`,
    },
    body: jsonBody(grantBody),
    answers: success(grantSchema),
    async handler({ caller, body, options }) {
      authorize(caller, "groups");
      const made: GroupGrant = { ...body, createdAt: options.ports.now() };
      if (!(await options.ports.catalog.access.grant(made))) throw unknownTeamspace(body.teamspace);
      return jsonAnswer(toGrant(made));
    },
  }),
  route({
    ...ofGroups,
    method: "DELETE",
    audit: "group.withdraw",
    about: {
      operationId: "withdrawGroup",
      tag: "Teamspaces",
      summary: "Withdraw a group's rights in a teamspace",
      description: forInstance,
    },
    parameters: ofGrant,
    answers: success(z.object({ group: z.string(), message: z.string().describe("What was done.") })),
    async handler({ caller, parameters: { group, teamspace }, options }) {
      authorize(caller, "groups");
      if (await options.ports.catalog.access.withdraw(group, teamspace))
        return jsonAnswer({ group, message: "The group has no rights there any more." });
      throw new Failure(
        "validation_error",
        "This group has no rights in that teamspace. List the groups to see theirs.",
      );
    },
  }),
];

function answerRules(teamspace: string, access: AccessRules | undefined): ApiAnswer {
  if (!access) throw unknownTeamspace(teamspace);
  return jsonAnswer({ teamspace, default: access.otherwise, rules: [...access.rules.values()] });
}

function toGrant({ createdAt, ...named }: GroupGrant): z.infer<typeof grantSchema> {
  return { ...named, createdAt: iso(createdAt) };
}
