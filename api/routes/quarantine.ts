import * as z from "zod";
import { isReleased, codesOf, isServed, type FoundPassage, type Releases } from "../../domain/passage.ts";
import { listFindings, releasePassages } from "../../domain/quarantine.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { pageOf } from "../paging.ts";
import { integer, libraryIdText, text, truth } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { quarantineSchema, toFound } from "../schemas/quarantine.ts";
import { doneSchema } from "../schemas/answers.ts";

const parameters = z.object({
  libraryId: libraryIdText.describe("Library ID; with a version, unless the default one is meant."),
  limit: integer(1, 100).prefault(50).describe("Maximum number of passages in one answer."),
  cursor: text(1, 500).optional().describe("`next` of the previous answer."),
});
const releaseBody = z
  .object({
    libraryName: libraryIdText.describe("Library ID; with a version, unless the default one is meant."),
    passageIds: z
      .array(text(1, 200))
      .min(1)
      .max(100)
      .describe("IDs of the passages, from the list of quarantined ones."),
    withdraw: truth().default(false).describe("Withdraw a release."),
  })
  .meta({ id: "Release" });

const common = { scope: "admin", limit: "read" } as const;
const failures = [
  ...libraryFailures,
  "library_redirected",
  "tag_not_found",
  "generation_damaged",
  "format_unknown",
] as const;

/** The quarantined passages of a library, and their release. */
export const quarantineRoutes: readonly Route[] = [
  route({
    ...common,
    method: "GET",
    path: "/api/v2/libs/status/quarantine",
    about: {
      operationId: "listQuarantine",
      tag: "Operations",
      summary: "List the quarantined passages",
      description: "Passages of the live generation with findings of the screen, including released ones.",
    },
    parameters,
    answers: success(quarantineSchema),
    failures,
    async handler({ caller, parameters, options }) {
      const listed = await listFindings(options.ports, caller, parameters.libraryId);
      const { library, version, generation, found: passages } = listed;
      const { items, total, next } = pageOf(passages, parameters, generation ?? "");
      const manifest = generation === null ? undefined : await options.ports.manifest(generation);
      return jsonAnswer({
        libraryId: library.id,
        version: version.version,
        generation,
        screen: library.chosen?.screen ?? "on",
        notes: manifest?.notes ?? [],
        passages: items.map((one) => toShown(one, library.chosen ?? {})),
        total,
        next,
      });
    },
  }),
  route({
    ...common,
    method: "POST",
    path: "/api/v2/libs/release",
    audit: "passages.release",
    about: {
      operationId: "releasePassages",
      tag: "Operations",
      summary: "Release quarantined passages",
      description:
        "For all versions and revisions in which they have the same text. Takes effect with a refresh, which is started.",
    },
    body: jsonBody(releaseBody),
    answers: success(doneSchema),
    failures: [...failures, "service_unavailable"],
    handler: async ({ caller, body, options }) =>
      jsonAnswer({ libraryName: body.libraryName, ...(await releasePassages(options.ports, caller, body)) }),
  }),
];

function toShown(
  { passage, releaseKey }: FoundPassage,
  releases: Releases,
): z.infer<typeof quarantineSchema>["passages"][0] {
  const { id, title, breadcrumb, blocks, source, findings = [] } = passage;
  return {
    id,
    title,
    breadcrumb: [...breadcrumb],
    content: blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : [])).join("\n\n"),
    codes: codesOf(passage).map(({ language, code }) => ({ language, code })),
    url: source.url,
    findings: findings.map(toFound),
    released: isReleased(releases, releaseKey),
    served: isServed(passage),
  };
}
