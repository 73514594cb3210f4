import * as z from "zod";
import type { Manifest, ManifestPage } from "../../domain/generation.ts";
import { targetOf } from "../../domain/operating.ts";
import { jsonAnswer } from "../answers.ts";
import { pageOf } from "../paging.ts";
import { integer, libraryIdText, text } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { pageSchema } from "../schemas/status.ts";

const lostSchema = pageSchema
  .pick({ path: true, url: true, title: true, snippets: true })
  .extend({
    outcome: z
      .enum(["missing", "skipped", "failed"])
      .describe("Its outcome in the held generation; `missing`: the page no longer exists."),
    reason: z.string().optional().describe("Why it was skipped or failed."),
  })
  .meta({ id: "LostPage" });

/** The changes of a held generation, as `GET /api/v2/libs/status/changes` answers. */
export const changesSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    version: z.string().describe("Empty: the default version."),
    live: z.string().nullable().describe("The live generation; null: none."),
    held: z.string().nullable().describe("The held generation; null: none."),
    added: z.int().describe("Pages that only the held generation has."),
    lost: z.array(lostSchema).describe("Pages that are served now, and would be lost."),
    total: z.int().describe("Number of lost pages."),
    next: z.string().nullable().describe("Cursor of the next answer."),
  })
  .meta({ id: "Changes" });

const parameters = z.object({
  libraryId: libraryIdText.describe("Library ID; with a version, unless the default one is meant."),
  limit: integer(1, 1000).prefault(100).describe("Maximum number of pages in one answer."),
  cursor: text(1, 500).optional().describe("`next` of the previous answer."),
});

/** The changes that publishing a held generation would make. */
export const changesRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/status/changes",
  scope: "admin",
  limit: "read",
  about: {
    operationId: "listChanges",
    tag: "Operations",
    summary: "List the pages that publishing a held generation would lose",
    description: "Compared with the live generation. The counts of both are in the status.",
  },
  parameters,
  answers: success(changesSchema),
  failures: [...libraryFailures, "library_redirected", "tag_not_found", "format_unknown"],
  async handler({ caller, parameters, options: { ports } }) {
    const { id, uid, version } = await targetOf(ports, caller, parameters.libraryId);
    const held = (await ports.catalog.generations.of(uid, version.version)).find(({ state }) => state === "held");
    const { live } = version;
    const manifestOf = async (one: { readonly id: string } | null | undefined) => one && ports.manifest(one.id);
    const [before, after] = await Promise.all([manifestOf(live), manifestOf(held)]);
    const { lost, added } = before && after ? compare(before, after) : { lost: [], added: 0 };
    const { items, total, next } = pageOf(lost, parameters, `${live?.id ?? ""}.${held?.id ?? ""}`);
    const changes: z.infer<typeof changesSchema> = {
      libraryId: id,
      version: version.version,
      live: live?.id ?? null,
      held: held?.id ?? null,
      added,
      lost: items,
      total,
      next,
    };
    return jsonAnswer(changes);
  },
});

type Lost = z.infer<typeof changesSchema>["lost"][number];

/** Pages that are indexed in one generation and not in the next, and the number of those only in the next. */
function compare(before: Manifest, after: Manifest): { readonly lost: readonly Lost[]; readonly added: number } {
  const [old, current] = [before, after].map(({ pages }) => new Map(pages.map((page) => [page.path, page])));
  const isIndexed = (page: ManifestPage | undefined): boolean => page?.outcome === "indexed";
  const lost = before.pages.filter((page) => isIndexed(page) && !isIndexed(current?.get(page.path)));
  const added = after.pages.filter((page) => isIndexed(page) && !isIndexed(old?.get(page.path)));
  return { lost: lost.map((page) => toLost(page, current?.get(page.path))), added: added.length };
}

function toLost({ path, url, title, snippets }: ManifestPage, now: ManifestPage | undefined): Lost {
  const why = now && now.outcome !== "indexed" && { outcome: now.outcome, reason: now.reason };
  return { path, url, title, snippets, outcome: "missing", ...why };
}
