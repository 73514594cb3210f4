import { expect, it } from "vitest";
import type { IncludedRef } from "../../../domain/generation.ts";
import type { Checkpoint, PageRef, SourceItem } from "../../../domain/ports.ts";
import { openMemory } from "../../../sources/confluence/run.ts";
import { readChanged } from "../../../sources/confluence/read-changed.ts";

const pageOf = (id: string): PageRef => ({
  key: `https://wiki.example/${id}`,
  url: `https://wiki.example/${id}`,
  mediaType: "text/markdown",
  fingerprint: "1",
});
const listed = ["a", "b", "c", "d", "e"].map((id) => ({ id, page: pageOf(id) }));
const itemOf = (page: PageRef): Exclude<SourceItem, { type: "known" }> => ({
  type: "page",
  page,
  bytes: Buffer.from("x"),
});

/** A checkpoint kept between attempts. */
function kept(): Checkpoint & { readonly saved: Uint8Array[] } {
  const saved: Uint8Array[] = [];
  return {
    saved,
    load: async () => [...saved],
    save: async (state, { whole }) => void (whole ? saved.splice(0, saved.length, state) : saved.push(state)),
  };
}

async function read(known: ReadonlyMap<string, readonly IncludedRef[]>, gone = "") {
  const requests: string[][] = [];
  const current: string[] = [];
  const items = readChanged(
    {
      listed,
      batch: 2,
      memory: await openMemory(kept()),
      current: async (path) => (current.push(path), "now"),
      read: async (pages) => {
        requests.push(pages.map(({ id }) => id));
        return pages.filter(({ id }) => id !== gone).map(({ page }) => itemOf(page));
      },
    },
    { known: ({ key }) => known.get(key.slice(-1)), pages: () => {}, signal: new AbortController().signal },
  );
  const outcomes = (await Array.fromAsync(items)).map((item) => `${item.page.key.slice(-1)} ${item.type}`);
  return { requests, outcomes, current };
}

it("reads what is new in the order of the listing, a limited number at once", async () => {
  const { requests, outcomes } = await read(new Map());
  expect(requests).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(outcomes).toEqual(["a page", "b page", "c page", "d page", "e page"]);
});

it("keeps what is known, unless an include changed, which is requested once", async () => {
  const includes = (fingerprint: string) => [{ path: "shared", fingerprint }];
  const known = new Map([
    ["a", []],
    ["b", includes("now")],
    ["d", includes("before")],
    ["e", includes("now")],
  ]);
  const { requests, outcomes, current } = await read(known);
  expect(requests).toEqual([["c", "d"]]);
  expect(outcomes).toEqual(["a known", "b known", "c page", "d page", "e known"]);
  expect(current).toEqual(["shared"]);
});

it("skips what was removed since it was listed", async () => {
  expect((await read(new Map(), "b")).outcomes[1]).toBe("b skipped");
});

it("recalls what an attempt has kept, and requests again what was forgotten", async () => {
  const checkpoint = kept();
  const first = await openMemory(checkpoint);
  let asked = 0;
  const ask = async () => (asked += 1);
  for (let at = 0; at < 150; at += 1) await first.recall(`page ${at}`, ask);
  expect(checkpoint.saved).toHaveLength(1);
  const second = await openMemory(checkpoint);
  expect(await second.recall("page 0", ask)).toBe(1);
  expect(asked).toBe(150);
  second.forget("page 0");
  expect(await second.recall("page 0", ask)).toBe(151);
});
