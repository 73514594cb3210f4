import { describe, expect, it } from "vitest";
import type { KeyRecord } from "../../domain/ports.ts";
import type { CurrentCatalog } from "./catalog-samples.ts";

const key: KeyRecord = {
  id: "k1",
  teamspace: "default",
  name: "build server",
  hash: "a".repeat(64),
  hint: "lec_abc",
  scopes: ["read", "submit"],
  libraries: ["/acme/*"],
  createdAt: 10,
  expiresAt: 99,
  revokedAt: null,
};

/** The part of the Catalog contract that concerns keys and credentials. */
export function describeAccess(catalog: CurrentCatalog): void {
  describe("keys", () => {
    it("finds a key by its hash, with all that was added", async () => {
      await catalog().keys.add(key);
      expect(await catalog().keys.findByHash(key.hash)).toEqual(key);
      expect(await catalog().keys.findByHash("b".repeat(64))).toBeUndefined();
    });

    it("refuses a second key of the same hash", async () => {
      await catalog().keys.add(key);
      await expect(catalog().keys.add({ ...key, id: "k2" })).rejects.toThrow(/unique/i);
    });

    it("lists the keys of one teamspace, the oldest first", async () => {
      const later = { ...key, id: "k0", hash: "c", createdAt: 20 };
      await catalog().keys.add(later);
      await catalog().keys.add(key);
      await catalog().keys.add({ ...key, id: "k3", hash: "d", teamspace: "other" });
      expect(await catalog().keys.list("default")).toEqual([key, later]);
    });

    it("revokes a key of the teamspace only, and keeps the time of the first revocation", async () => {
      await catalog().keys.add(key);
      expect(await catalog().keys.revoke("other", "k1", 50)).toBe(false);
      expect(await catalog().keys.findByHash(key.hash)).toEqual(key);
      expect(await catalog().keys.revoke("default", "k1", 50)).toBe(true);
      expect(await catalog().keys.revoke("default", "k1", 60)).toBe(true);
      expect(await catalog().keys.findByHash(key.hash)).toEqual({ ...key, revokedAt: 50 });
      expect(await catalog().keys.revoke("default", "none", 50)).toBe(false);
    });
  });

  describe("credentials", () => {
    it("keeps a credential until it is removed", async () => {
      const credential = { id: "c1", teamspace: "", host: "git.example.com", sealed: "sealed", createdAt: 5 };
      await catalog().credentials.add(credential);
      expect(await catalog().credentials.get("c1")).toEqual(credential);
      await catalog().credentials.remove("c1");
      expect(await catalog().credentials.get("c1")).toBeUndefined();
    });
  });
}
