import { deriveSiteId } from "../library.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

/** An llms.txt, llms-full.txt or llms-small.txt, and the pages that it lists. */
export interface LlmsTxtSourceSpec {
  readonly kind: "llmstxt";
  readonly url: string;
  /** Pages on other hosts are read too. */
  readonly otherHosts: boolean;
}

export const llmsTxtKind: SourceKind<LlmsTxtSourceSpec> = {
  kind: "llmstxt",
  sourceType: () => "llmstxt",
  idPrefix: () => "llmstxt",
  deriveId: ({ url }) => deriveSiteId("llmstxt", new URL(url)),
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  reputation: ({ url }) => ({ from: "repositories", url }),
  hasPaths: false,
  order: "key",
  host: ({ url }) => new URL(url).host,
  address: fragmentAddress,
  // Its pages are fetched as politely as those of a website.
  work: { queue: "crawl", timeout: 120 * 60_000 },
};
