import { expect, it } from "vitest";
import { announceLibrary } from "../../activities/announce.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { setup } from "./sweep-setup.ts";

it("says what is true at last, in whatever order announcements of one library end", async () => {
  const { catalog, blobs, libraries, published } = await setup();
  await published("a");
  const [asked, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: BlobStore = {
    ...blobs,
    async get(key) {
      asked.resolve();
      await going.promise;
      return blobs.get(key);
    },
  };
  const late = announceLibrary({ catalog, blobs: slow, libraries }, "a");
  await asked.promise;
  await catalog.libraries.update("a", { chosen: { title: "Another title" }, trust: 7 });
  await announceLibrary({ catalog, blobs, libraries }, "a");
  going.resolve();
  await late;
  expect(await libraries.entries(["a"])).toMatchObject([{ title: "Another title", trust: 7 }]);
  expect(await catalog.libraries.get("a")).toMatchObject({ title: "Another title" });
});

it("takes a library out that was deleted while it was announced", async () => {
  const { catalog, blobs, libraries, published } = await setup();
  await published("a");
  const slow: BlobStore = {
    ...blobs,
    async get(key) {
      await catalog.libraries.remove("a", Date.now());
      await announceLibrary({ catalog, blobs, libraries }, "a");
      return blobs.get(key);
    },
  };
  await announceLibrary({ catalog, blobs: slow, libraries }, "a");
  expect(await libraries.uids()).toEqual([]);
});
