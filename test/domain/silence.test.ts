import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSilence } from "../../domain/silent-servers.ts";
import { serve } from "../sources/fetch/setup.ts";

const patience = 200;
const failed = { code: "search_failed", message: "The server does not answer." };

/** A server that answers `/slow` after a while and everything else at once; while silent, nothing. */
async function open() {
  const state = { isSilent: false, probes: 0, changes: [] as boolean[] };
  const host = await serve((request, response) => {
    if (state.isSilent) return;
    setTimeout(() => response.end("answer"), request.url === "/slow" ? 6 * patience : 0);
  });
  const url = `http://${host}`;
  const get = async (path: string, signal: AbortSignal | null = null) => (await fetch(url + path, { signal })).text();
  const unlessSilent = createSilence({
    probe(timeout) {
      state.probes += 1;
      return get("/health", AbortSignal.timeout(timeout));
    },
    code: "search_failed",
    message: failed.message,
    patience,
    onChange: (isSilent) => state.changes.push(isSilent),
  });
  const ask = async (path = "/") => {
    const begun = performance.now();
    const answer = await unlessSilent(() => get(path)).catch((error: unknown) => error);
    return { answer, took: performance.now() - begun };
  };
  return { state, ask };
}

describe("a server that is silent", () => {
  it("fails waiting requests within twice the patience, and later ones at once", async () => {
    const { state, ask } = await open();
    state.isSilent = true;
    const waiting = await Promise.all([ask(), ask("/slow"), sleep(patience / 2).then(() => ask())]);
    for (const { answer, took } of waiting) {
      expect(answer).toMatchObject(failed);
      // A busy machine delays this process, and each delay costs one more probe.
      expect(took).toBeLessThan(10 * patience);
    }
    for (let times = 0; times < 3; times += 1) {
      const { answer, took } = await ask();
      expect(answer).toMatchObject(failed);
      expect(took).toBeLessThan(patience / 2);
    }
    expect(state.changes).toEqual([true]);
  });

  it("is used again once it answers, and no request fails for the silence before", async () => {
    const { state, ask } = await open();
    state.isSilent = true;
    await ask();
    state.isSilent = false;
    await sleep(600);
    const { answer } = await ask();
    expect(answer).toBe("answer");
    expect(state.changes).toEqual([true, false]);
  });
});

describe("a server that is slow", () => {
  it("is waited for as long as it answers a probe", async () => {
    const { state, ask } = await open();
    const { answer, took } = await ask("/slow");
    expect(answer).toBe("answer");
    expect(took).toBeGreaterThan(5 * patience);
    expect(state.probes).toBeGreaterThan(0);
    expect(state.changes).toEqual([]);
  });

  it("is not probed while it answers others", async () => {
    const { state, ask } = await open();
    let isDone = false;
    const slow = ask("/slow").finally(() => (isDone = true));
    while (!isDone) {
      expect((await ask()).answer).toBe("answer");
      await sleep(patience / 4);
    }
    expect((await slow).answer).toBe("answer");
    expect(state.probes).toBe(0);
  });

  it("is not taken for silent where this process was blocked", async () => {
    const { state, ask } = await open();
    const slow = ask("/slow");
    // Blocks while the probe is under way: its timeout passes before its answer can be read.
    await sleep(1.05 * patience);
    const until = performance.now() + 1.2 * patience;
    while (performance.now() < until);
    expect((await slow).answer).toBe("answer");
    expect(state.changes).toEqual([]);
  });
});
