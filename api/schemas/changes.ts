import * as z from "zod";

const lostSchema = z
  .object({
    path: z.string().describe("Path in the source."),
    url: z.string().describe("Address that shows it."),
    title: z.string().optional().describe("Its title."),
    snippets: z.int().optional().describe("Snippets that came of it."),
    outcome: z
      .enum(["missing", "skipped", "failed"])
      .describe("What became of it in the held generation; `missing`: the source had no such page."),
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
    lost: z.array(lostSchema).describe("Pages that are served, and would not be any more."),
    total: z.int().describe("How many are lost in all."),
    next: z.string().nullable().describe("Cursor of the next answer."),
  })
  .meta({ id: "Changes" });
