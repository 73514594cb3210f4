import { onTestFinished } from "vitest";
import type { NotionSourceSpec } from "../../domain/kinds/index.ts";
import { notionReader } from "../../sources/notion/index.ts";
import { bare } from "../support/notion-pages.ts";
import { startNotion, type NotionServer } from "../support/notion-server.ts";
import { indexedSite } from "./site-setup.ts";

/** A workspace, and `index` for what is shared of it; each result is live for the next. */
export async function setup(fill: (notion: NotionServer) => void = () => undefined, limits: object = {}) {
  const notion = await startNotion();
  onTestFinished(() => notion.close());
  fill(notion);
  const indexed = await indexedSite<NotionSourceSpec>(
    {},
    { hosts: [notion.host], limits: { pages: 20_000, bytes: 1e9, pageBytes: 1e7, ...limits } },
    (tools) => notionReader.create({ ...tools, notionApi: new URL(notion.url) }) as never,
  );
  const credential = { token: [...notion.tokens][0] ?? "" };
  const specOf = (pageIds: readonly string[] = []): NotionSourceSpec => ({
    kind: "notion",
    workspaceId: null,
    pageIds: pageIds.map(bare),
  });
  const index = async (pageIds: readonly string[] = [], context: object = {}) => {
    notion.requests.length = 0;
    const result = await indexed.index(specOf(pageIds), { credential, ...context });
    const { pages } = result.manifest;
    const read = pages.filter(({ outcome }) => outcome === "indexed").map(({ title = "" }) => title);
    const left = pages
      .filter(({ outcome }) => outcome !== "indexed")
      .map(({ path, code, reason }): [string, string] => [path.slice(-32), `${code}: ${reason}`]);
    const requests = notion.requests.map(({ method, path }) => `${method} ${path}`);
    return { ...result, read: read.toSorted(), left: Object.fromEntries(left), requests };
  };
  return { ...indexed, notion, credential, specOf, index };
}
