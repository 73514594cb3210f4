import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../../domain/audit.ts";
import type { CurrentCatalog } from "./catalog-samples.ts";

/** A record; the number gives its ID and time. */
export function sampleRecord(number: number, changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: `r${String(number).padStart(4, "0")}`,
    at: number,
    action: "library.delete",
    target: "/acme/widgets",
    keyId: "k1",
    subject: null,
    teamspace: "web",
    address: "192.0.2.1",
    outcome: "done",
    code: null,
    requestId: "q1",
    ...changes,
  };
}

/** The part of the Catalog contract that concerns the audit log. */
export function describeAudit(catalog: CurrentCatalog): void {
  const add = async (...records: readonly AuditRecord[]) => {
    for (const record of records) await catalog().audit.add(record);
  };
  const ids = async (filter = {}) => (await catalog().audit.list(filter, { limit: 100 })).items.map(({ at }) => at);
  const all = { before: 0, withoutKey: 1000, all: 1000 };

  describe("the audit log", () => {
    it("keeps what was added, the latest first", async () => {
      const whole = sampleRecord(2, { subject: "ada", outcome: "refused", code: "forbidden", requestId: null });
      await add(sampleRecord(1, { keyId: null, teamspace: null, target: null }), whole);
      const { items, next } = await catalog().audit.list({}, { limit: 2 });
      expect(items).toEqual([whole, sampleRecord(1, { keyId: null, teamspace: null, target: null })]);
      expect(next).toBeNull();
    });

    it("ends a begun act once", async () => {
      await add(sampleRecord(1, { outcome: "begun", target: null }));
      await catalog().audit.end("r0001", { target: "/acme/other", outcome: "failed", code: "search_failed" });
      await catalog().audit.end("r0001", { target: null, outcome: "done", code: null });
      const ended = sampleRecord(1, { target: "/acme/other", outcome: "failed", code: "search_failed" });
      expect((await catalog().audit.list({}, { limit: 1 })).items).toEqual([ended]);
    });

    it("is read a page at a time, each record once, even with equal times and while more are added", async () => {
      await add(...Array.from({ length: 7 }, (_, at) => sampleRecord(at, { at: Math.floor(at / 3) })));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await catalog().audit.list({}, { limit: 2, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next ?? undefined;
        await add(sampleRecord(1000 + seen.length));
      } while (cursor !== undefined);
      expect(seen).toEqual(["r0006", "r0005", "r0004", "r0003", "r0002", "r0001", "r0000"]);
      for (const wrong of ["x", "1", ".a", "1e9.a"])
        await expect(catalog().audit.list({}, { limit: 1, cursor: wrong })).rejects.toMatchObject({
          code: "validation_error",
        });
    });

    it("is filtered by each field and by several, a library with its versions", async () => {
      await add(
        sampleRecord(1, { teamspace: "mobile", keyId: "k2" }),
        sampleRecord(2, { target: "/acme/widgets@v2", outcome: "refused" }),
        sampleRecord(3, { target: "/acme/widgets2", action: "key.create" }),
        sampleRecord(4, { teamspace: null, keyId: null }),
      );
      expect(await ids({ teamspace: "mobile" })).toEqual([1]);
      expect(await ids({ keyId: "k1" })).toEqual([3, 2]);
      expect(await ids({ target: "/acme/widgets" })).toEqual([4, 2, 1]);
      expect(await ids({ target: "/acme/widgets@v2" })).toEqual([2]);
      expect(await ids({ action: "key.create" })).toEqual([3]);
      expect(await ids({ outcome: "refused" })).toEqual([2]);
      expect(await ids({ since: 2, until: 3 })).toEqual([3, 2]);
      expect(await ids({ since: 2, outcome: "done", keyId: "k1" })).toEqual([3]);
      expect(await ids({ target: "' or 1=1 --" })).toEqual([]);
    });

    it("forgets what is too old, and the oldest of too many, those without a key first", async () => {
      const { audit } = catalog();
      for (let at = 1; at <= 10; at += 1) await add(sampleRecord(at, at % 2 === 0 ? {} : { keyId: null }));
      expect(await audit.forget(all)).toBe(0);
      expect(await audit.forget({ ...all, before: 3 })).toBe(2);
      expect(await ids()).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
      expect(await audit.forget({ ...all, withoutKey: 2 })).toBe(2);
      expect(await ids()).toEqual([10, 9, 8, 7, 6, 4]);
      expect(await audit.forget({ ...all, all: 3 })).toBe(3);
      expect(await ids()).toEqual([10, 9, 8]);
      expect(await audit.forget({ ...all, all: 3 })).toBe(0);
    });
  });
}
