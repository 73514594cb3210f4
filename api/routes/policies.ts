import * as z from "zod";
import type { Caller } from "../../domain/access.ts";
import { authorize, may } from "../../domain/authorizing.ts";
import { changePolicy, wholePolicy, maxEntries, countAccessible } from "../../domain/policies.ts";
import { Failure } from "../../domain/failures.ts";
import { sourceTypes, type SourceType } from "../../domain/kinds/index.ts";
import type { AccessRecord } from "../../domain/ports.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { ApiPorts } from "../options.ts";
import { jsonInteger, text, list, oneOf, truth } from "../parameters.ts";
import { route, type Route } from "../route.ts";
import type { AnswerOf } from "../schemas/answers.ts";
import { ownTeamspace, unknownTeamspace } from "./teamspaces.ts";

const sourceType = oneOf(sourceTypes);
const modeError = "must be quality, select or null";
const mode = z
  .enum(["quality", "select"], { error: modeError })
  .nullable()
  .describe("Filter for public libraries; null: none.");

/** A required limit, or null for none. */
function threshold(least: number, most: number, description: string): z.ZodNullable<z.ZodInt> {
  const number = jsonInteger(least, most, `must be a whole number from ${least} to ${most}, or null`);
  return number.nullable().describe(`${description}; null: any.`);
}

const most = 2_000_000_000;
const thresholds = {
  minTrustScore: threshold(0, 10, "Trust score at least"),
  maxAgeDays: threshold(1, 36_500, "Days since the served content was read, at most"),
};
const minStars = threshold(0, most, "Stars of a public repository at least");
const websiteThresholds = {
  minBacklinks: threshold(0, most, "Backlinks of a public website at least"),
  minReferringDomains: threshold(0, most, "Referring domains of a public website at least"),
  minOrganicTraffic: threshold(0, most, "Monthly organic traffic of a public website at least"),
};
const requireVerified = truth().describe("Only verified libraries.");

/** A change of a list. */
function changeOf(id: string, entry: z.ZodType<string>) {
  return z
    .object({
      add: list(entry, maxEntries).optional().describe("Entries to add."),
      remove: list(entry, maxEntries).optional().describe("Entries to remove."),
      clear: truth().optional().describe("`true`: remove all entries. Not with `add` or `remove`."),
    })
    .meta({ id });
}

const libraries = changeOf("LibraryListChange", text(1, 300).describe("`/org/repo`, `/org`, or a domain."));
const licences = changeOf("LicenseListChange", text(1, 64).describe("SPDX identifier, such as `MIT`."));

/** A change of a policy. */
export const policyBody = z
  .object({
    sourceTypes: z
      .object({
        enable: list(sourceType, sourceTypes.length).optional().describe("Source types to enable."),
        disable: list(sourceType, sourceTypes.length).optional().describe("Source types to disable."),
      })
      .optional()
      .describe("Allowed source types. None may be in both lists."),
    libraryFilters: z
      .object({
        mode: mode.optional(),
        quality: z
          .object({
            requireVerified: requireVerified.optional(),
            ...z.object(thresholds).partial().shape,
            blockedLibraries: libraries.optional(),
            exceptedLibraries: libraries.optional(),
            repoFilters: z
              .object({ minStars: minStars.optional(), allowedLicenses: licences.optional() })
              .optional()
              .describe("For public repositories."),
            websiteFilters: z.object(websiteThresholds).partial().optional().describe("For public websites."),
          })
          .optional()
          .describe("Applied in the mode `quality`."),
        select: z
          .object({ allowedLibraries: libraries.optional() })
          .optional()
          .describe("Applied in the mode `select`."),
      })
      .optional()
      .describe("Allowed libraries."),
    upstream: z
      .object({ enabled: truth().describe("Whether the upstream may be asked.") })
      .optional()
      .describe("Whether names and questions are sent to the server's upstream."),
  })
  .meta({ id: "PolicyChange" });

const status = z.object({ enabled: z.boolean().describe("Whether it is allowed.") }).meta({ id: "SourceTypeStatus" });
const entries = (what: string): z.ZodArray<z.ZodString> => z.array(z.string()).describe(what);

/** The whole policy of a teamspace. */
export const policySchema = z
  .object({
    sourceTypes: z.object(
      Object.fromEntries(sourceTypes.map((type) => [type, status])) as Record<SourceType, typeof status>,
    ),
    libraryFilters: z.object({
      mode,
      quality: z.object({
        requireVerified,
        ...thresholds,
        blockedLibraries: entries("Always excluded: `/org/repo`, `/org`, or a domain."),
        exceptedLibraries: entries("Always allowed."),
        repoFilters: z.object({ minStars, allowedLicenses: entries("SPDX identifiers; empty: any licence.") }),
        websiteFilters: z.object(websiteThresholds),
      }),
      select: z.object({ allowedLibraries: entries("The only public libraries that are allowed.") }),
    }),
    upstream: z
      .object({
        enabled: z.boolean().describe("Whether the upstream is asked; ignored if the server has none."),
      })
      .describe("Whether names and questions are sent to the server's upstream."),
    accessibleLibraryCount: z.int().min(0).describe("Number of public libraries that can be read now."),
  })
  .meta({ id: "Policy" });

const parameters = z.object({
  teamspace: text(1, 100)
    .optional()
    .describe("Teamspace of the policy; default: the key's own. Another one is for the instance's administrators."),
});

const common = { path: "/api/v2/policies", limit: "read", parameters } as const;
const answers: Route["answers"] = {
  200: { description: "Success.", headers: ["ETag"], content: { "application/json": policySchema } },
};

/** Policies of teamspaces. */
export const policyRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    scope: "read",
    about: { operationId: "getPolicies", tag: "Policies", summary: "Get the policy of the teamspace" },
    answers,
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options: { ports } }) {
      if (teamspace !== ownTeamspace(caller)) {
        authorize(caller, "policies", { teamspace });
        const known = await ports.catalog.teamspaces.list();
        if (!known.some(({ id }) => id === teamspace)) throw unknownTeamspace(teamspace);
      }
      return policyAnswer(ports, caller, teamspace, await ports.catalog.teamspaces.access(teamspace));
    },
  }),
  route({
    ...common,
    method: "PATCH",
    scope: "admin",
    audit: "policy.change",
    about: {
      operationId: "updatePolicies",
      tag: "Policies",
      summary: "Change the policy of the teamspace",
      description:
        "For administrators of the teamspace. Absent fields do not change, null resets. It takes effect with the next request, in every process.",
      headers: {
        "If-Match": "Entity tag of the policy. The change is refused if the policy has another one by now.",
      },
    },
    body: jsonBody(policyBody),
    answers,
    failures: ["precondition_failed"],
    async handler({ request, caller, parameters: { teamspace = ownTeamspace(caller) }, body, options: { ports } }) {
      authorize(caller, "policies", { teamspace });
      if (body.sourceTypes === undefined && body.libraryFilters === undefined && body.upstream === undefined)
        throw new Failure("validation_error", "Nothing to change. Give sourceTypes, libraryFilters or upstream.");
      const changed = await ports.catalog.teamspaces.changeAccess(
        teamspace,
        (before) => {
          requireMatch(request.headers["if-match"], tagOf(teamspace, before));
          return { policy: changePolicy(wholePolicy(before.policy), body) };
        },
        ports.now(),
      );
      if (!changed) throw unknownTeamspace(teamspace);
      return policyAnswer(ports, caller, teamspace, changed);
    },
  }),
];

async function policyAnswer(
  ports: ApiPorts,
  caller: Caller,
  teamspace: string,
  access: AccessRecord,
): Promise<ApiAnswer> {
  const { disabledTypes, mode, quality, select, upstream } = wholePolicy(access.policy);
  const libraries = await ports.catalog.libraries.facets({ teamspaces: [""], patterns: caller.libraries });
  const readable = libraries.filter(({ id }) => may(caller, "library.read", { id }));
  const enabled = sourceTypes.map((type) => [type, { enabled: !disabledTypes.includes(type) }]);
  const body: AnswerOf<typeof policySchema> = {
    sourceTypes: Object.fromEntries(enabled) as z.infer<typeof policySchema>["sourceTypes"],
    libraryFilters: { mode, quality, select },
    upstream: { enabled: upstream },
    accessibleLibraryCount: countAccessible(access, readable, ports.now()),
  };
  return jsonAnswer(body, { ETag: tagOf(teamspace, access) });
}

/** Entity tag of a policy. */
function tagOf(teamspace: string, { revision }: AccessRecord): string {
  return `"${teamspace}.${revision}"`;
}

/** @throws Failure precondition_failed where If-Match has only other tags (RFC 9110 section 13.1.1) */
function requireMatch(header: string | undefined, tag: string): void {
  if (header === undefined || header.trim() === "*") return;
  // A compressing proxy makes a tag weak.
  const named = header.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (named.includes(tag)) return;
  const message = "The policy was changed in the meantime. Get it again, and repeat your change.";
  throw new Failure("precondition_failed", message);
}
