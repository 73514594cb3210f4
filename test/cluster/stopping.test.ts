import { expect, it, onTestFinished } from "vitest";
import { hasPostgres, startPostgres } from "../../tools/dev/postgres.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";
import { startPassage } from "./support/passage.ts";

it.skipIf(!hasPostgres())("a stop ends within its deadline while PostgreSQL hangs in the middle of a run", async () => {
  const [folder, data] = [await folderOfTest(), await folderOfTest()];
  const postgres = await startPostgres({ folder, password: "lectern", durable: false });
  const git = await startGitServer();
  onTestFinished(async () => {
    await git.close();
    await postgres.stop();
  });
  const url = new URL(postgres.url);
  const passage = await startPassage(Number(url.port));
  url.port = String(passage.port);
  const held = git.hold("acme/held");
  const env = { DATABASE_URL: url.href, FETCH_ALLOW: git.host };
  const server = await startLectern(data, env, undefined, { detached: true });
  expect((await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: `${git.url}/acme/held` })).status).toBe(200);
  await held.reached;
  passage.freeze();
  // Answers and counts wait for the database as well.
  const answer = server.call("GET", "/v2/context?libraryId=/acme/held&query=a").catch(() => undefined);
  const since = performance.now();
  await server.kill("SIGTERM", true);
  expect(performance.now() - since).toBeLessThan(10_000);
  await answer;
});
