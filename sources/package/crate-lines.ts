import { z } from "zod";
import { jsonOf } from "../../extract/json.ts";
import { maxVersions, tooMany, type MetadataAnswer } from "./registry.ts";

/** A line of a crate's file in an index: https://doc.rust-lang.org/cargo/reference/registry-index.html */
const lineSchema = z.object({
  name: z.string().max(200),
  vers: z.string().max(200),
  cksum: z.string().max(200),
  yanked: z.boolean().optional(),
});
export type CrateLine = z.infer<typeof lineSchema>;

/** The lines of a crate's file, one for each version; null if one is invalid. Runs on a thread. @throws Failure library_too_large */
export function readCrateLines({ bytes }: Pick<MetadataAnswer, "bytes">): readonly CrateLine[] | null {
  const lines: CrateLine[] = [];
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    if (line.trim() === "") continue;
    const parsed = lineSchema.safeParse(jsonOf(line));
    if (!parsed.success) return null;
    if (lines.push(parsed.data) > maxVersions) throw tooMany(`the ${maxVersions} versions`);
  }
  return lines;
}
