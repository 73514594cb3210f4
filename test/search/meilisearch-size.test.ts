import { expect, it, onTestFinished } from "vitest";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import { createMeilisearchPassageIndex } from "../../search/meilisearch/passage-index.ts";
import { startSite } from "../support/site.ts";

it("the size on disk is read from the stats of Meilisearch, and fails without an answer", async () => {
  const site = await startSite();
  onTestFinished(() => site.close());
  // https://www.meilisearch.com/docs/reference/api/stats
  const stats = { databaseSize: 447_819_776, usedDatabaseSize: 196_608, lastUpdate: null, indexes: {} };
  site.pages.set("/stats", { headers: { "content-type": "application/json" }, body: JSON.stringify(stats) });
  const index = createMeilisearchPassageIndex(createMeilisearch({ url: site.origin, apiKey: null, prefix: "" }));
  expect(await index.size?.()).toBe(447_819_776);
  site.pages.delete("/stats");
  await expect(index.size?.()).rejects.toMatchObject({ code: "search_failed" });
});
