import { describe, expect, it } from "vitest";
import { prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** Three libraries without an index, as after an upgrade that changed its format. */
async function withoutIndex() {
  const world = await setup();
  const runs: string[] = [];
  for (const id of ["/acme/one", "/acme/two", "/acme/three"]) {
    const run = await world.submit(id);
    await world.finish(run, [prosePassage]);
    runs.push(run);
  }
  world.loaded.clear();
  const { catalog, clock } = world;
  const uids = (await Promise.all(runs.map((run) => catalog.runs.get(run)))).map((run) => run?.libraryUid ?? "");
  /** Opens a run that reloads a library. */
  const reload = async (at: number) => {
    const run = { runId: `load-${at}`, reason: "sweep", priority: 0, generation: runs[at] ?? "" } as const;
    await catalog.runs.open(uids[at] ?? "", "", run, clock.now);
  };
  const ask = (id: string) => world.send("GET", `/v2/context?libraryId=/acme/${id}&query=widget`, { key: null });
  return { ...world, runs, uids, reload, ask };
}

describe("a read while the index is rebuilt", () => {
  it("gets the number of finished libraries, and when to retry", async () => {
    const { reload, ask, catalog, clock, loaded, runs } = await withoutIndex();
    for (const at of [0, 1, 2]) await reload(at);
    const answer = await ask("two");
    expect(answer).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
    expect(answer.body).toEqual({
      error: "index_rebuilding",
      message:
        "The index is being rebuilt: 0 of 3 libraries are done. /acme/two is not done yet. Ask again in 5 seconds.",
    });
    loaded.set(runs[0] ?? "", [prosePassage]);
    await catalog.runs.close("load-0", { outcome: "published" }, clock.now);
    expect((await ask("one")).status).toBe(200);
    expect((await ask("two")).body).toMatchObject({ message: expect.stringContaining("1 of 3 libraries are done") });
  });

  it("gets a longer Retry-After the more libraries are waiting", async () => {
    const { reload, ask, catalog, submit, finish, loaded } = await withoutIndex();
    await reload(1);
    for (let number = 0; number < 20; number += 1) {
      const run = await submit(`/many/l${number}`);
      await finish(run, [prosePassage]);
      loaded.delete(run);
      const uid = (await catalog.runs.get(run))?.libraryUid ?? "";
      await catalog.runs.open(uid, "", { runId: `m-${number}`, reason: "sweep", priority: 0, generation: run }, 1);
    }
    expect(await catalog.generations.rebuilding()).toEqual({ libraries: 23, waiting: 21 });
    expect(await ask("two")).toMatchObject({ status: 503, headers: { "Retry-After": "21" } });
    await catalog.runs.report("load-1", { phase: "loading" }, 1);
    expect(await ask("two")).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  });

  it("requests one reload, and says if it will be reloaded or is damaged", async () => {
    const { ask, catalog, clock, runs, submit, lost } = await withoutIndex();
    await ask("one");
    expect(await ask("one")).toMatchObject({
      status: 503,
      headers: { "Retry-After": "5" },
      body: {
        error: "index_rebuilding",
        message: expect.stringMatching(
          /does not have \/acme\/one now\. The next sweep reloads it\. Ask again in 5 seconds\./,
        ),
      },
    });
    expect(lost).toEqual([runs[0]]);
    await catalog.generations.noteDamage(runs[1] ?? "", "A part is missing.", clock.now);
    expect((await ask("two")).body).toMatchObject({ message: expect.stringContaining("damaged") });
    await submit("/acme/four");
    expect(await catalog.generations.rebuilding()).toEqual({ libraries: 3, waiting: 0 });
  });

  it("makes the library appear as unindexed in status, lists, readiness and figures", async () => {
    const { ask, send, runs, catalog, clock, options } = await withoutIndex();
    await ask("one");
    const since = new Date(clock.now).toISOString();
    expect((await send("GET", "/v2/libs/status?libraryId=/acme/one")).body).toMatchObject({
      state: "finalized",
      live: { unindexedSince: since },
    });
    const list = await send("GET", "/v2/libs?state=unindexed");
    expect(list.body).toMatchObject({ total: 1, libraries: [{ libraryId: "/acme/one", troubles: ["unindexed"] }] });
    expect(await send("GET", "/ready", { key: null })).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringMatching(/^1 library is not in the index .* loaded again .*state unindexed/)] },
    });
    expect((await options.ports.catalog.figures(clock.now)).troubles).toMatchObject({ unindexed: 1 });
    await catalog.generations.noteUnindexed(runs, false, clock.now);
    expect((await send("GET", "/ready", { key: null })).body).not.toHaveProperty("warnings");
    expect((await send("GET", "/v2/libs?state=any")).body).toMatchObject({ total: 0 });
  });

  it("gets Retry-After 1 if the generation was replaced meanwhile", async () => {
    const { ask, catalog, options, uids } = await withoutIndex();
    const { passages } = options.ports;
    const { candidates } = passages;
    // The library changes after it was looked up, before the index is queried.
    passages.candidates = async (...args) => {
      await catalog.libraries.remove(uids[0] ?? "", 5);
      return candidates(...args);
    };
    expect(await ask("one")).toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
  });
});
