import * as z from "zod";

import type { Caller } from "../../domain/access.ts";
import { authorize, may } from "../../domain/authorizing.ts";
import { changePolicy, wholePolicy } from "../../domain/changing-policy.ts";
import { Failure } from "../../domain/failures.ts";
import { sourceTypes } from "../../domain/kinds/index.ts";
import { countAccessible } from "../../domain/policies.ts";
import type { AccessRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { ApiPorts } from "../options.ts";
import { text } from "../parameters.ts";
import { route } from "../route.ts";
import type { Route } from "../route.ts";
import type { AnswerOf } from "../schemas/common.ts";
import { policyBody, policySchema } from "../schemas/policies.ts";
import { ownTeamspace, unknownTeamspace } from "../teamspace.ts";

const parameters = z.object({
  teamspace: text(1, 100)
    .optional()
    .describe("Whose policy, for the instance's administrators; default: the key's own teamspace."),
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
        "By an administrator of the teamspace. What is absent stays, null takes back. It holds from the next request on, in every process.",
      headers: {
        "If-Match": "Tag of the policy that is to be changed: the change is refused if it is another one by now.",
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
  const message = "The policy was changed meanwhile. Get it again, then change it as it is now.";
  throw new Failure("precondition_failed", message);
}
