import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { seededRandom } from "../../tools/bench/measure.ts";
import { endurance, runs } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startSite } from "../support/site.ts";

/**
 * Number of kills and of stops per server. The long form has two servers; ENDURANCE=4 comes to more than a hundred of each.
 */
const ends = runs({ short: 1, long: 8 });
/** Maximum time of a stop, in milliseconds. */
const stopDeadline = 10_000;

/** Every page names its release, so that answers of mixed releases show. */
function pageOf(page: number, release: number): string {
  return `# Page ${page}\n\nHow page ${page} works in release ${release} of the widgets.\n\n## Use\n\nCall the widget:\n\n\`\`\`js\nwidget(${page}, "release ${release}");\n\`\`\`\n`;
}

function filesOf(pages: number, release: number): Record<string, string> {
  const files = Array.from({ length: pages }, (_, page) => [`docs/page-${page}.md`, pageOf(page, release)]);
  return { "README.md": `# Widgets\n\nWidgets of release ${release}, explained.\n`, ...Object.fromEntries(files) };
}

/** The releases that an answer names. */
function releasesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/release (\d+)/g)].map(([, number]) => number ?? ""));
}

/** A library: how to add it, and how to bring its source to a release. */
interface TestLibrary {
  readonly id: string;
  readonly route: string;
  readonly body: object;
  readonly pages: number;
  release(number: number): Promise<void> | void;
}

/** A repository, a website that takes some time to crawl, and a package with documents in its archive. */
async function openSources(): Promise<
  { testLibraries: readonly TestLibrary[]; env: Record<string, string> } & AsyncDisposable
> {
  const [git, site, registry] = await Promise.all([startGitServer(), startSite(), startNpmRegistry()]);
  const repository = await git.repository("acme/widgets.git", filesOf(60, 0));
  const release = (number: number): void => {
    const links = Array.from({ length: 20 }, (_, page) => `[${page}](/page-${page}.md)`).join("\n");
    site.pages.set("/", {
      headers: { "content-type": "text/markdown" },
      body: `# Widgets\n\nRelease ${number}.\n\n${links}\n`,
    });
    for (let page = 0; page < 20; page += 1) site.pages.set(`/page-${page}.md`, pageOf(page, number));
  };
  const publish = (number: number): void =>
    registry.publish("widgets", { [`1.${number}.0`]: { files: filesOf(20, number) } });
  release(0);
  publish(0);
  const testLibraries: readonly TestLibrary[] = [
    {
      id: "/acme/widgets",
      route: "repo/git",
      body: { docsRepoUrl: repository.url, libraryName: "/acme/widgets" },
      pages: 61,
      release: (number) => repository.commit(filesOf(60, number)).then(() => undefined),
    },
    {
      id: "/websites/widgets",
      route: "website",
      body: { websiteUrl: `${site.origin}/`, libraryName: "/websites/widgets" },
      pages: 21,
      release,
    },
    { id: "/npm/widgets", route: "package", body: { name: "widgets" }, pages: 21, release: publish },
  ];
  return {
    testLibraries,
    env: {
      FETCH_ALLOW: [git.host, site.host, registry.host].join(","),
      NPM_CONFIG_REGISTRY: registry.url,
      NPM_CONFIG_USERCONFIG: "/dev/null",
      HOST_INTERVAL: "20",
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([git.close(), site.close(), registry.close()]);
    },
  };
}

describe.concurrent("a server that is killed, and told to stop", () => {
  const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 100_000);
  it.each(endurance ? [seed, seed + 1] : [seed])(
    `loses nothing, leaves no files behind and counts no stop as a failure, ${ends} times each at random moments of runs, refreshes and deletions: %i`,
    { timeout: 120_000 + ends * 120_000 },
    async (seedOfServer) => {
      const random = seededRandom(seedOfServer);
      await using folder = await temporaryFolder();
      await using temporary = await temporaryFolder();
      await using sources = await openSources();
      const { testLibraries } = sources;
      const env = { ...sources.env, GRACE_SECONDS: "0", SWEEP_SECONDS: "1", LOG_LEVEL: "warn", TMPDIR: temporary.path };
      const start = (): Promise<LecternProcess> => startLectern(folder.path, env, undefined, { detached: true });

      const current = new Map(testLibraries.map(({ id }) => [id, 0]));
      const existing = new Set<string>();
      let server = await start();
      // Also if the test fails.
      await using _ = { [Symbol.asyncDispose]: async () => void (await server.kill("SIGKILL")) };
      for (let end = 0; end < 2 * ends; end += 1) {
        for (const library of testLibraries) {
          const draw = random();
          if (draw < 0.3 && existing.size > 0) continue;
          await change(server, library, { exists: existing.has(library.id), deleted: draw > 0.9, current });
        }
        const wrong = Promise.all(testLibraries.map(({ id }) => watch(server, id)));
        await sleep(random() * 700);
        const toGroup = random() < 0.5;
        // One kill, or three stops during the same runs.
        if (end % 2 === 0) await server.kill("SIGKILL", toGroup);
        else {
          await expectStop(server, toGroup, folder.path);
          for (let again = 0; again < 2; again += 1) {
            server = await start();
            await sleep(random() * 300);
            await expectStop(server, random() < 0.5, folder.path);
          }
        }
        expect((await wrong).flat()).toEqual([]);

        server = await start();
        // The new process has removed the temporary files of earlier ones.
        expect((await readdir(temporary.path)).length).toBeLessThanOrEqual(1);
        const check = async (library: TestLibrary): Promise<void> => {
          const { status } = await server.call("GET", `/v2/libs/status?libraryId=${library.id}`);
          // A submission or deletion at the moment of the end may have been written or not.
          if (status === 200) existing.add(library.id);
          else existing.delete(library.id);
          if (status === 200) await expectComplete(server, library, current.get(library.id) ?? 0);
        };
        await Promise.all(testLibraries.map(check));
        await expectNoRemains(folder.path, server);
      }
      await expectStop(server, true, folder.path);
      expect(await readdir(temporary.path)).toEqual([]);
      expect(integrity(join(folder.path, "catalog.sqlite"))).toBe("ok");
    },
  );
});

/** Adds a library, deletes it, or refreshes it to the next release. */
async function change(
  server: LecternProcess,
  { id, route, body, release }: TestLibrary,
  { exists, deleted, current }: { exists: boolean; deleted: boolean; current: Map<string, number> },
): Promise<void> {
  if (!exists) expect((await server.call("POST", `/v2/add/${route}`, body)).body).toMatchObject({ libraryName: id });
  else if (deleted) void server.call("DELETE", `/v2/libs?libraryId=${id}`).catch(() => undefined);
  else {
    const next = (current.get(id) ?? 0) + 1;
    current.set(id, next);
    await release(next);
    expect((await server.call("POST", "/v1/refresh", { libraryName: id })).status).toBe(200);
  }
}

/** Expects a stop in time that no run counts as a lost worker. */
async function expectStop(server: LecternProcess, toGroup: boolean, folder: string): Promise<void> {
  const since = performance.now();
  expect(await server.kill("SIGTERM", toGroup)).toEqual({ code: 0, signal: null });
  expect(performance.now() - since).toBeLessThan(stopDeadline);
  const catalog = new DatabaseSync(join(folder, "catalog.sqlite"), { readOnly: true });
  const query =
    "SELECT id, claims, deaths FROM runs WHERE closed_at IS NULL AND (claims > 0 OR deaths > 0 OR owner IS NOT NULL)";
  expect(catalog.prepare(query).all()).toEqual([]);
  catalog.close();
}

const question = "query=widget+release+page&tokens=20000&limit=50";

/** Reads until the server is gone; returns answers of mixed releases or with an undocumented status. */
async function watch(server: LecternProcess, id: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  try {
    for (;;) {
      const { status, body } = await server.call("GET", `/v2/context?libraryId=${id}&${question}`);
      const isMixed = status === 200 && releasesIn(String(body)).size > 1;
      if (isMixed || ![200, 202, 404, 503].includes(status)) wrong.push(`${id} ${status} ${JSON.stringify(body)}`);
    }
  } catch {
    return wrong;
  }
}

/** Expects the library to be finalized with all of the current release, once the interrupted run has ended. */
async function expectComplete(server: LecternProcess, { id, pages }: TestLibrary, current: number): Promise<void> {
  const status = await server.settled(id);
  expect(status).toMatchObject({ state: "finalized", live: { counts: { pages } } });
  expect((await server.call("POST", "/v1/refresh", { libraryName: id })).status).toBe(200);
  await server.settled(id);
  const { body } = await server.call("GET", `/v2/context?libraryId=${id}&${question}`);
  expect([...releasesIn(String(body))]).toEqual([String(current)]);
}

/** Expects that after a sweep only files of generations in the catalog are left. */
async function expectNoRemains(folder: string, server: LecternProcess): Promise<void> {
  const catalog = new DatabaseSync(join(folder, "catalog.sqlite"), { readOnly: true });
  try {
    await vi.waitFor(
      async () => {
        const known = new Set(
          catalog
            .prepare("SELECT id FROM generations")
            .all()
            .map(({ id }) => String(id)),
        );
        const blobs = await readdir(join(folder, "blobs", "generations")).catch(() => []);
        const indexed = (await readdir(join(folder, "index"), { recursive: true }).catch(() => []))
          .filter((name) => name.includes("."))
          .map((name) => name.split("/").at(-1)?.split(".")[0] ?? "");
        const scratch = await readdir(join(folder, "work")).catch(() => []);
        expect([...blobs, ...indexed].filter((id) => !known.has(id)).concat(scratch)).toEqual([]);
      },
      { timeout: 30_000, interval: 50 },
    );
  } finally {
    catalog.close();
  }
  expect(server.stderr()).not.toContain('"level":50');
}

function integrity(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return String(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]);
  } finally {
    database.close();
  }
}
