import { onTestFinished } from "vitest";
import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { confluenceReader } from "../../sources/confluence/index.ts";
import { startConfluence } from "../support/confluence.ts";
import { indexedSite } from "./site-setup.ts";

/** A site of Confluence, and `index` for its space; each result is live for the next. */
export async function setup(product: "cloud" | "data-center") {
  const confluence = await startConfluence();
  onTestFinished(() => confluence.close());
  const indexed = await indexedSite<ConfluenceSourceSpec>(
    {},
    { hosts: [confluence.host], limits: { pages: 20_000, bytes: 1e9, pageBytes: 1e7 } },
    (tools) => confluenceReader.create(tools) as never,
  );
  const isCloud = product === "cloud";
  const spec: ConfluenceSourceSpec = {
    kind: "confluence",
    siteUrl: isCloud ? confluence.origin : `${confluence.origin}/confluence`,
    cloudId: isCloud ? confluence.cloudId : null,
    spaceKey: "ENG",
    pageIds: [],
    includeSubPages: true,
    includeRestricted: false,
  };
  const token = "ATATT3xFfGF0-secret";
  const credential = isCloud ? { type: "personal", email: "docs@example.com", token } : { type: "pat", token };
  const index = async (more: Partial<ConfluenceSourceSpec> = {}, context: object = {}) => {
    confluence.requests.length = 0;
    const result = await indexed.index({ ...spec, ...more }, { credential, ...context });
    const { pages } = result.manifest;
    const read = pages.filter(({ outcome }) => outcome === "indexed").map(({ title = "" }) => title);
    const left = pages.filter(({ outcome }) => outcome !== "indexed");
    return { ...result, read, left, requests: [...confluence.requests] };
  };
  return { ...indexed, confluence, spec, credential, index };
}
