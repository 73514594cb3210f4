import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { isVerificationDue } from "../../activities/damage.ts";
import { readManifest } from "../../activities/parts.ts";
import { sweep, type Swept } from "../../activities/sweep.ts";
import { exportGeneration } from "../../activities/transfer.ts";
import { compose, type Lectern } from "../../cli/compose.ts";
import { prepareServers } from "../../cli/server-setup.ts";
import { loadConfig } from "../../cli/config.ts";
import type { BlobStore, Indexing, LibraryView } from "../../domain/ports.ts";
import { servedPassages, type Part } from "../../domain/generation.ts";
import { refreshLibrary } from "../../domain/refreshing-versions.ts";
import { submitLibrary, ignoreUnavailable } from "../../domain/submitting.ts";
import { writeFiles } from "../support/files.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** The caller of every request here. */
export const admin = { keyId: "test", teamspace: "default", scopes: ["admin"], libraries: [] } as const;

export const hour = 3_600_000;

/** Ways to damage a blob. */
const damages = {
  missing: undefined,
  changed: (bytes: Uint8Array) => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 0x10),
  "cut short": (bytes: Uint8Array) => bytes.slice(0, bytes.length >> 1),
  empty: () => new Uint8Array(),
} as const;
export type Damage = keyof typeof damages;

/** Damages the first blob of a generation whose name begins as given. */
export async function damage(
  blobs: BlobStore,
  generation: string,
  name: "snippets-" | "manifest",
  how: Damage,
): Promise<void> {
  const prefix = `generations/${generation}/`;
  const keys = (await Array.fromAsync(blobs.list(prefix))).sort();
  const key = keys.find((each) => each.startsWith(prefix + name));
  const bytes = key === undefined ? undefined : await blobs.get(key);
  if (key === undefined || bytes === undefined) throw new Error(`${generation} has no ${name}.`);
  const change = damages[how];
  if (change) return blobs.put(key, change(bytes));
  const kept = await Promise.all(
    keys.filter((each) => each !== key).map(async (each) => [each, (await blobs.get(each)) ?? bytes] as const),
  );
  await blobs.removeAll(prefix);
  for (const [each, content] of kept) await blobs.put(each, content);
}

/** A whole Lectern in this process, with libraries made of folders. */
export async function openHealing(env: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  const docs = join(folder.path, "docs");
  await mkdir(docs);
  const problems: unknown[] = [];
  const config = loadConfig({ FOLDER_ROOTS: docs, PARSE_THREADS: "1", ...env });
  const log = pino({ level: "silent" });
  await prepareServers(config, log);
  const lectern: Lectern = await compose(config, { dataFolder: folder.path, name: "test", log });
  onTestFinished(async () => {
    await lectern.close();
    await folder[Symbol.asyncDispose]();
  });
  await lectern.open();
  const { ports, stores } = lectern;
  const { catalog, blobs } = stores;
  const indexing: Indexing = {
    start: (run) => patiently(() => ports.indexing.start(run)),
    cancel: (run) => ports.indexing.cancel(run),
    ready: () => patiently(() => ports.indexing.ready()),
  };
  const view = async (id: string): Promise<LibraryView> => {
    const library = await catalog.libraries.find([""], id, "");
    if (!library) throw new Error(`There is no ${id}.`);
    return library;
  };
  /** Waits for all runs, and starts those again that the engine did not take in time, as a sweep would. */
  const settle = async (): Promise<void> => {
    for (let polls = 1; ; polls += 1) {
      const open = await catalog.runs.openRuns();
      if (open.length === 0) return;
      if (polls % pollsPerStart === 0) for (const run of open) await ports.indexing.start(run).catch(ignoreUnavailable);
      await sleep(pollInterval);
    }
  };
  const write = (id: string, pages: Readonly<Record<string, string>>): Promise<void> =>
    writeFiles(join(docs, id), pages);
  return {
    lectern,
    /** The data folder. */
    folder: folder.path,
    catalog,
    blobs,
    problems,
    settle,
    write,
    live: async (id: string) => {
      const { live } = (await view(id)).version ?? {};
      if (!live) throw new Error(`${id} has nothing live.`);
      return live;
    },
    /** How the last run of a library ended. */
    lastRun: async (id: string) => (await view(id)).version?.lastRun,
    /** The passage lines of what is live. */
    async lines(id: string): Promise<readonly string[]> {
      const { live } = (await view(id)).version ?? {};
      return (await Array.fromAsync(exportGeneration(blobs, live?.id ?? ""))).slice(1);
    },
    /** Adds a library made of a folder with these pages. */
    async add(id: string, pages: Readonly<Record<string, string>> = page(id)): Promise<void> {
      await write(id, pages);
      const selection = { folders: [], excludeFolders: null, excludeFiles: null };
      const source = { kind: "folder", path: join(docs, id), selection } as const;
      await patiently(() => submitLibrary(ports, admin, { id, private: false, title: id, description: "", source }));
      await settle();
    },
    refresh: (id: string) => patiently(() => refreshLibrary(ports, admin, { libraryName: id })),
    /** Removes the folder that a library is made of. */
    removeSource: (id: string) => rm(join(docs, id), { recursive: true }),
    /** A thorough sweep, a number of hours from now, or a brief one. */
    sweep: (hours = 0, thorough = true): Promise<Swept> =>
      sweep(
        {
          ...lectern.sweepPorts,
          indexing,
          now: () => Date.now() + hours * hour,
          onProblem: (problem) => problems.push(problem),
        },
        { thorough },
      ),
  };
}

/** Milliseconds between two polls of open runs, and polls between two starts of these. */
const [pollInterval, pollsPerStart] = [20, 100];

/** Asks again, as clients should, while the engine does not answer within its two seconds, as on a busy machine. */
async function patiently(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const isUnavailable = await ask().then(
      () => false,
      (error: unknown) => {
        ignoreUnavailable(error);
        return true;
      },
    );
    if (!isUnavailable) return;
    await sleep(pollInterval);
  }
}

/** One page about `word`. */
export function page(word: string, path = "guide.md"): Record<string, string> {
  return {
    [path]: `# Guide to ${word}\n\nHow ${word} is used, in a few words:\n\n\`\`\`js\nuse("${word}");\n\`\`\`\n`,
  };
}

/** Libraries with a damaged live generation heal, in any BlobStore. `makeEnv` gives the settings of one Lectern. */
export function describeHealing(name: string, makeEnv: () => Promise<Readonly<Record<string, string>>>): void {
  const cases = [
    { id: "/part/missing", blob: "snippets-", how: "missing" },
    { id: "/part/changed", blob: "snippets-", how: "changed" },
    { id: "/part/short", blob: "snippets-", how: "cut short" },
    { id: "/manifest/missing", blob: "manifest", how: "missing" },
    { id: "/manifest/changed", blob: "manifest", how: "changed" },
    { id: "/manifest/short", blob: "manifest", how: "cut short" },
  ] as const;

  // On a busy machine the runs of one test take minutes.
  describe(`a live generation in ${name} whose part or manifest is missing or damaged`, { timeout: 300_000 }, () => {
    it("is replaced by a whole one at the next refresh, though nothing changed at the source", async () => {
      const { add, lines, live, refresh, settle, lastRun, blobs, lectern } = await openHealing(await makeEnv());
      const before = new Map<string, { lines: readonly string[]; generation: string }>();
      for (const { id, blob, how } of cases) {
        await add(id);
        const generation = (await live(id)).id;
        before.set(id, { lines: await lines(id), generation });
        await damage(blobs, generation, blob, how);
      }
      for (const { id } of cases) await refresh(id);
      await settle();
      for (const { id } of cases) {
        const { id: generation, counts } = await live(id);
        expect({ id, outcome: (await lastRun(id))?.outcome }).toEqual({ id, outcome: "published" });
        expect(generation).not.toBe(before.get(id)?.generation);
        expect(await lines(id)).toEqual(before.get(id)?.lines);
        expect(await lectern.stores.passages.count(generation)).toBe(servedPassages(counts));
      }
      for (const { id } of cases) await refresh(id);
      await settle();
      for (const { id } of cases) expect((await lastRun(id))?.outcome).toBe("unchanged");
    });

    it("is replaced at a refresh that finds pages changed", async () => {
      const { add, write, lines, live, refresh, settle, lastRun, blobs } = await openHealing(await makeEnv());
      for (const { id, blob, how } of cases) {
        await add(id, { ...page("one", "one.md"), ...page("two", "two.md") });
        await damage(blobs, (await live(id)).id, blob, how);
        await write(id, page("three", "two.md"));
        await refresh(id);
      }
      await settle();
      for (const { id } of cases) {
        expect({ id, outcome: (await lastRun(id))?.outcome }).toEqual({ id, outcome: "published" });
        expect((await lines(id)).join("")).toMatch(/use\(\\"one.*use\(\\"three/s);
      }
    });

    it("is found by the sweep, which reports it and starts the run that heals", async () => {
      const { add, lines, live, settle, sweep: sweepAt, blobs, problems } = await openHealing(await makeEnv());
      const before = new Map<string, readonly string[]>();
      const damaged = new Map<string, string>();
      const parts: Part[] = [];
      for (const { id, blob, how } of cases) {
        await add(id);
        before.set(id, await lines(id));
        damaged.set(id, (await live(id)).id);
        parts.push(...((await readManifest(blobs, damaged.get(id) ?? ""))?.parts ?? []));
        await damage(blobs, damaged.get(id) ?? "", blob, how);
      }
      await add("/whole/one");
      const whole = (await live("/whole/one")).id;

      // A missing blob is found at once, other damage within a week.
      const first = await sweepAt();
      expect(first.damaged).toBeGreaterThanOrEqual(4);
      expect(first.refreshes.started).toBe(first.damaged);
      expect(first.problems.join(" ")).toMatch(/\/manifest\/missing.*manifest.*is missing/);
      expect(problems).toHaveLength(first.damaged ?? 0);
      await settle();
      for (const part of parts) {
        const at = Array.from({ length: 7 * 24 }, (_, hours) => hours).find((hours) =>
          isVerificationDue(part, Date.now() + hours * hour),
        );
        expect(at).toBeDefined();
        await sweepAt(at);
        await settle();
      }
      for (const { id } of cases) {
        const { id: generation, damage: left } = await live(id);
        expect({ id, generation, left }).not.toMatchObject({ generation: damaged.get(id) });
        expect(left).toBeNull();
        expect(await lines(id)).toEqual(before.get(id));
      }
      expect(await live("/whole/one")).toMatchObject({ id: whole, damage: null });
      expect(await sweepAt(1000)).toMatchObject({ damaged: 0, problems: [] });
    });
  });
}
