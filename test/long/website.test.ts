import { expect, it, onTestFinished } from "vitest";
import { describeWebsite } from "../contracts/website.ts";
import { page } from "../sources/website-setup.ts";
import { endurance } from "../support/endurance.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startSite } from "../support/site.ts";
import { startServers } from "../e2e/setup.ts";

const { server } = await startServers();

describeWebsite("the engine of one process", async () => server);

// A further attempt that goes on from the checkpoint of another is in test/sources/website-refresh.test.ts.
it.runIf(endurance)("is crawled on from where the process was killed", async () => {
  const links = Array.from({ length: 260 }, (_, number) => `/p${"x".repeat(number + 1)}`);
  const site = await startSite({
    "/": page("Start", links),
    ...Object.fromEntries(links.map((path) => [path, page(`Page ${path}`)])),
  });
  const folder = await temporaryFolder();
  onTestFinished(async () => {
    await site.close();
    await folder[Symbol.asyncDispose]();
  });
  const env = { FETCH_ALLOW: "127.0.0.1", HOST_INTERVAL: "5" };
  const killed = await startLectern(folder.path, env);
  const libraryName = "/websites/interrupted";
  await killed.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
  const asked = (): number => site.requests.filter(({ path }) => path.startsWith("/p") && !path.endsWith(".md")).length;
  await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(220);
  await killed.kill("SIGKILL");
  const before = asked();
  const again = await startLectern(folder.path, env);
  onTestFinished(() => again.kill("SIGTERM").then(() => undefined));
  expect(await again.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 261 } } });
  // What was read since the last checkpoint is asked for again.
  expect(asked() - before).toBeLessThan(260 - before + 130);
});
