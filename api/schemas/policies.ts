import * as z from "zod";

import { maxEntries } from "../../domain/changing-policy.ts";
import { sourceTypes } from "../../domain/kinds/index.ts";
import type { SourceType } from "../../domain/kinds/index.ts";
import { list, oneOf, text, truth } from "../parameters.ts";

const sourceType = oneOf(sourceTypes);
const modeError = "must be quality, select or null";
const mode = z
  .enum(["quality", "select"], { error: modeError })
  .nullable()
  .describe("Which of the two is applied, to public libraries; null: neither.");

/** A required minimum, or null for none. */
function threshold(least: number, most: number, what: string): z.ZodNullable<z.ZodInt> {
  const error = `must be a whole number from ${least} to ${most}, or null`;
  return z.int({ error }).min(least, { error }).max(most, { error }).nullable().describe(`${what}; null: any.`);
}

const most = 2_000_000_000;
const thresholds = {
  minTrustScore: threshold(0, 10, "Trust score at least"),
  maxAgeDays: threshold(1, 36_500, "Days since what is served was read, at most"),
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
      clear: truth().optional().describe("`true`: removes all; alone."),
    })
    .meta({ id });
}

const libraries = changeOf("LibraryListChange", text(1, 300).describe("`/org/repo`, `/org`, or a domain."));
const licences = changeOf("LicenseListChange", text(1, 64).describe("SPDX identifier, such as `MIT`."));

/** The body of a change of policies. */
export const policyBody = z
  .object({
    sourceTypes: z
      .object({
        enable: list(sourceType, sourceTypes.length).optional().describe("Source types to enable."),
        disable: list(sourceType, sourceTypes.length).optional().describe("Source types to disable."),
      })
      .optional()
      .describe("Which source types are allowed. None may be in both lists."),
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
      .describe("Which libraries are allowed."),
    upstream: z
      .object({ enabled: truth().describe("Whether the upstream may be asked.") })
      .optional()
      .describe("Whether names and questions go to the upstream of the server."),
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
        enabled: z.boolean().describe("Whether the upstream is asked; without effect where the server has none."),
      })
      .describe("Whether names and questions go to the upstream of the server."),
    accessibleLibraryCount: z.int().min(0).describe("Public libraries of this server that can be read now."),
  })
  .meta({ id: "Policy" });
