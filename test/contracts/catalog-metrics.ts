import { describe, expect, it } from "vitest";
import type { MetricsBatch, Surface } from "../../domain/metrics.ts";
import { addLibrary, type CurrentCatalog } from "./catalog-samples.ts";

const today = "2026-11-21";
const before = "2026-11-20";

/** A batch, empty by default. */
function sampleBatch(id: string, more: Partial<MetricsBatch> = {}): MetricsBatch {
  return { id, at: Date.parse(today), answers: [], users: [], topics: [], countries: [], ...more };
}

/** The part of the Catalog contract that concerns how libraries are used. */
export function describeMetrics(catalog: CurrentCatalog): void {
  const of = async (uid: string, since = "2026-01-01") => catalog().metrics.of(uid, { since, atMost: 3 });
  const none = { page: 0, txt: 0, mcp: 0, cli: 0 };
  const answer = (day: string, surface: Surface, count: number, libraryUid = "a") => ({
    libraryUid,
    day,
    surface,
    count,
  });
  const use = (day: string, client: string, user: string, libraryUid = "a") => ({ libraryUid, day, client, user });

  describe("metrics", () => {
    it("add up by day and surface, by topic and by country, for each library", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      const topics = (counts: Record<string, number>) =>
        Object.entries(counts).map(([topic, count]) => ({ libraryUid: "a", topic, count }));
      await catalog().metrics.add(
        sampleBatch("1", {
          answers: [
            answer(before, "txt", 2),
            answer(today, "mcp", 3),
            answer(today, "txt", 1),
            answer(today, "cli", 9, "b"),
          ],
          topics: topics({ Routing: 2, Setup: 1 }),
          countries: [{ libraryUid: "a", country: "NL", count: 1 }],
        }),
      );
      await catalog().metrics.add(
        sampleBatch("2", {
          answers: [answer(today, "mcp", 4), answer(today, "page", 1)],
          topics: topics({ Setup: 3, Rare: 1, Rarer: 1 }),
          countries: [{ libraryUid: "a", country: "NL", count: 2 }],
        }),
      );
      expect(await of("a")).toEqual({
        total: { page: 1, txt: 3, mcp: 7, cli: 0 },
        days: [
          { day: before, ...none, txt: 2 },
          { day: today, page: 1, txt: 1, mcp: 7, cli: 0 },
        ],
        clients: [],
        topics: [
          { topic: "Setup", count: 4 },
          { topic: "Routing", count: 2 },
          { topic: "Rare", count: 1 },
        ],
        countries: [{ country: "NL", count: 3 }],
      });
      expect((await of("a", today)).days).toHaveLength(1);
      expect((await of("b")).total).toEqual({ ...none, cli: 9 });
      expect(await of("unknown")).toMatchObject({ total: none, days: [] });
    });

    it("count a batch once, however often it is added, and nothing of removed libraries", async () => {
      await addLibrary(catalog(), "a");
      const batch = sampleBatch("1", {
        answers: [answer(today, "txt", 1), answer(today, "txt", 5, "gone")],
        users: [use(today, "cursor", "u1"), use(today, "cursor", "u1", "gone")],
        topics: [{ libraryUid: "gone", topic: "Setup", count: 1 }],
        countries: [{ libraryUid: "gone", country: "NL", count: 1 }],
      });
      await Promise.all(Array.from({ length: 5 }, async () => catalog().metrics.add(batch)));
      expect((await of("a")).total).toEqual({ ...none, txt: 1 });
      await catalog().libraries.remove("a", 5);
      await catalog().metrics.add({ ...batch, id: "2" });
      expect(await of("a")).toEqual({ total: none, days: [], clients: [], topics: [], countries: [] });
    });

    it("count a user once a day for each client and once for all, before and after the day is closed", async () => {
      await addLibrary(catalog(), "a");
      const users = [
        use(before, "cursor", "u1"),
        use(before, "vscode", "u1"),
        use(before, "cursor", "u2"),
        use(today, "cursor", "u1"),
      ];
      for (const id of ["1", "2"]) await catalog().metrics.add(sampleBatch(id, { users }));
      const counted = [
        { day: before, client: "", users: 2 },
        { day: before, client: "cursor", users: 2 },
        { day: before, client: "vscode", users: 1 },
        { day: today, client: "", users: 1 },
        { day: today, client: "cursor", users: 1 },
      ];
      expect((await of("a")).clients).toEqual(counted);
      await catalog().metrics.close({ before: today, firstKept: "2026-01-01" });
      expect((await of("a")).clients).toEqual(counted);
      // In a closed day, no new users are counted.
      await catalog().metrics.add(
        sampleBatch("3", { users: [use(before, "cursor", "u3"), use(today, "cursor", "u3")] }),
      );
      await catalog().metrics.close({ before: today, firstKept: "2026-01-01" });
      expect((await of("a")).clients).toEqual([
        ...counted.slice(0, 3),
        { day: today, client: "", users: 2 },
        { day: today, client: "cursor", users: 2 },
      ]);
    });

    it("lose days that are kept no longer, and never their totals", async () => {
      await addLibrary(catalog(), "a");
      const more = {
        answers: [answer(before, "mcp", 2), answer(today, "mcp", 1)],
        users: [use(before, "cursor", "u1")],
      };
      await catalog().metrics.add(sampleBatch("1", more));
      await catalog().metrics.close({ before: today, firstKept: today });
      expect(await of("a")).toMatchObject({
        total: { ...none, mcp: 3 },
        days: [{ day: today, ...none, mcp: 1 }],
        clients: [],
      });
    });

    it("keep the thousand most frequent topics of a library", async () => {
      await addLibrary(catalog(), "a");
      const topics = Array.from({ length: 1200 }, (_, at) => ({ libraryUid: "a", topic: `t${at}`, count: at + 1 }));
      await catalog().metrics.add(sampleBatch("1", { topics }));
      await catalog().metrics.close({ before: today, firstKept: before });
      const kept = await catalog().metrics.of("a", { since: today, atMost: 2000 });
      expect(kept.topics).toHaveLength(1000);
      expect(kept.topics.at(-1)).toEqual({ topic: "t200", count: 201 });
    });

    it("are exact where many processes count at once, while days are closed", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      const batches = Array.from({ length: 40 }, (_, at) => {
        const answers = [answer(today, "mcp", 1), answer(today, "mcp", 2, "b"), answer(before, "txt", 1)];
        return sampleBatch(`batch-${at}`, {
          answers: at % 2 === 0 ? answers : answers.toReversed(),
          users: [use(today, "cursor", `u${at % 10}`), use(today, "cursor", "same", "b")],
        });
      });
      await Promise.all(
        batches.map(async (batch, at) => {
          await catalog().metrics.add(batch);
          if (at % 10 === 0) await catalog().metrics.close({ before: today, firstKept: before });
        }),
      );
      expect((await of("a")).total).toEqual({ ...none, mcp: 40, txt: 40 });
      expect((await of("b")).total).toEqual({ ...none, mcp: 80 });
      expect((await of("a")).clients[0]).toEqual({ day: today, client: "", users: 10 });
      expect((await of("b")).clients[0]).toEqual({ day: today, client: "", users: 1 });
    });
  });
}
