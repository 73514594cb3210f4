import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createCrawlLog,
  readCrawlLog,
  emptyState,
  remember,
  type CrawlState,
} from "../../sources/website/crawl-state.ts";
import type { Validators } from "../../domain/generation.ts";
import { page, setup } from "./website-setup.ts";

it("writes with each checkpoint only what is new", async () => {
  const links = Array.from({ length: 620 }, (_, number) => `/p${number}x`);
  const { index, blobs } = await setup(
    {
      "/": page("Start", links),
      ...Object.fromEntries(links.map((path, number) => [path, page(`Page ${"y".repeat(number + 1)}`)])),
    },
    { limits: { pages: 1000 } },
  );
  const sizes: number[] = [];
  const put = blobs.put.bind(blobs);
  blobs.put = (key, bytes) => {
    if (key.includes("/checkpoint/")) sizes.push(bytes.length);
    return put(key, bytes);
  };
  expect((await index("/", { maxPages: 1000 })).read).toHaveLength(621);
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes.slice(2))).toBeLessThan(1.5 * (sizes[1] ?? 0));
});

it("restores the state of any crawl", () => {
  const step = fc.oneof(
    fc.record({ type: fc.constantFrom("visit", "visit", "save", "level", "filter", "readAgain"), links: fc.nat(4) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const validators = new Map<string, Validators>();
      const state = emptyState(10);
      state.level.push({ key: "first" });
      const log = createCrawlLog(validators);
      const written: string[] = [];
      const save = (): void => void written.push(JSON.stringify(log(state)));
      save();
      for (const [number, { type, links }] of steps.entries()) {
        if (type === "visit") visit(state, validators, number, links);
        if (type === "save") save();
        if (type === "level") {
          [state.level, state.next] = [state.next, []];
          state.depth += 1;
        }
        if (type === "filter") state.level = state.level.filter((_, at) => at % 3 !== 0);
        if (type === "readAgain") state.unread = new Set();
      }
      save();
      const read = readCrawlLog(written.map((text) => JSON.parse(text) as ReturnType<typeof log>));
      expect(read).toEqual({ ...state, validators });
    }),
  );
});

/** Visits the next page of the level, which links to some others. */
function visit(state: CrawlState, validators: Map<string, Validators>, number: number, links: number): void {
  const found = state.level.shift();
  if (found === undefined) return;
  const { key } = found;
  state.visits += 1;
  state.done.push({ type: "known", page: { key, url: key, mediaType: "text/html", fingerprint: `${number}` } });
  state.words.set(`words ${number}`, key);
  validators.set(key, { etag: `${number}` });
  if (number % 2 === 0) state.unread.add(key);
  for (let link = 0; link < links; link += 1)
    if (remember(state, `${number}-${link}`)) state.next.push({ key: `${number}-${link}`, from: key });
}

it("remembers a limited number of addresses, and notes how many links it did not follow", async () => {
  const many = (name: string) =>
    Array.from({ length: 4800 }, (_, number) => `/${name}/${"abcdefghij"[number % 10]}${number}`);
  const names = ["q", "r", "s", "t", "u", "v"];
  const { index } = await setup(
    {
      "/": page(
        "Start",
        names.map((name) => `/${name}/`),
      ),
      ...Object.fromEntries(names.map((name) => [`/${name}/`, page(`Page ${name}`, many(name))])),
    },
    { limits: { pages: 100, pageBytes: 1e6 } },
  );
  const { manifest } = await index("/", { maxPages: 8 });
  expect(manifest.notes).toContainEqual(
    "The site has more addresses than a crawl can remember, and 8806 more links were not followed. Choose a part of it with scope or includePatterns.",
  );
});

it("remembers fewer addresses where they are long", () => {
  const state = emptyState(10);
  const known = Array.from({ length: 20_000 }, (_, number) => remember(state, `${number}${"x".repeat(2000)}`));
  const kept = known.filter(Boolean).length;
  expect(kept).toBeGreaterThan(1900);
  expect(kept).toBeLessThan(2000);
  expect(state.omitted.links).toBe(20_000 - kept);
  expect(remember(state, `0${"x".repeat(2000)}`)).toBe(false);
  expect(state.omitted.links).toBe(20_000 - kept);
});
