import { describe, expect, inject, it } from "vitest";
import { makeKey } from "../../api/keys.ts";
import { createApp } from "../../api/app.ts";
import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { serve } from "../api/serving.ts";
import { setup } from "../api/setup.ts";
import { freshDatabase } from "./support/database.ts";

const server = inject("postgres");

describe.skipIf(server === null)("API processes on a PostgreSQL server", () => {
  /** An API with pool and memory of its own, as a process has it, behind a socket. */
  async function startApi(url: string, rateLimitReads: number) {
    const catalog = await openPostgresCatalog({ url, poolSize: 4, migrate: true });
    const { options } = await setup({ rateLimitReads });
    const app = createApp({
      ...options,
      ports: { ...options.ports, catalog },
      limiter: catalog.limiter ?? createMemoryLimiter(),
    });
    return { catalog, ...(await serve(app)) };
  }

  it("give each key exactly its limit, whichever of them it asks, and however many requests come at once", async () => {
    const limit = 40;
    const database = await freshDatabase(server ?? "");
    const apis = await Promise.all([1, 2].map(() => startApi(database.url, limit)));
    const keys = Array.from({ length: 4 }, () => makeKey());
    for (const [at, { hash, hint }] of keys.entries()) {
      await apis[0]?.catalog.keys.add({
        id: `key-${at}`,
        teamspace: "default",
        name: "test",
        hash,
        hint,
        scopes: ["read"],
        libraries: [],
        createdAt: 1,
        expiresAt: null,
        revokedAt: null,
      });
    }
    const answered = await Promise.all(
      keys.map(async ({ key }) => {
        const asked = Array.from({ length: 3 * limit }, async (_, at) =>
          apis[at % 2]?.ask("/api/v2/libs/search?libraryName=a&query=a", {
            headers: { authorization: `Bearer ${key}` },
          }),
        );
        return Map.groupBy(await Promise.all(asked), (answer) => answer?.statusCode);
      }),
    );
    for (const byStatus of answered) {
      expect(byStatus.get(200)).toHaveLength(limit);
      expect(byStatus.get(429)).toHaveLength(2 * limit);
      for (const refused of byStatus.get(429) ?? []) {
        expect(refused?.headers).toMatchObject({ "ratelimit-limit": "40", "ratelimit-remaining": "0" });
        expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0);
      }
    }
    await Promise.all(apis.map(({ catalog }) => catalog.close()));
    await database.drop();
  });
});
