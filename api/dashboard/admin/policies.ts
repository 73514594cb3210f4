import * as z from "zod";

import { fieldsOf } from "../fields.ts";
import { form, page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import { sectionPath } from "../views/administration.ts";
import { entriesOf } from "../views/fields.ts";
import type { FormState } from "../views/administration.ts";
import { policyFields, policyView } from "../views/policies.ts";
import type { ListName, Policy, TypedPolicy } from "../views/policies.ts";
import { adminContext } from "./context.ts";

const path = "/-/admin/policies";
/** The policy of a teamspace as a form. */
export const policyPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional() }),
  show: (visit) => showPolicy(visit, visit.parameters.teamspace),
});

/** Changes the policy, unless it was changed meanwhile: then it shows the conflict, and keeps the input. */
export const policyForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(policyFields, [
    "types",
    ...Object.keys(policyFields.shape).filter((name) => name.startsWith("remove.")),
  ]),
  async submit(visit, typed) {
    const { teamspace, tag } = typed;
    const before = await visit.ask<Policy>("/v2/policies", { teamspace });
    const asked = { query: { teamspace }, body: changeOf(typed, Object.keys(before.sourceTypes)), ifMatch: tag };
    const { body, failure, status } = await visit.tell<Policy>("PATCH", "/v2/policies", asked);
    if (!failure) {
      const said = `The policy was changed. ${body.accessibleLibraryCount} public libraries can be read.`;
      return { goTo: sectionPath("policies", { teamspace }), said };
    }
    const problem =
      status === 412
        ? "Someone else changed the policy meanwhile. Your input is still here, with the saved values beside it. Save again to apply yours."
        : failure.message;
    return showPolicy(visit, teamspace, { typed, problem, status });
  },
});

async function showPolicy(visit: Visit, asked: string | undefined, form: FormState<TypedPolicy> = {}): Promise<Shown> {
  const context = await adminContext(visit, asked);
  const { body, etag, failure, status } = await visit.tell<Policy>("GET", "/v2/policies", {
    query: { teamspace: asked },
  });
  const title = "Policy";
  if (failure) return { title, main: policyView(undefined, context, { problem: failure.message }), status };
  const main = policyView(body, context, { ...form, ...(etag !== undefined && { tag: etag }) });
  return { title, main, status: form.status ?? 200 };
}

/** A typed number; the API refuses invalid ones. */
function numberOf(typed: string | undefined): number | string | null {
  if (typed === undefined) return null;
  return /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : typed;
}

function changeOf(typed: TypedPolicy, types: readonly string[]): object {
  const list = (name: ListName) => ({
    add: entriesOf(typed[`add.${name}`]),
    remove: typed[`remove.${name}`],
  });
  return {
    sourceTypes: {
      enable: types.filter((one) => typed.types.includes(one)),
      disable: types.filter((one) => !typed.types.includes(one)),
    },
    libraryFilters: {
      mode: typed.mode ?? null,
      quality: {
        requireVerified: typed.requireVerified !== undefined,
        minTrustScore: numberOf(typed.minTrustScore),
        maxAgeDays: numberOf(typed.maxAgeDays),
        blockedLibraries: list("blockedLibraries"),
        exceptedLibraries: list("exceptedLibraries"),
        repoFilters: { minStars: numberOf(typed.minStars), allowedLicenses: list("allowedLicenses") },
        websiteFilters: {
          minBacklinks: numberOf(typed.minBacklinks),
          minReferringDomains: numberOf(typed.minReferringDomains),
          minOrganicTraffic: numberOf(typed.minOrganicTraffic),
        },
      },
      select: { allowedLibraries: list("allowedLibraries") },
    },
  };
}
