import { expect, it } from "vitest";
import { announceLibrary } from "../../activities/announce.ts";
import { sweep } from "../../activities/sweep.ts";
import { parseLibraryId, showLibrary } from "../../domain/library.ts";
import type { BlobStore, LibraryIndex } from "../../domain/ports.ts";
import { analyseQuestion } from "../../search/ranking/analyse-question.ts";
import { addLibrary, sampleGeneration, sampleRoom, sampleRun } from "../contracts/catalog-samples.ts";
import { figures, firstRequest as request, setup } from "./sweep-setup.ts";

it("ends with the latest state, in whatever order announcements of one library end", async () => {
  const { catalog, blobs, libraries, published } = await setup();
  await published("a");
  const [reading, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: BlobStore = {
    ...blobs,
    async get(key) {
      reading.resolve();
      await release.promise;
      return blobs.get(key);
    },
  };
  const late = announceLibrary({ catalog, blobs: slow, libraries }, "a");
  await reading.promise;
  await catalog.libraries.update("a", { chosen: { title: "Another title" }, trust: 7 });
  await announceLibrary({ catalog, blobs, libraries }, "a");
  release.resolve();
  await late;
  expect(await libraries.entries(["a"])).toMatchObject([{ title: "Another title", trust: 7 }]);
  expect(await catalog.libraries.get("a")).toMatchObject({ title: "Another title" });
});

it("removes the entry of a library that was deleted while it was announced", async () => {
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

it("puts a new library into the index before it can be read, marked as ahead", async () => {
  const { catalog, libraries, steps, store } = await setup();
  await addLibrary(catalog, "a", { id: "/a/a" });
  await store("a-1");
  const before = { ...(await catalog.libraries.versionsOf("a"))[0]?.live };
  expect(before).toEqual({});
  const put = libraries.put.bind(libraries);
  const seen: unknown[] = [];
  libraries.put = async (entry) => {
    seen.push([entry.isAhead, (await catalog.libraries.versionsOf("a"))[0]?.live?.id ?? null]);
    await put(entry);
  };
  expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: true });
  expect(seen).toEqual([[true, null]]);
  expect(await libraries.entries(["a"])).toMatchObject([{ title: "T", isAhead: true, totalSnippets: 2 }]);
  // A process that died here repeats the step.
  expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: true });
  await steps.announce({ request });
  expect((await libraries.entries(["a"]))[0]).not.toHaveProperty("isAhead");
  expect(seen).toHaveLength(2);
});

it("removes the entry of a library whose first generation did not go live", async () => {
  const { catalog, libraries, steps, store, ports } = await setup();
  await addLibrary(catalog, "a", { id: "/a/a" });
  await store("a-1");
  const put = libraries.put.bind(libraries);
  libraries.put = async (entry) => {
    await put(entry);
    await catalog.runs.close("a-1", { outcome: "cancelled" }, ports.now());
  };
  expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: false });
  expect(await libraries.uids()).toEqual([]);
});

it("publishes nothing while a new library cannot be announced", async () => {
  const { catalog, libraries, steps, store } = await setup();
  await addLibrary(catalog, "a", { id: "/a/a" });
  await store("a-1");
  const put: LibraryIndex["put"] = libraries.put.bind(libraries);
  libraries.put = () => Promise.reject(new Error("The index is away."));
  await expect(steps.publish({ request, generation: "a-1", live: null })).rejects.toThrow("The index is away.");
  expect((await catalog.libraries.versionsOf("a"))[0]?.live).toBeNull();
  libraries.put = put;
  expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: true });
});

it("lists the versions that a library ID can name, and no others", async () => {
  const { ports, catalog, libraries, published, store, load } = await setup();
  await published("a");
  const addressable = ["v1.0.0", "@acme/widgets@1.2.0", "release/2.x", "v1.0.0+build.5", "Größe"];
  const others = ['v1"0', "v1{2}", "cafe\u0301", "x".repeat(500)];
  for (const [at, version] of [...addressable, ...others].entries()) {
    const id = `v${at}`;
    await catalog.libraries.addVersion("a", version, version, sampleRoom(20, ports.now()));
    await catalog.runs.open("a", version, sampleRun(id), ports.now());
    await store(id);
    await catalog.generations.stage(sampleGeneration(id, "a", 1, { version, ref: version, counts: figures }));
    await load(id);
    await catalog.generations.publish({ runId: id, generation: id, live: null }, ports.now());
  }
  await ports.announce("a");
  const versions = (await libraries.entries(["a"]))[0]?.versions ?? [];
  expect(versions.toSorted()).toEqual(addressable.toSorted());
  for (const version of versions) {
    const { id, version: read } = parseLibraryId(showLibrary("/a/a", version));
    expect((await catalog.libraries.find([""], id, read))?.version?.live?.ref).toBe(version);
  }
});

it("tells the index what a library says once a sweep has written the outline of its generation", async () => {
  const { libraries, ports, published, steps } = await setup();
  await published("a");
  const saying = async (word: string): Promise<readonly string[]> => {
    const { libraries: found } = await libraries.byContent(analyseQuestion(word), { teamspaces: [""], limit: 5 });
    return found.map(({ entry }) => entry.uid);
  };
  expect(await saying("answers")).toEqual([]);
  expect((await sweep(ports, { thorough: true })).problems).toEqual([]);
  expect(await saying("answers")).toEqual(["a"]);
  await steps.announce({ request });
  expect(await saying("answers")).toEqual(["a"]);
});
