import * as z from "zod";
import type { PassageBlock } from "../../domain/passage.ts";

/** Lines of a file. */
export const linesSchema = z
  .tuple([z.int(), z.int()])
  .optional()
  .describe("First and last line in the file, from 1; absent if they mean nothing to a reader.");

/** A block of a passage. */
export const blockSchema = z.union([
  z.object({ type: z.literal("prose"), markdown: z.string() }),
  z.object({
    type: z.literal("code"),
    url: z.string().describe("Address of these lines at the revision that was read."),
    lines: linesSchema,
    codes: z.array(
      z.object({
        language: z.string().describe("Lower-case; may be empty."),
        code: z.string(),
        name: z.string().optional().describe("File name or tab label in the documentation."),
        madeFrom: z.string().optional().describe("Source of generated code; absent for verbatim code."),
      }),
    ),
  }),
]);

/** A block of a passage as `blockSchema` describes it. */
export function toShownBlock(block: PassageBlock): z.infer<typeof blockSchema> {
  if (block.type === "prose") return { type: "prose", markdown: block.markdown };
  const codes = block.codes.map(({ language, code, file, label, madeFrom }) => {
    const name = file ?? label;
    return { language, code, ...(name !== undefined && { name }), ...(madeFrom !== undefined && { madeFrom }) };
  });
  return { type: "code", url: block.url, ...(block.lines && { lines: [block.lines[0], block.lines[1]] }), codes };
}
