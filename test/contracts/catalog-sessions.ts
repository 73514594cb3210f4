import { describe, expect, it } from "vitest";
import type { Catalog } from "../../domain/ports.ts";

/** The part of the Catalog contract that concerns ended sessions. */
export function describeSessions(catalog: () => Catalog): void {
  describe("sessions", () => {
    it("can be ended several times, and only those named", async () => {
      const { sessions } = catalog();
      expect(await sessions.isEnded("s1")).toBe(false);
      await Promise.all([sessions.end("s1", 9000), sessions.end("s1", 9000), sessions.end("s2", 20_000)]);
      expect(await Promise.all(["s1", "s2", "s3"].map((id) => sessions.isEnded(id)))).toEqual([true, true, false]);
    });

    it("are forgotten once no cookie of theirs is valid any more", async () => {
      const { sessions } = catalog();
      await sessions.end("s1", 9000);
      await sessions.end("s2", 20_000);
      await sessions.forget(9000);
      expect(await sessions.isEnded("s1")).toBe(true);
      await sessions.forget(10_000);
      expect(await Promise.all(["s1", "s2"].map((id) => sessions.isEnded(id)))).toEqual([false, true]);
    });
  });
}
