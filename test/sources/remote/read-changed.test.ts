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

/** A checkpoint that is kept between attempts. */
function kept(): Checkpoint & { readonly saved: Uint8Array[] } {
  const saved: Uint8Array[] = [];
  return {
    saved,
    load: async () => [...saved],
    save: async (state, { whole }) => void (whole ? saved.splice(0, saved.length, state) : saved.push(state)),
  };
}

async function read(known: ReadonlyMap<string, readonly IncludedRef[]>, gone = "") {
  const asked: string[][] = [];
  const current: string[] = [];
  const items = readChanged(
    {
      listed,
      batch: 2,
      memory: await openMemory(kept()),
      current: async (path) => (current.push(path), "now"),
      read: async (pages) => {
        asked.push(pages.map(({ id }) => id));
        return pages.filter(({ id }) => id !== gone).map(({ page }) => itemOf(page));
      },
    },
    { known: ({ key }) => known.get(key.slice(-1)), pages: () => {}, signal: new AbortController().signal },
  );
  const found = (await Array.fromAsync(items)).map((item) => `${item.page.key.slice(-1)} ${item.type}`);
  return { asked, found, current };
}

it("reads what is new in the order of the listing, a limited number at once", async () => {
  const { asked, found } = await read(new Map());
  expect(asked).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(found).toEqual(["a page", "b page", "c page", "d page", "e page"]);
});

it("takes over what is known, unless something that it includes has changed, which is asked once", async () => {
  const includes = (fingerprint: string) => [{ path: "shared", fingerprint }];
  const known = new Map([
    ["a", []],
    ["b", includes("now")],
    ["d", includes("before")],
    ["e", includes("now")],
  ]);
  const { asked, found, current } = await read(known);
  expect(asked).toEqual([["c", "d"]]);
  expect(found).toEqual(["a known", "b known", "c page", "d page", "e known"]);
  expect(current).toEqual(["shared"]);
});

it("names what went since it was listed", async () => {
  expect((await read(new Map(), "b")).found[1]).toBe("b skipped");
});

it("answers from what an attempt has kept, and asks again for what was forgotten", async () => {
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
