import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { ask, control } from "../contracts/passage-index-asking.ts";
import { codePassage, partsOf, prosePassage } from "../contracts/passage-samples.ts";
import { runs } from "../support/endurance.ts";
import { folderOfTest } from "../support/of-test.ts";

const passages = Array.from({ length: 300 }, (_, at) =>
  at % 2 === 0
    ? prosePassage(`p${at}`, `Widget ${at} turns ${at % 7} cogs`)
    : codePassage(`c${at}`, { title: `Cog ${at}` }),
);

/** An index with a generation, and the path of its file. */
async function loaded() {
  const folder = await folderOfTest();
  const index = createSqlitePassageIndex({ folder });
  onTestFinished(() => index.close());
  expect(await index.load("g1", partsOf(passages), control())).toBe(passages.length);
  const [file = ""] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sqlite"));
  return { index, folder, file: join(folder, file) };
}

/** The answers of an index to a few questions, with passages. */
async function answers(index: ReturnType<typeof createSqlitePassageIndex>): Promise<unknown> {
  const results = [];
  for (const question of ["widget 12 turns", "cog", "cogs 3", "widgat"]) {
    const { candidates, read, total } = await ask(index, "g1", question);
    const ids = candidates.map(({ id }) => id);
    results.push({ total, ids, passages: await read(ids.slice(0, 5)) });
  }
  return results;
}

async function write(file: string, bytes: Uint8Array, offset: number): Promise<void> {
  await using handle = await open(file, "r+");
  await handle.write(bytes, 0, bytes.length, offset);
}

/** A deterministic pseudo-random generator of numbers below a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Offsets all over a file: in its header, which SQLite checks in part, and anywhere after it. */
function offsets(size: number, count: number): readonly number[] {
  const roll = dice(46);
  return [0, 18, 61, 100, ...Array.from({ length: count }, () => 100 + roll(size - 100))];
}

describe("a passage file with one flipped bit", () => {
  it("answers nothing, wherever the bit is, in an open index and in a new one, and recovers when it is restored", async () => {
    const { index, folder, file } = await loaded();
    const right = await answers(index);
    const whole = await readFile(file);
    for (const offset of offsets(whole.length, runs({ short: 40, long: 400 }))) {
      const byte = whole[offset] ?? 0;
      await write(file, Uint8Array.of(byte ^ (1 << (offset % 8))), offset);
      await expect(answers(index), `bit at ${offset}`).rejects.toMatchObject({ code: "index_rebuilding" });
      expect(await index.verify?.("g1")).toBe(false);
      expect(await index.count("g1")).toBeUndefined();
      const another = createSqlitePassageIndex({ folder });
      expect(await another.verify?.("g1")).toBe(false);
      await expect(answers(another), `bit at ${offset}`).rejects.toMatchObject({ code: "index_rebuilding" });
      await another.close();
      await write(file, Uint8Array.of(byte), offset);
      expect(await index.verify?.("g1")).toBe(true);
      expect(await answers(index)).toEqual(right);
    }
  });
});

const harms: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "cut short": async (file) => writeFile(file, (await readFile(file)).subarray(0, 40_000)),
  empty: (file) => writeFile(file, ""),
  zeros: async (file) => writeFile(file, new Uint8Array((await readFile(file)).length)),
  "another file": (file) => writeFile(file, "x".repeat(81_920)),
  "longer than it was": async (file) => writeFile(file, "x".repeat(16_384), { flag: "a" }),
  gone: (file) => rm(file),
  "a folder": async (file) => {
    await rm(file);
    await mkdir(join(file, "inner"), { recursive: true });
  },
};

it.each(Object.entries(harms))(
  "answers nothing from a file that is %s, and works again after a reload",
  async (_, harm) => {
    const { index, file } = await loaded();
    const right = await answers(index);
    await harm(file);
    await expect(answers(index)).rejects.toMatchObject({ code: "index_rebuilding" });
    expect(await index.verify?.("g1")).toBe(false);
    expect(await index.count("g1")).toBeUndefined();
    expect(await index.load("g1", partsOf(passages), control())).toBe(passages.length);
    expect(await answers(index)).toEqual(right);
  },
);

it("never answers wrongly while files are damaged and reloaded", async () => {
  const { index, file } = await loaded();
  const right = await answers(index);
  const roll = dice(7);
  let isOver = false;
  let refused = 0;
  const reader = async (): Promise<void> => {
    while (!isOver) {
      const result = await answers(index).catch((error: unknown) => {
        // Both are 503. search_failed: the file was damaged between its check and its read.
        expect(["index_rebuilding", "search_failed"]).toContain((error as { code?: string }).code);
        refused += 1;
      });
      if (result !== undefined) expect(result).toEqual(right);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const readers = [reader(), reader(), reader()];
  for (let round = 0; round < runs({ short: 10, long: 100 }); round += 1) {
    await write(file, crypto.getRandomValues(new Uint8Array(1 + roll(500))), roll((await readFile(file)).length - 500));
    await expect.poll(() => index.count("g1")).toBeUndefined();
    await index.load("g1", partsOf(passages), control());
  }
  isOver = true;
  await Promise.all(readers);
  expect(refused).toBeGreaterThan(0);
});
