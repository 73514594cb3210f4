import { describe, expect, it } from "vitest";
import type { Catalog } from "../../domain/ports.ts";

/** The part of the Catalog contract that concerns hosts. */
export function describeHosts(catalog: () => Catalog): void {
  describe("hosts", () => {
    it("are asked at intervals, however many ask at once", async () => {
      const { hosts } = catalog();
      const times = await Promise.all(Array.from({ length: 5 }, () => hosts.reserve("a.example", 100, 1000)));
      expect(times.toSorted((one, other) => one - other)).toEqual([1000, 1100, 1200, 1300, 1400]);
      expect(await hosts.reserve("b.example", 100, 1000)).toBe(1000);
      expect(await hosts.reserve("a.example", 50, 5000)).toBe(5000);
      expect(await hosts.reserve("a.example", 50, 5000)).toBe(5050);
    });

    it("that ask for a pause get it, and no shorter one later", async () => {
      const { hosts } = catalog();
      await hosts.postpone("a.example", 9000);
      await hosts.postpone("a.example", 4000);
      expect(await hosts.reserve("a.example", 10, 1000)).toBe(9000);
      expect(await hosts.reserve("a.example", 10, 20_000)).toBe(20_000);
    });

    it("are forgotten once their time has passed", async () => {
      const { hosts } = catalog();
      await hosts.postpone("a.example", 9000);
      await hosts.forget(9000);
      expect(await hosts.reserve("a.example", 10, 1000)).toBe(9000);
      await hosts.forget(10_000);
      expect(await hosts.reserve("a.example", 10, 1000)).toBe(1000);
    });
  });
}
