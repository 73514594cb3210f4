import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { describeNotion } from "../contracts/notion.ts";
import { textOf } from "../support/notion-pages.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startNotion } from "../support/notion-server.ts";
import { startServers } from "../e2e/setup.ts";

const notion = await startNotion();
afterAll(() => notion.close());
const { server } = await startServers(() => ({ NOTION_API_URL: notion.url, HOST_INTERVAL: "0" }));

describeNotion("the engine of one process", async () => ({ server, notion }));

it("are read on after the process was killed, and no file or log has the token", async () => {
  const workspace = await startNotion();
  const folder = await temporaryFolder();
  onTestFinished(async () => {
    await workspace.close();
    await folder[Symbol.asyncDispose]();
  });
  const [notionToken = ""] = workspace.tokens;
  const root = workspace.addPage({ title: "Root", blocks: textOf("Root") });
  for (let page = 0; page < 260; page += 1)
    workspace.addPage({ title: `Page${page}`, parent: { page: root }, blocks: textOf(`Page${page}`) });
  const env = { FETCH_ALLOW: "127.0.0.1", HOST_INTERVAL: "5", NOTION_API_URL: workspace.url, LOG_LEVEL: "trace" };
  const killed = await startLectern(folder.path, env);
  await killed.call("POST", "/v2/add/notion", { pageIds: [root], title: "Killed", notionToken });
  const countRequests = (): number => workspace.requests.filter(({ path }) => path.endsWith("/children")).length;
  await expect.poll(countRequests, { timeout: 60_000 }).toBeGreaterThan(220);
  await killed.kill("SIGKILL");
  const before = countRequests();
  const again = await startLectern(folder.path, env);
  try {
    expect(await again.settled("/notion/killed")).toMatchObject({ live: { counts: { pages: 261 } } });
    // Pages of the checkpoint are not requested again.
    expect(countRequests() - before).toBeLessThan(220);
    expect(killed.stdout() + killed.stderr() + again.stdout() + again.stderr()).not.toContain(notionToken);
    for (const entry of await readdir(folder.path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      expect(bytes.includes(notionToken), entry.name).toBe(false);
    }
  } finally {
    await again.kill("SIGTERM");
  }
});
