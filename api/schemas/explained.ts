import * as z from "zod";

import { searchFields } from "../../domain/ports.ts";

const lines = z
  .tuple([z.int(), z.int()])
  .optional()
  .describe("First and last line in the file, from 1; absent where lines mean nothing to a reader.");
const figure = (description: string): z.ZodNumber => z.number().describe(description);

const blockSchema = z.union([
  z.object({ type: z.literal("prose"), markdown: z.string() }),
  z.object({
    type: z.literal("code"),
    url: z.string().describe("Address of these lines at the revision that was read."),
    lines,
    codes: z.array(
      z.object({
        language: z.string().describe("Lower-case; may be empty."),
        code: z.string(),
        name: z.string().optional().describe("File name or tab that the documentation gives it."),
        madeFrom: z.string().optional().describe("What it was made from; absent for code that the source has."),
      }),
    ),
  }),
]);

const passageSchema = z
  .object({
    place: z
      .int()
      .nullable()
      .describe("Place in the order, from 1; null: it fills a gap between two others of its page."),
    shown: z.boolean().describe("It is in the answer. Others had no room, or stood too far down."),
    title: z.string().describe("Heading that it stands under."),
    breadcrumb: z.array(z.string()).describe("Headings above it."),
    page: z.object({ title: z.string(), url: z.string() }),
    url: z.string().describe("Address of its lines at the revision that was read."),
    lines,
    revision: z.string().describe("Commit, hash or date of what was read."),
    tokens: z.int().describe("Estimated model tokens."),
    score: figure(
      "`factor * (own + beside + page)`, but of what stands first on the page of an operation the best of that page.",
    ),
    own: figure("What its own fields earn: the sum of `earned`."),
    beside: figure("What it earns for another passage of its page."),
    pageWorth: figure("What it earns for the text, the path and the subject of its page."),
    factor: figure("Above 1 where it introduces its page, below 1 on pages beside the guides."),
    earned: z.array(z.number()).describe("What each of `words` earns."),
    found: z.array(
      z.object({
        term: z.string(),
        field: z.enum(searchFields),
        times: z.int().describe("How often the term stands there."),
      }),
    ),
    blocks: z.array(blockSchema).describe("What it says; empty unless it is shown."),
  })
  .meta({ id: "ExplainedPassage" });

/** An explained answer. */
export const explainedSchema = z
  .object({
    library: z.string().describe("The library and version that answer."),
    title: z.string().describe("Its display name."),
    version: z.string().describe("Empty: the default version."),
    revision: z.string().describe("Commit or hash that was read; empty where there is none."),
    updated: z.iso.datetime().describe("When it was read."),
    tokens: z.int().describe("Estimated model tokens of the text form."),
    introduction: z
      .boolean()
      .describe(
        "No passage has a word of the question: the answer introduces the library, and the figures are of that.",
      ),
    words: z
      .array(
        z.object({
          word: z.string().describe("A term of the question, as it is looked up: the stem of a word."),
          worth: figure("What a passage earns at most that has it: the rarer, the more."),
          terms: z.array(
            z.object({
              term: z.string(),
              as: z
                .enum(["word", "operation", "synonym", "spelling"])
                .describe(
                  "The word itself, the mark of operations that do it, another word for it, or its corrected spelling.",
                ),
              share: figure("What an occurrence counts."),
              passages: z.int().describe("Passages of the library that have it."),
            }),
          ),
        }),
      )
      .describe("What was looked up."),
    passages: z.array(passageSchema).describe("Those of the answer, the best first; then the best others."),
  })
  .meta({ id: "ExplainedAnswer" });
