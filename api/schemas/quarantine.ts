import * as z from "zod";
import { findingTexts, type Finding } from "../../domain/passage.ts";

/** The findings of a passage. */
export const findingsSchema = z
  .array(
    z.object({ finding: z.string().describe("Code of the finding."), meaning: z.string().describe("What it is.") }),
  )
  .describe("Why the screen suspects an order to agents.");

const codesSchema = z.array(z.string()).optional();

/** The findings in the title or path of a page. */
export const heldBackSchema = z
  .object({ title: codesSchema, path: codesSchema })
  .optional()
  .describe(
    "Codes of findings in a title or path that reads like an order to agents. For callers who do not administer the library, such a title is absent, and such a path and its url are empty.",
  );

/** A finding with its meaning. */
export function toFound(finding: Finding): { readonly finding: Finding; readonly meaning: string } {
  return { finding, meaning: findingTexts[finding] };
}

const foundSchema = z
  .object({
    id: z.string().describe("Passage ID."),
    title: z.string().describe("Its title."),
    breadcrumb: z.array(z.string()).describe("Headings above it."),
    content: z.string().describe("Its prose; may be empty."),
    codes: z.array(z.object({ language: z.string(), code: z.string() })).describe("Its code."),
    url: z.string().describe("Its address."),
    findings: findingsSchema,
    released: z.boolean().describe("Whether an administrator released it."),
    served: z.boolean().describe("Whether the live generation serves it. A release takes effect with a refresh."),
  })
  .meta({ id: "FoundPassage" });

/** The quarantine of a library. */
export const quarantineSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    version: z.string().describe("Empty: the default version."),
    generation: z.string().nullable().describe("The live generation; null: none yet."),
    screen: z.enum(["on", "off"]).describe("`off`: nothing of the library is quarantined."),
    notes: z.array(z.string()).describe("Parts of the library that were left out and why, in sentences."),
    passages: z.array(foundSchema),
    total: z.int().describe("Number of all of them."),
    next: z.string().nullable().describe("Cursor of the next answer."),
  })
  .meta({ id: "Quarantine" });
