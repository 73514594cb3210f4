import * as z from "zod";
import { authorize } from "../../domain/authorizing.ts";
import { Failure, toFailureRecord } from "../../domain/failures.ts";
import { isSame, type Difference } from "../../domain/library-manifest.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { applyManifest, type Applying, type CheckedManifest } from "../manifests/apply.ts";
import { checkManifest, defaultName } from "../manifests/check.ts";
import { fieldsOf } from "../manifests/entries.ts";
import { manifestSchema } from "../manifests/schema.ts";
import { writeManifest } from "../manifests/write.ts";
import { text, truth } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField } from "./teamspaces.ts";

const how = {
  prune: truth().default(false).describe("Remove libraries that it added and does not declare any more."),
  overwrite: truth().default(false).describe("Also set fields that a person has changed since it was applied."),
  confirm: truth().default(false).describe("Remove more than a tenth of its libraries."),
};

const applyBody = z
  .object({
    manifest: text(1, 1_000_000).describe("The manifest: YAML or JSON."),
    dryRun: truth().default(false).describe("Only say what would be done."),
    ...how,
  })
  .meta({ id: "LibraryManifest" });

const reconcileBody = z
  .object({ ...how, prune: how.prune.unwrap().optional().describe("As in `apply`; default: `MANIFEST_PRUNE`.") })
  .meta({ id: "Reconciliation" });

const differenceSchema = z
  .object({
    field: z.string().describe("Its name in the form of the source."),
    declared: z.unknown().describe("Value in the manifest; null: the default."),
    present: z.unknown().describe("Value of the library; null: the default."),
  })
  .meta({ id: "Difference" });

/** What applying a manifest did, or would do. */
export const appliedSchema = z
  .object({
    name: z.string().describe("Name of the manifest."),
    teamspace: z.string().describe("The teamspace that applied it."),
    message: z.string().describe("What was done, as a sentence."),
    libraries: z
      .array(
        z
          .object({
            libraryId: z.string().describe("Library ID."),
            teamspace: z.string().describe("Its owner; empty: a public library."),
            action: z
              .enum(["add", "change", "keep", "remove", "forget", "unlisted"])
              .describe(
                "`forget`: it is not declared any more, and stays, as the manifest did not add it. `unlisted`: not declared any more; `prune` removes it.",
              ),
            changes: z.array(differenceSchema).describe("Fields that change."),
            versions: z.array(z.string()).describe("Versions to add once its branches and tags are known."),
            drift: z.array(differenceSchema).describe("Fields that a person has changed: they stay."),
            problem: z.string().optional().describe("What could not be done."),
          })
          .meta({ id: "AppliedLibrary" }),
      )
      .describe("In the order of the manifest, then those that it does not declare any more."),
    problems: z.array(z.string()).describe("What could not be done besides."),
  })
  .meta({ id: "AppliedManifest" });

/** A manifest as it was last applied. */
export const manifestRecordSchema = z
  .object({
    name: z.string().describe("Its name."),
    teamspace: z.string().describe("The teamspace that applied it."),
    isWatched: z.boolean().describe("It is read from the repository of `MANIFEST_URL`."),
    revision: z.string().nullable().describe("Commit that it was read from; null: it was sent."),
    appliedAt: time("When it was last applied, or should have been."),
    message: z.string().describe("What was done."),
    problems: z.array(z.string()).describe("What could not be done."),
    libraries: z.int().describe("Number of libraries that it declares."),
    drift: z
      .array(differenceSchema.extend({ libraryId: z.string().describe("Library ID.") }))
      .describe("What people have changed since."),
    waiting: z
      .array(z.object({ libraryId: z.string().describe("Library ID."), versions: z.array(z.string()) }))
      .describe("Versions that were not found among the branches and tags yet."),
  })
  .meta({ id: "ManifestRecord" });

const path = "/api/v2/manifests";
const ofTeamspace = z.object({ teamspace: teamspaceField("Whose manifests") });
const common = { scope: "admin", limit: "read" } as const;
const failures = ["invalid_library_id", "credential_not_found", "service_unavailable", "access_denied"] as const;

/** Library manifests: libraries as code. */
export const manifestRoutes: readonly Route[] = [
  route({
    ...common,
    path,
    method: "GET",
    about: { operationId: "listManifests", tag: "Manifests", summary: "List library manifests, and what has drifted" },
    parameters: ofTeamspace,
    answers: success(z.object({ manifests: z.array(manifestRecordSchema), watched: z.string().nullable() })),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      authorize(caller, "manifests", { teamspace });
      const { manifests } = options.ports.catalog;
      const records = await manifests.list(teamspace);
      const listed = await Promise.all(
        records.map(async ({ result, appliedAt, ...record }) => {
          const declared = await manifests.declared(record);
          return {
            ...record,
            problems: [...record.problems],
            isWatched: record.revision !== null,
            appliedAt: iso(appliedAt),
            message: result,
            libraries: declared.length,
            drift: declared.flatMap(({ library, declaration }) =>
              driftOf(library.id, declaration.fields, fieldsOf(library)),
            ),
            waiting: declared.flatMap(({ library, declaration: { waiting } }) =>
              waiting.length === 0 ? [] : [{ libraryId: library.id, versions: [...waiting] }],
            ),
          };
        }),
      );
      return jsonAnswer({ manifests: listed, watched: options.watched?.address ?? null });
    },
  }),
  route({
    ...common,
    path: `${path}/apply`,
    method: "POST",
    limit: "submission",
    audit: "manifest.apply",
    about: {
      operationId: "applyManifest",
      tag: "Manifests",
      summary: "Bring libraries to what a manifest declares",
      description:
        "The whole manifest is checked first: a problem, which the message names with its line, changes nothing. Each change has a record of its own in the audit log. Applying it again finishes what was interrupted.",
    },
    body: jsonBody(applyBody),
    answers: success(appliedSchema),
    failures,
    async handler(call) {
      const { manifest, confirm: confirmed, ...given } = call.body;
      const checked = await checkManifest(call, manifest, { ...given, confirmed, revision: null });
      return appliedAnswer(checked, await applyManifest(call, checked));
    },
  }),
  route({
    ...common,
    path: `${path}/reconcile`,
    method: "POST",
    audit: "manifest.apply",
    about: {
      operationId: "reconcileManifest",
      tag: "Manifests",
      summary: "Read the watched manifest again, and apply it",
      description: "That of `MANIFEST_URL`. For administrators of the instance.",
    },
    body: jsonBody(reconcileBody),
    answers: success(appliedSchema),
    failures: [...failures, "source_not_found", "source_unreachable"],
    async handler(call) {
      const { caller, options, body, request } = call;
      const { watched, ports } = options;
      authorize(caller, "teamspaces");
      if (!watched)
        throw new Failure("validation_error", "No manifest is watched. Set MANIFEST_URL and restart the server.");
      try {
        const { text: manifest, revision } = await watched.read(request.signal);
        const checked = await checkManifest(call, manifest, {
          dryRun: false,
          prune: body.prune ?? watched.prune,
          overwrite: body.overwrite,
          confirmed: body.confirm,
          revision,
        });
        return appliedAnswer(checked, await applyManifest(call, checked));
      } catch (error) {
        const teamspace = ownTeamspace(caller);
        const before = (await ports.catalog.manifests.list(teamspace)).find(({ revision }) => revision !== null);
        await ports.catalog.manifests.note({
          name: before?.name ?? defaultName,
          teamspace,
          revision: before?.revision ?? "",
          appliedAt: ports.now(),
          result: "It could not be applied.",
          problems: [toFailureRecord(error).message],
        });
        throw error;
      }
    },
  }),
  route({
    ...common,
    path: `${path}/export`,
    method: "GET",
    about: {
      operationId: "exportManifest",
      tag: "Manifests",
      summary: "Write a manifest of the libraries that are here",
      description: "Those that the key may change, with shared credentials by name. Uploads are comments.",
    },
    parameters: ofTeamspace,
    answers: {
      200: { description: "Success.", content: { "application/yaml": z.string().describe("The manifest.") } },
    },
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      authorize(caller, "manifests", { teamspace });
      const body = await writeManifest(options, caller, teamspace);
      return { status: 200, headers: { "Content-Type": "application/yaml; charset=utf-8" }, body };
    },
  }),
  route({
    path: `${path}/schema`,
    method: "GET",
    scope: "open",
    limit: "open",
    about: {
      operationId: "getManifestSchema",
      tag: "Manifests",
      summary: "Get the JSON Schema of manifests, for editors",
    },
    answers: success(z.record(z.string(), z.unknown())),
    handler: async () => jsonAnswer(manifestSchema()),
  }),
];

function appliedAnswer({ name, teamspace }: CheckedManifest, { steps, message, problems }: Applying): ApiAnswer {
  const libraries = steps.map(({ id: libraryId, teamspace: owner, action, changes, versions, drift, problem }) => ({
    libraryId,
    teamspace: owner,
    action,
    changes,
    versions,
    drift,
    ...(problem !== undefined && { problem }),
  }));
  return jsonAnswer({ name, teamspace, message, libraries, problems });
}

function driftOf(
  libraryId: string,
  declared: Readonly<Record<string, unknown>>,
  present: Readonly<Record<string, unknown>>,
): readonly (Difference & { readonly libraryId: string })[] {
  return Object.entries(declared).flatMap(([field, value]) =>
    isSame(value, present[field])
      ? []
      : [{ libraryId, field, declared: value ?? null, present: present[field] ?? null }],
  );
}
