import { describe, expect, it } from "vitest";
import type { Catalog, GenerationRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  addTeamspace,
  publishGeneration,
  sampleCredential,
  sampleGeneration,
  sampleReceiver,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The events that wait, with their data, for each receiver; leases them. */
async function waitingIn({ receivers }: Catalog) {
  const claimed = await receivers.claim(1e9, 2e9, 100);
  return claimed.map(({ notification, receiver }) => {
    const { type, data } = JSON.parse(notification.body) as { type: string; data: object };
    return [receiver.id, type, data] as const;
  });
}

/** The part of the Catalog contract that concerns receivers and their notifications. */
export function describeReceivers(catalog: CurrentCatalog): void {
  const figures = (quarantined: number): GenerationRecord["counts"] => ({
    ...sampleGeneration("x", "x", 1).counts,
    quarantined,
  });
  /** Opens a run, and stages its generation. */
  const stage = async (id: string, quarantined = 0): Promise<void> => {
    await catalog().runs.open("a", "", sampleRun(id), 5000);
    await catalog().generations.stage({ ...sampleGeneration(id, "a", 5), counts: figures(quarantined) });
  };

  describe("receivers", () => {
    it("are kept by teamspace, and lost with it", async () => {
      const { receivers, teamspaces } = catalog();
      await addTeamspace(catalog(), "web");
      const [one, two] = [sampleReceiver("1"), sampleReceiver("2", { teamspace: "web", events: ["library.failed"] })];
      expect(await receivers.add(one)).toBe(true);
      expect(await receivers.add(two)).toBe(true);
      expect(await receivers.add(sampleReceiver("3", { teamspace: "none" }))).toBe(false);
      expect(await receivers.list("default")).toEqual([{ ...one, waiting: 0 }]);
      await teamspaces.remove("web");
      expect(await receivers.get("2")).toBeUndefined();
      expect([await receivers.remove("1"), await receivers.remove("1")]).toEqual([true, false]);
    });

    it("are notified of the events of their teamspace that they are for; those of default of public libraries too", async () => {
      await addTeamspace(catalog(), "web");
      await addTeamspace(catalog(), "mobile");
      const { receivers } = catalog();
      await receivers.add(sampleReceiver("all"));
      await receivers.add(sampleReceiver("some", { events: ["library.failed"] }));
      await receivers.add(sampleReceiver("off", { disabledAt: 5 }));
      await receivers.add(sampleReceiver("web", { teamspace: "web" }));
      await receivers.add(sampleReceiver("mobile", { teamspace: "mobile" }));
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await addLibrary(catalog(), "b", { id: "/web/own", teamspace: "web" });
      await publishGeneration(catalog(), "b", 1);
      const published = (await waitingIn(catalog())).map(([id, type, data]) => [id, type, data]);
      expect(published).toEqual(
        expect.arrayContaining([
          ["all", "library.published", expect.objectContaining({ libraryId: "/Acme/Widgets", generation: "a-1" })],
          ["web", "library.published", expect.objectContaining({ libraryId: "/web/own", generation: "b-1" })],
        ]),
      );
      expect(published).toHaveLength(2);
    });

    it("are notified of held and quarantined generations, of a rollback, and of a failed run", async () => {
      const { receivers, generations, runs } = catalog();
      await receivers.add(sampleReceiver("r"));
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await stage("held");
      await generations.hold("held", 5000);
      await generations.hold("held", 5000);
      await runs.close("held", { outcome: "held" }, 5000);
      await stage("more", 3);
      expect(await generations.publish({ runId: "more", generation: "more", live: "a-1" }, 6000)).toBe(true);
      expect(await generations.publish({ runId: "more", generation: "more", live: "a-1" }, 6000)).toBe(true);
      await runs.close("more", { outcome: "published", revision: "r" }, 6000);
      await stage("as-many", 3);
      await generations.publish({ runId: "as-many", generation: "as-many", live: "more" }, 7000);
      await runs.close("as-many", { outcome: "published", revision: "r" }, 7000);
      await generations.rollback("a", "", 8000);
      await runs.open("a", "", sampleRun("failing"), 9000);
      const failure = { code: "source_unreachable", message: "It is away." } as const;
      await runs.close("failing", { outcome: "failed", failure }, 9000);
      await runs.close("failing", { outcome: "failed", failure }, 9000);
      const events = (await waitingIn(catalog())).map(([, type, data]) =>
        "generation" in data ? `${type} ${String(data.generation)}` : type,
      );
      expect(events.toSorted((one, other) => one.localeCompare(other))).toEqual([
        "library.failed",
        "library.held held",
        "library.published a-1",
        "library.published as-many",
        "library.published more",
        "library.published more",
        "library.quarantined more",
      ]);
    });

    it("are notified once of each notice that a credential expires", async () => {
      const { receivers, credentials } = catalog();
      await receivers.add(sampleReceiver("r"));
      await credentials.add(sampleCredential("c", { expiresAt: 9000 }));
      expect(await credentials.get("c")).toEqual(sampleCredential("c", { expiresAt: 9000 }));
      const noted = [14, 14, 1, 14, 1].map((days) => () => credentials.noteExpiring("c", days, { days }, 1000));
      const results: boolean[] = [];
      for (const note of noted) results.push(await note());
      expect(results).toEqual([true, false, true, false, false]);
      expect((await waitingIn(catalog())).map(([, , data]) => data)).toEqual(
        expect.arrayContaining([{ days: 14 }, { days: 1 }]),
      );
    });

    it("lease each notification to one caller, and keep what failed until it is due or given up", async () => {
      const { receivers } = catalog();
      await receivers.add(sampleReceiver("r"));
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      const leases = await Promise.all([1, 2, 3].map(() => receivers.claim(1e6, 2e6, 10)));
      const [lease] = leases.flat();
      expect(leases.flat()).toHaveLength(1);
      const id = lease?.notification.id ?? "";
      await receivers.failed("r", id, { result: "No.", dueAt: 3e6, nextAt: 4e6, disable: false }, 1e6);
      expect(await receivers.get("r")).toMatchObject({ failures: 1, failingSince: 1e6, nextAt: 4e6, result: "No." });
      expect(await receivers.claim(3e6, 5e6, 10)).toEqual([]);
      expect((await receivers.claim(4e6, 5e6, 10)).map(({ notification }) => notification)).toMatchObject([
        { id, attempts: 1 },
      ]);
      await receivers.failed("r", id, { result: "No.", dueAt: null, nextAt: 0, disable: true }, 6e6);
      expect(await receivers.list("default")).toMatchObject([{ waiting: 0, disabledAt: 6e6, failingSince: 1e6 }]);
      await receivers.delivered("r", null, "Yes.", 7e6);
      expect(await receivers.get("r")).toMatchObject({
        failures: 0,
        failingSince: null,
        disabledAt: null,
        deliveredAt: 7e6,
      });
    });

    it("lose notifications that are too old", async () => {
      const { receivers } = catalog();
      await receivers.add(sampleReceiver("r"));
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await receivers.forget(1000);
      expect(await receivers.list("default")).toMatchObject([{ waiting: 1 }]);
      await receivers.forget(1001);
      expect(await receivers.list("default")).toMatchObject([{ waiting: 0 }]);
    });
  });
}
