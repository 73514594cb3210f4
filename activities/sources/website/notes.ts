import type { WebsiteSourceSpec } from "../../../domain/kinds/index.ts";
import type { CrawlState } from "./state.ts";

/** What of a site was not visited, in sentences. */
export function notesOf(
  { omitted }: Pick<CrawlState, "omitted">,
  { maxPages, maxDepth }: Pick<WebsiteSourceSpec, "maxPages" | "maxDepth">,
  isPreview: boolean,
): string[] {
  const sentences: [number, string][] = [
    // A preview names them.
    [
      isPreview ? 0 : omitted.pages,
      `are beyond the ${maxPages} that are read. Raise maxPages, or choose some with includePatterns.`,
    ],
    [omitted.depth, `are more than ${maxDepth} links away from the first page. Raise maxDepth to read them.`],
    [omitted.versions, "document other versions, or are translations. Submit their folder to read them."],
    [omitted.traps, "look made up: there are hundreds of one form. Name them in includePatterns to read more."],
  ];
  return sentences
    .filter(([count]) => count > 0)
    .map(([count, why]) => `${count} ${count === 1 ? "address" : "addresses"} of the site ${why}`);
}
