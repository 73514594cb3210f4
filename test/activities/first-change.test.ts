import { expect, it } from "vitest";
import { fromFirstChange } from "../../activities/earlier-pages.ts";
import type { ManifestPage } from "../../domain/generation.ts";
import type { PageRef, SourceItem } from "../../domain/ports.ts";

const refOf = (key: string, fingerprint = key): PageRef => ({
  key,
  url: key,
  mediaType: "text/markdown",
  fingerprint,
});
const keyOf = ({ key, fingerprint }: Pick<PageRef, "key" | "fingerprint">): string => `${key} ${fingerprint}`;
const known = (key: string): SourceItem => ({ type: "known", page: refOf(key) });
const read = (key: string): SourceItem => ({ type: "page", page: refOf(key, "new"), bytes: new Uint8Array() });
const skipped = (key: string): SourceItem => ({ type: "skipped", page: refOf(key), code: "robots", reason: "" });
const failed = (key: string): SourceItem => ({
  type: "failed",
  page: refOf(key),
  failure: { code: "source_unreachable", message: "" },
});
const row = (key: string, more: Partial<ManifestPage> = {}): ManifestPage => ({
  path: key,
  url: key,
  outcome: "indexed",
  key: keyOf(refOf(key)),
  ...more,
});
const { key: _none, ...leftOut } = row("left out", { outcome: "skipped" });
const live = [row("a"), row("b"), leftOut, row("c")];

/** The keys of the items that are yielded, and the numbers of items held back. */
async function changed(
  items: readonly SourceItem[],
  { pages = live, order = "source" as "source" | "key", isUnchanged = true } = {},
) {
  const held: number[] = [];
  const comparison = { order, keyOf, held: (count: number) => void held.push(count), isUnchanged: () => isUnchanged };
  async function* source() {
    yield* items;
  }
  const yielded = await Array.fromAsync(fromFirstChange(source(), { pages }, comparison));
  return { yielded: yielded.map(({ page }) => page.key), held };
}

it("yields nothing where all pages are as before, whatever was left out", async () => {
  const items = [known("a"), skipped("x"), known("b"), known("c")];
  expect(await changed(items)).toEqual({ yielded: [], held: [1, 2, 3, 4] });
});

it.each<[string, SourceItem[]]>([
  ["a page was read", [known("a"), known("b"), read("c")]],
  ["a page came", [known("a"), known("b"), known("c"), read("d")]],
  ["a page went", [known("a"), known("b")]],
  ["a page is not read now", [known("a"), skipped("b"), known("c")]],
  ["a page failed", [known("a"), failed("b"), known("c")]],
  ["a page is known from an interrupted attempt only", [known("a"), known("b"), known("d")]],
  ["pages changed places", [known("b"), known("a"), known("c")]],
])("yields all items in their order where %s", async (_, items) => {
  const { yielded } = await changed(items);
  expect(yielded).toEqual(items.map(({ page }) => page.key));
});

it("takes pages in any order where the source has none of its own", async () => {
  expect(await changed([known("b"), known("c"), known("a")], { order: "key" })).toMatchObject({ yielded: [] });
  expect(await changed([known("b"), known("c")], { order: "key" })).toMatchObject({ yielded: ["b", "c"] });
});

it("yields all items where something beside the pages has changed", async () => {
  const { yielded } = await changed([known("a"), known("b"), known("c")], { isUnchanged: false });
  expect(yielded).toEqual(["a", "b", "c"]);
});

it("yields all items where a page had failed, or the live generation was imported", async () => {
  const had = [row("a", { outcome: "failed", failures: 1 })];
  expect(await changed([known("a")], { pages: had })).toMatchObject({ yielded: ["a"] });
  const { key: _key, ...imported } = row("a");
  expect(await changed([skipped("a")], { pages: [imported] })).toMatchObject({ yielded: ["a"] });
});
