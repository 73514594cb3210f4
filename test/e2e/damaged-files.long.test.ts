import { mkdir, open, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { damageOf } from "../../activities/damage.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { hasItsChecksum } from "../../search/sqlite/damage.ts";
import { amount } from "../support/endurance.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

/** Number of files to damage, in total and per round. */
const files = amount({ short: 12, long: 60 });
const perRound = 6;
const libraries = Array.from({ length: 8 }, (_, at) => `/docs/library-${at}`);

const env = { SWEEP_SECONDS: "5", KEEP_GENERATIONS: "0", GRACE_SECONDS: "0" };

type Roll = (bound: number) => number;

/** Ways to damage a file of a given size, at random places. */
const damages: readonly (readonly [string, (file: string, size: number, roll: Roll) => Promise<void>])[] = [
  ["cut short", (file, size, roll) => truncate(file, roll(size))],
  ["empty", (file) => truncate(file, 0)],
  ["zeros", (file, size, roll) => overwrite(file, new Uint8Array(1 + roll(Math.min(size, 20_000))), roll(size))],
  ["other bytes", (file, size, roll) => overwrite(file, crypto.getRandomValues(new Uint8Array(512)), roll(size))],
  [
    "another bit",
    async (file, size, roll) => {
      const place = roll(size);
      const byte = (await readFile(file))[place] ?? 0;
      await overwrite(file, Uint8Array.of(byte ^ (1 << roll(8))), place);
    },
  ],
];

async function overwrite(file: string, bytes: Uint8Array, place: number): Promise<void> {
  await using handle = await open(file, "r+");
  await handle.write(bytes, 0, Math.min(bytes.length, Math.max(1, (await handle.stat()).size - place)), place);
}

/** A seeded random number generator: integers below `bound`. */
function dice(seed: number): Roll {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const context = (id: string) => `/v2/context?libraryId=${id}&query=${id.split("-")[1]}+cogs&tokens=2000`;
const searching = (id: string) => `/v2/libs/search?libraryName=${id}&query=cogs`;

/** The answers to all requests, which must be 200. */
async function readAll(server: LecternProcess): Promise<ReadonlyMap<string, unknown>> {
  const paths = libraries.flatMap((id) => [context(id), searching(id)]);
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const { status, body } = await server.call("GET", path);
      expect({ path, status }).toEqual({ path, status: 200 });
      return [path, comparable(body)] as const;
    }),
  );
  return new Map(bodies);
}

/** An answer without its time of indexing. */
function comparable(body: unknown): string {
  return JSON.stringify(body).replaceAll(/"lastUpdateDate":"[^"]*"/g, "");
}

/** Repeats all requests until `stop`; every answer must be right, or a documented 503. */
function startReading(server: LecternProcess, right: ReadonlyMap<string, unknown>) {
  const wrong: unknown[] = [];
  const counts = { right: 0, refused: 0 };
  let isOver = false;
  const read = async (): Promise<void> => {
    while (!isOver) {
      for (const [path, expected] of right) {
        const { status, body } = await server.call("GET", path);
        const { error = "" } = status === 503 ? (body as { error?: string }) : {};
        if (status === 200 && comparable(body) === expected) counts.right += 1;
        else if (["index_rebuilding", "search_failed", "service_unavailable"].includes(error)) counts.refused += 1;
        else wrong.push({ path, status, body });
        await sleep(5);
      }
    }
  };
  const reading = read();
  return {
    wrong,
    counts,
    async stop() {
      isOver = true;
      await reading;
    },
  };
}

it(
  `heals ${files} damaged files within a minute each, under a running server and a stopped one, and answers nothing wrong`,
  { timeout: 1_800_000 },
  async () => {
    await using folder = await temporaryFolder();
    const [data, docs] = [join(folder.path, "data"), join(folder.path, "docs")];
    const settings = { ...env, FOLDER_ROOTS: docs };
    let server = await startLectern(data, settings);
    for (const id of libraries) {
      const path = join(docs, id);
      await mkdir(path, { recursive: true });
      for (let page = 0; page < 20; page += 1) {
        const words = Array.from({ length: 60 }, (_, at) => `${id.slice(6)}-${page * 60 + at}`).join(" ");
        await writeFile(
          join(path, `p${page}.md`),
          `# Cogs ${page}\n\nThe cogs of ${id}: ${words}\n\n\`\`\`js\ncog(${page});\n\`\`\`\n`,
        );
      }
      await server.call("POST", "/v2/add/folder", { path, title: id.slice(6) });
    }
    for (const id of libraries) await server.settled(id);
    const right = await readAll(server);
    const roll = dice(46);
    const blobs = createFolderBlobStore({ folder: join(data, "blobs") });
    const report: unknown[] = [];
    /** The files that may be damaged, by kind. */
    const filesOf = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
      const all = (await readdir(data, { recursive: true })).map((name) => join(data, name));
      return {
        index: all.filter((name) => name.endsWith(".sqlite") && name.includes("/index/")),
        part: all.filter((name) => name.includes("/snippets-")),
        manifest: all.filter((name) => name.includes("/manifest.")),
        libraries: [join(data, "libraries.sqlite")],
      };
    };
    const isWhole = async (): Promise<boolean> => {
      const failing = await server.call("GET", "/v2/libs?state=any");
      if ((failing.body as { total: number }).total > 0) return false;
      const lives = await Promise.all(
        libraries.map(async (id) => {
          const { body } = await server.call("GET", `/v2/libs/status?libraryId=${id}`);
          const { live, openRun } = body as { live: { id: string }; openRun: unknown };
          return openRun === null ? live.id : undefined;
        }),
      );
      for (const live of lives) {
        if (live === undefined || (await damageOf(blobs, live, () => true)) !== undefined) return false;
        const [index = ""] = ((await filesOf())["index"] ?? []).filter((name) => name.includes(live));
        if (index === "" || !(await hasItsChecksum(index))) return false;
      }
      const answers = await Promise.all([...right].map(([path]) => server.call("GET", path)));
      return answers.every(({ status }) => status === 200);
    };

    for (let round = 0; round * perRound < files; round += 1) {
      const isRunning = round % 2 === 0;
      if (!isRunning) await server.kill(round % 4 === 1 ? "SIGTERM" : "SIGKILL");
      const reading = isRunning ? startReading(server, right) : undefined;
      const candidates = await filesOf();
      const kinds = Object.keys(candidates);
      const damaged = [];
      for (let at = 0; at < perRound; at += 1) {
        const kind = kinds[(round + at) % kinds.length] ?? "";
        const file = candidates[kind]?.[roll(candidates[kind].length)] ?? "";
        const [how, damage] = damages[roll(damages.length)] ?? ["", () => Promise.resolve()];
        const { size } = await stat(file);
        await damage(file, size, roll);
        damaged.push({ kind, how });
      }
      if (!isRunning) server = await startLectern(data, settings);
      const readers = reading ?? startReading(server, right);
      const begun = performance.now();
      while (!(await isWhole())) {
        expect(performance.now() - begun, `${JSON.stringify(damaged)}\n${server.stderr()}`).toBeLessThan(60_000);
        await sleep(250);
      }
      await readers.stop();
      report.push({ isRunning, damaged, healedAfter: Math.round(performance.now() - begun), ...readers.counts });
      expect(readers.wrong).toEqual([]);
      expect(await readAll(server)).toEqual(right);
    }
    if (files > 20) process.stdout.write(`${JSON.stringify(report)}\n`);
    await server.kill("SIGTERM");
  },
);
