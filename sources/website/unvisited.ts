import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { maxAddressLength } from "../../extract/website/addresses.ts";
import { maxLinks } from "../../extract/website/links.ts";
import type { CrawlState } from "./state.ts";

/** Maximum number of notes about lists that could not be read. */
const maxTold = 3;

/** Notes on what of a site was not visited, in sentences. */
export function notesOf(
  { omitted, lists }: Pick<CrawlState, "omitted" | "lists">,
  { maxPages, maxDepth }: Pick<WebsiteSourceSpec, "maxPages" | "maxDepth">,
  isPreview: boolean,
): string[] {
  const sentences: [number, string][] = [
    // A preview lists these addresses.
    [
      isPreview ? 0 : omitted.pages,
      `are beyond the ${maxPages} that are read. Raise maxPages, or choose some with includePatterns.`,
    ],
    [omitted.depth, `are more than ${maxDepth} links away from the first page. Raise maxDepth to read them.`],
    [omitted.versions, "document other versions, or are translations. Submit their folder to read them."],
    [omitted.more, `stand behind the first ${maxLinks} of a page or list. Name their folders in includePatterns.`],
    [omitted.long, `are longer than ${maxAddressLength} characters.`],
    [omitted.traps, "look made up: there are hundreds of one form. Name them in includePatterns to read more."],
  ];
  return sentences
    .filter(([count]) => count > 0)
    .map(([count, why]) => `${count} ${count === 1 ? "address" : "addresses"} of the site ${why}`)
    .concat(omitted.links === 0 ? [] : [notRemembered(omitted.links)])
    .concat(lists.outOfReach.slice(0, maxTold).map((reason) => `A list of pages could not be read: ${reason}`));
}

/** Counts links: those that are not remembered may lead to the same address. */
function notRemembered(links: number): string {
  const what = links === 1 ? "1 more link was" : `${links} more links were`;
  return `The site has more addresses than are remembered of one, and ${what} not followed. Choose a part of it with scope or includePatterns.`;
}
