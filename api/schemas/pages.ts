import * as z from "zod";
import { blockSchema, linesSchema } from "./blocks.ts";
import { contextSchema } from "./reading.ts";

const sectionSchema = z
  .object({
    section: z.string().describe("Its name in `GET /v2/page`, unique on the page."),
    title: z.string().describe("Heading."),
    level: z.int().describe("1 for a section that is in no other one."),
    tokens: z.int().describe("Estimated model tokens, with the sections in it."),
    lines: linesSchema,
  })
  .meta({ id: "PageSection" });

const listedPage = z.object({
  page: z.string().describe("Its path in the source, or its address."),
  name: z
    .string()
    .describe(
      "Its shortest name: method and path of an operation, or as much of the end of `page` as no other page has. `GET /v2/page` takes either.",
    ),
  title: z.string().describe("Title."),
  url: z.string().describe("Its address at the revision that was read; of a folder, the path below it."),
  tokens: z.int().describe("Estimated model tokens."),
  heldBack: z.int().describe("Number of its passages that the screen holds back."),
  sections: z.array(sectionSchema).describe("In the order of the page."),
});

/** A list of pages. */
export const pageListSchema = z
  .object({
    library: z.string().describe("Library and version."),
    pages: z.array(listedPage.meta({ id: "ListedPage" })).describe("In the order of the source."),
    total: z.int().describe("Number of all pages, or of all with the word."),
    heldBack: z.int().describe("Number of passages of the library that the screen holds back."),
    next: z.string().nullable().describe("`cursor` of the next part of the list; null: this is the last."),
  })
  .meta({ id: "PageList" });

/** A page in JSON form. */
export const pageSchema = listedPage
  .extend({
    library: z.string().describe("Library and version."),
    section: z.string().optional().describe("The section that was asked for; absent: the page."),
    version: contextSchema.shape.version,
    passages: z
      .array(
        z.object({
          index: z.int().describe("Its place on the page, from 0."),
          section: z.string().nullable().describe("The section in which it begins; null: above all sections."),
          title: z.string().describe("Heading of its section."),
          breadcrumb: z.array(z.string()).describe("Title of the page, and the headings above it."),
          url: z.string().describe("Address of its lines at the revision that was read."),
          lines: linesSchema,
          revision: z.string().describe("Commit, hash or date of the source."),
          tokens: z.int().describe("Estimated model tokens."),
          blocks: z.array(blockSchema).describe("Its content."),
          shortened: z
            .literal(true)
            .optional()
            .describe("It exceeds the budget alone, so that blocks are left out: read it with a larger one."),
        }),
      )
      .describe("In the order of the page, without those that are held back."),
    next: z.int().nullable().describe("`from` for what follows; null: this is the end."),
    rules: contextSchema.shape.rules,
    hasTeamNote: z.boolean().optional().describe("The caller's team has a note on the library, which answers have."),
  })
  .meta({ id: "ReadPage" });

/** A page in text form. */
export const pageText = z
  .string()
  .describe(
    "Markdown: the page or section as it is, in its order, below a heading and a line with its source. Brackets in the last line say where it goes on, and how many passages are held back.",
  );
