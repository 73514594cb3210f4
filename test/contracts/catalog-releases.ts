import { describe, expect, it } from "vitest";
import type { Catalog } from "../../domain/ports.ts";
import { addLibrary } from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns releases from quarantine. */
export function describeReleases(catalog: () => Catalog): void {
  describe("releases from quarantine", () => {
    it("are kept while other settings change, and withdrawn by key", async () => {
      await addLibrary(catalog(), "a");
      const release = (withdraw: boolean, ...keys: string[]) =>
        catalog().libraries.update("a", { release: { keys, withdraw } });
      const chosen = async () => (await catalog().libraries.get("a"))?.chosen;
      await release(false, "k1", "k2");
      expect(await chosen()).toEqual({ released: ["k1", "k2"] });
      await Promise.all([release(false, "k3"), release(false, "k2", "k4"), release(true, "k1")]);
      await catalog().libraries.update("a", { chosen: { title: "A", screen: "off", released: [] } });
      const { released, ...others } = (await chosen()) ?? {};
      expect(others).toEqual({ title: "A", screen: "off" });
      expect(released?.toSorted()).toEqual(["k2", "k3", "k4"]);
      await release(true, "k2", "k3", "k4", "unknown");
      expect(await chosen()).toEqual({ title: "A", screen: "off" });
    });
  });
}
