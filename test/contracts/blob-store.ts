import { describe, expect, it } from "vitest";
import type { BlobStore } from "../../domain/ports.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (blob: Uint8Array | undefined): string | undefined => blob && new TextDecoder().decode(blob);
const keysOf = async (store: BlobStore, prefix: string): Promise<string[]> => (await all(store.list(prefix))).sort();

/** All that an iteration yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** What every BlobStore must do; `create` makes an empty one. One test file per adapter calls this. */
export function describeBlobStore(name: string, create: () => Promise<BlobStore>): void {
  describe(`${name} as a BlobStore`, () => {
    it("gives back the very bytes that were put", async () => {
      const store = await create();
      const blob = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
      await store.put("a/b/all.bin", blob);
      expect(Buffer.compare((await store.get("a/b/all.bin")) ?? new Uint8Array(), blob)).toBe(0);
    });

    it("tells an empty blob from a missing one", async () => {
      const store = await create();
      await store.put("a/empty", new Uint8Array());
      expect(await store.get("a/empty")).toHaveLength(0);
      expect(await store.get("a/none")).toBeUndefined();
      expect(await store.get("none/none")).toBeUndefined();
    });

    it("does not take a folder for a blob, or a blob for a folder", async () => {
      const store = await create();
      await store.put("a/b/c", bytes("c"));
      await store.put("a/d", bytes("d"));
      expect(await store.get("a/b")).toBeUndefined();
      expect(await store.get("a/d/e")).toBeUndefined();
      await store.removeAll("a/d/");
      expect(await keysOf(store, "a/d/")).toEqual([]);
      expect(await keysOf(store, "a/")).toEqual(["a/b/c", "a/d"]);
    });

    it("replaces a blob that is put again", async () => {
      const store = await create();
      await store.put("a/b", bytes("a longer text"));
      await store.put("a/b", bytes("short"));
      expect(text(await store.get("a/b"))).toBe("short");
      expect(await keysOf(store, "a/")).toEqual(["a/b"]);
    });

    it("does not follow the caller's array after the blob was put", async () => {
      const store = await create();
      const blob = bytes("before");
      await store.put("a/b", blob);
      blob.fill(0);
      expect(text(await store.get("a/b"))).toBe("before");
    });

    it("gives each reader bytes of its own", async () => {
      const store = await create();
      await store.put("a/b", bytes("text"));
      (await store.get("a/b"))?.fill(0);
      expect(text(await store.get("a/b"))).toBe("text");
    });

    it("shows readers the old blob or the new one, never a mix", async () => {
      const store = await create();
      const versions = ["1", "2", "3"].map((digit) => digit.repeat(300_000));
      await store.put("a/b", bytes(versions[0] ?? ""));
      let writing = true;
      const writer = (async () => {
        for (let round = 0; round < 12; round++) await store.put("a/b", bytes(versions[round % 3] ?? ""));
        writing = false;
      })();
      const seen = new Set<string | undefined>();
      while (writing) seen.add(text(await store.get("a/b")));
      await writer;
      expect([...seen].filter((blob) => blob === undefined || !versions.includes(blob))).toEqual([]);
      expect(seen.size).toBeGreaterThan(0);
    });

    it("lists the keys below a prefix, however deep, and no others", async () => {
      const store = await create();
      const keys = ["p/1", "p/2/x", "p/2/y/z", "p.q/1", "pp/1", "q/p/1"];
      await Promise.all(keys.map((key) => store.put(key, bytes(key))));
      expect(await keysOf(store, "p/")).toEqual(["p/1", "p/2/x", "p/2/y/z"]);
      expect(await keysOf(store, "p/2/")).toEqual(["p/2/x", "p/2/y/z"]);
      expect(await keysOf(store, "none/")).toEqual([]);
    });

    it("removes all below a prefix, and nothing else", async () => {
      const store = await create();
      const keys = ["p/1/a", "p/1/b/c", "p/11/a", "p/2"];
      await Promise.all(keys.map((key) => store.put(key, bytes(key))));
      await store.removeAll("p/1/");
      expect(await keysOf(store, "p/")).toEqual(["p/11/a", "p/2"]);
      expect(await store.get("p/1/b/c")).toBeUndefined();
      await store.removeAll("p/1/");
      await store.removeAll("never/there/");
    });

    it("takes blobs at a place that was just removed", async () => {
      const store = await create();
      for (let round = 0; round < 3; round++) {
        await store.put("p/1/a/b", bytes(`round ${round}`));
        expect(text(await store.get("p/1/a/b"))).toBe(`round ${round}`);
        await store.removeAll("p/");
        expect(await keysOf(store, "p/")).toEqual([]);
      }
    });

    it("takes many blobs at once, in folders old and new", async () => {
      const store = await create();
      const keys = Array.from({ length: 200 }, (_, index) => `many/${index % 7}/${index % 3}/${index}`);
      await Promise.all(keys.map((key) => store.put(key, bytes(key))));
      expect(await keysOf(store, "many/")).toEqual([...keys].sort());
      const blobs = await Promise.all(keys.map((key) => store.get(key)));
      expect(blobs.map(text)).toEqual(keys);
    });

    it("lists and removes more blobs than a server lists in one response", async () => {
      const store = await create();
      const keys = Array.from({ length: 1100 }, (_, index) => `p/${String(index % 11)}/${String(index)}`);
      for (let at = 0; at < keys.length; at += 50)
        await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, bytes(key))));
      await store.put("q/1", bytes("kept"));
      expect(await keysOf(store, "p/")).toEqual([...keys].sort());
      await store.removeAll("p/");
      expect(await keysOf(store, "p/")).toEqual([]);
      expect(await keysOf(store, "q/")).toEqual(["q/1"]);
    });

    it("keeps every blob when leftovers are swept", async () => {
      const store = await create();
      await store.sweepTemporary(Date.now());
      await store.put("p/1/a", bytes("a"));
      await store.sweepTemporary(Date.now() + 60_000);
      expect(text(await store.get("p/1/a"))).toBe("a");
      expect(await keysOf(store, "p/")).toEqual(["p/1/a"]);
    });

    it("survives removals while other blobs are put", async () => {
      const store = await create();
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          await store.put(`p/${index}/a`, bytes("gone"));
          await store.removeAll(`p/${index}/`);
          await store.put(`p/kept/${index}`, bytes("kept"));
        }),
      );
      expect(await keysOf(store, "p/")).toHaveLength(40);
    });

    const wrong = [
      "",
      "/",
      "/a",
      "a//b",
      "a/",
      ".",
      "..",
      "../a",
      "a/../b",
      "a/./b",
      "a\\b",
      "a b",
      "a~",
      "é",
      "a\n",
      "a\0b",
    ];
    const tooLong = ["a".repeat(256), "a/".repeat(600) + "a"];
    it.each([...wrong, ...tooLong])("refuses the key %j in every operation", async (key) => {
      const store = await create();
      const refused = { name: "Failure", code: "internal_error" };
      await expect(store.put(key, bytes("x"))).rejects.toMatchObject(refused);
      await expect(store.get(key)).rejects.toMatchObject(refused);
      await expect(store.removeAll(`${key}/`)).rejects.toMatchObject(refused);
      await expect((async () => await keysOf(store, `${key}/`))()).rejects.toMatchObject(refused);
    });

    it("refuses a prefix without its closing slash", async () => {
      const store = await create();
      await expect(store.removeAll("a")).rejects.toMatchObject({ code: "internal_error" });
      await expect(store.removeAll("")).rejects.toMatchObject({ code: "internal_error" });
      await expect((async () => await keysOf(store, "a"))()).rejects.toMatchObject({ code: "internal_error" });
    });
  });
}
