import { expect, it, onTestFinished } from "vitest";
import { describeWebsite } from "../contracts/website.ts";
import { page } from "../sources/website-setup.ts";
import { endurance } from "../support/endurance.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startSite } from "../support/site.ts";
import { startServers } from "../e2e/setup.ts";

const { server } = await startServers();

describeWebsite("the engine of one process", async () => server);

// test/sources/website-refresh.test.ts has a retry that continues from a checkpoint.
it.runIf(endurance)("is crawled on after the process was killed", async () => {
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
  const countRequests = (): number =>
    site.requests.filter(({ path }) => path.startsWith("/p") && !path.endsWith(".md")).length;
  await expect.poll(countRequests, { timeout: 60_000 }).toBeGreaterThan(220);
  await killed.kill("SIGKILL");
  const before = countRequests();
  const again = await startLectern(folder.path, env);
  onTestFinished(() => again.kill("SIGTERM").then(() => undefined));
  expect(await again.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 261 } } });
  // Pages since the last checkpoint are requested again.
  expect(countRequests() - before).toBeLessThan(260 - before + 130);
});
