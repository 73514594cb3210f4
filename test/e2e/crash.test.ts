import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { amount, endurance } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import type { LecternProcess } from "../support/lectern-process.ts";

/** A server is killed so often; in the long form two of them at the same time. */
const kills = amount({ short: 3, long: 15 });
const pages = 60;
const libraryId = "/acme/widgets";

/** Every page says which release it is of, so that a mixed answer shows. */
function release(number: number): Record<string, string> {
  const files: Record<string, string> = { "README.md": `# Widgets\n\nWidgets of release ${number}, explained.\n` };
  for (let page = 0; page < pages; page += 1) {
    files[`docs/page-${page}.md`] =
      `# Page ${page}\n\nHow page ${page} works in release ${number} of the widgets.\n\n## Use\n\nCall the widget:\n\n\`\`\`js\nwidget(${page}, "release ${number}");\n\`\`\`\n`;
  }
  return files;
}

/** The releases that an answer speaks of. */
function releasesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/release (\d+)/g)].map(([, number]) => number ?? ""));
}

describe.concurrent("a server that is killed", () => {
  const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 100_000);
  it.each(endurance ? [seed, seed + 1] : [seed])(
    `loses nothing and leaves nothing behind at ${kills} random moments of runs, refreshes and deletions: %i`,
    async (seedOfServer) => {
      const random = seededRandom(seedOfServer);
      await using folder = await temporaryFolder();
      const git = await startGitServer();
      try {
        const repository = await git.repository("acme/widgets.git", release(0));
        const env = {
          FETCH_ALLOW: new URL(repository.url).host,
          GRACE_SECONDS: "0",
          SWEEP_SECONDS: "1",
          LOG_LEVEL: "warn",
        };
        const add = (server: LecternProcess): ReturnType<LecternProcess["call"]> =>
          server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName: libraryId });

        let current = 0;
        let there = false;
        let server = await startLectern(folder.path, env);
        for (let kill = 0; kill < kills; kill += 1) {
          const wish = random();
          if (there && wish < 0.2) {
            void server.call("DELETE", `/v2/libs?libraryId=${libraryId}`).catch(() => undefined);
          } else if (there) {
            current += 1;
            await repository.commit(release(current));
            expect((await server.call("POST", "/v1/refresh", { libraryName: libraryId })).status).toBe(200);
          } else {
            expect((await add(server)).status).toBe(200);
          }
          const mixed = watch(server);
          await new Promise((resolve) => setTimeout(resolve, random() * 350));
          await server.kill("SIGKILL");
          expect(await mixed).toEqual([]);

          server = await startLectern(folder.path, env);
          const found = await server.call("GET", `/v2/libs/status?libraryId=${libraryId}`);
          // Killed before the submission was written, or after the deletion was: either is whole.
          there = found.status === 200;
          if (there) await expectComplete(server, current);
          await expectNoRemains(folder.path, server);
        }
        await server.kill("SIGTERM");
        expect(integrity(join(folder.path, "catalog.sqlite"))).toBe("ok");
      } finally {
        await git.close();
      }
    },
  );
});

/** Reads until the server is gone; answers every text that mixed two releases. */
async function watch(server: LecternProcess): Promise<readonly string[]> {
  const mixed: string[] = [];
  try {
    for (;;) {
      const { status, body } = await server.call(
        "GET",
        `/v2/context?libraryId=${libraryId}&query=widget+release+page&tokens=20000&limit=50`,
      );
      if (status === 200 && releasesIn(String(body)).size > 1) mixed.push(String(body));
    }
  } catch {
    return mixed;
  }
}

/** The library is finalized with the current release, all of it, once the run that was interrupted is through. */
async function expectComplete(server: LecternProcess, current: number): Promise<void> {
  const status = await server.settled(libraryId);
  expect(status["state"]).toBe("finalized");
  const live = status["live"] as { counts: { pages: number; code: number } };
  expect(live.counts).toMatchObject({ pages: pages + 1, code: pages });
  const refreshed = await server.call("POST", "/v1/refresh", { libraryName: libraryId });
  expect(refreshed.status).toBe(200);
  await server.settled(libraryId);
  const { body } = await server.call(
    "GET",
    `/v2/context?libraryId=${libraryId}&query=widget+release+page&tokens=20000&limit=50`,
  );
  expect([...releasesIn(String(body))]).toEqual([String(current)]);
}

/** After a sweep, only generations that the catalog speaks of take room. */
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
