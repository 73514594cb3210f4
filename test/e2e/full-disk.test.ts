import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { endurance } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { manyPages } from "./setup.ts";

const disk = endurance ? await mountSmallDisk(24) : undefined;
afterAll(() => disk?.[Symbol.asyncDispose]());

const libraryId = "/acme/widgets";

interface Status {
  readonly openRun: { readonly phase: string } | null;
  readonly runs: readonly { readonly outcome: string | null; readonly failure: { readonly code: string } | null }[];
}

describe.skipIf(disk === undefined)("a server whose disk is full", () => {
  const ask = async (server: LecternProcess, word: string): Promise<{ status: number; body: unknown }> =>
    server.call("GET", `/v2/context?libraryId=${libraryId}&query=the+${word}+of+page+7&type=json`);
  const statusOf = async (server: LecternProcess, id: string): Promise<Status> =>
    (await server.call("GET", `/v2/libs/status?libraryId=${id}`)).body as Status;

  it("still answers, lets its runs wait, and finishes them once there is space", async () => {
    if (disk === undefined) return;
    const git = await startGitServer();
    const repository = await git.repository("acme/widgets.git", manyPages(200, "spin"));
    const other = await git.repository("acme/other.git", manyPages(200, "turn"));
    const server = await startLectern(disk.path, {
      FETCH_ALLOW: new URL(repository.url).host,
      GRACE_SECONDS: "0",
      KEEP_GENERATIONS: "0",
      SWEEP_SECONDS: "1",
    });
    try {
      const add = (url: string, libraryName: string) =>
        server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName });
      expect((await add(repository.url, libraryId)).status).toBe(200);
      await server.settled(libraryId);
      const before = await ask(server, "spin");
      expect(before.status).toBe(200);

      // The disk fills up at some moment of this run.
      await repository.commit(manyPages(220, "whirl"));
      const accepted = await server.call("POST", "/v1/refresh", { libraryName: libraryId });
      expect(accepted.status).toBe(200);
      for (let round = 0; round < 60; round += 1) {
        await disk.fill();
        await sleep(100);
        const { status, body } = await ask(server, "spin");
        expect(status).toBe(200);
        expect(body).toEqual(before.body);
      }
      const during = await statusOf(server, libraryId);
      expect(during.openRun).not.toBeNull();

      // A submission meanwhile is refused with a message, or accepted and waits too.
      const refused = await add(other.url, "/acme/other");
      expect([200, 503]).toContain(refused.status);
      if (refused.status === 503)
        expect(refused.body).toEqual({
          error: "service_unavailable",
          message: "No space is left on the server's disk. Free some: runs continue then.",
        });
      const ready = await server.call("GET", "/ready");
      expect(ready.body).toMatchObject({ status: "ready", warnings: [expect.stringMatching(/disk/) as string] });

      await disk.free();
      const after = (await server.settled(libraryId)) as unknown as Status;
      expect(after.runs[0]).toMatchObject({ outcome: "published", failure: null });
      const answer = await ask(server, "whirl");
      expect(JSON.stringify(answer.body)).toContain("whirl(7)");
      if (refused.status === 503) expect((await add(other.url, "/acme/other")).status).toBe(200);
      expect(((await server.settled("/acme/other")) as unknown as Status).runs[0]).toMatchObject({
        outcome: "published",
      });
      const log = server.stderr();
      expect(log).toContain("No space is left on the server's disk");
      expect(log).not.toContain('"msg":"run failed"');
    } finally {
      await server.kill("SIGTERM");
      await git.close();
    }
  });
});
