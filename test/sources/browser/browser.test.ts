import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createBrowser, type BrowserOptions } from "../../../sources/lib/browser/browser.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { folderOfTest } from "../../support/of-test.ts";

const page = new URL("https://docs.example.com/");
const options = () => ({ signal: new AbortController().signal, maxBytes: 1e6 });

/** A browser whose Chromium is a shell script, with its own temporary folder. */
async function setup(more: Partial<BrowserOptions> = {}, program = "exec sleep 60") {
  const folder = await folderOfTest();
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const chromium = join(folder, "chromium");
  await writeFile(chromium, `#!/bin/sh\n${program}\n`);
  await chmod(chromium, 0o755);
  const guard = createGuard({ allow: [] });
  const proxies = { http: undefined, https: undefined, except: "" };
  const browser = createBrowser({
    chromium,
    guard,
    proxies,
    authorities: "",
    userAgent: "Test",
    onUnsandboxed: () => {},
    ...more,
  });
  onTestFinished(() => browser.close());
  return { browser, folder, temporary };
}

it("leaves nothing running once it is closed, even if a browser was being started", async () => {
  const { browser, temporary } = await setup();
  const rendered = browser.render(page, options()).catch((error: unknown) => error);
  /** The temporary folders of this process. */
  const folders = async (): Promise<readonly string[]> =>
    (await readdir(temporary, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && entry.parentPath !== temporary)
      .map(({ name }) => name);
  await expect.poll(folders).not.toEqual([]);
  await browser.close();
  expect(await folders()).toEqual([]);
  expect(await rendered).toMatchObject({ code: "service_unavailable" });
});

it("leaves no server open if the browser's folder cannot be made", async () => {
  const { browser, temporary } = await setup();
  await rm(temporary, { recursive: true });
  const servers = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
  const before = servers();
  for (let number = 0; number < 3; number += 1)
    await expect(browser.render(page, options())).rejects.toMatchObject({ code: "ENOENT" });
  expect(servers()).toBe(before);
});

it("reads the authorities again after that failed", async () => {
  const authorities = join(await folderOfTest(), "authorities");
  await mkdir(authorities);
  const { browser } = await setup({ authorities }, "exit 1");
  await expect(browser.render(page, options())).rejects.toMatchObject({ code: "EISDIR" });
  await rm(authorities, { recursive: true });
  await expect(browser.render(page, options())).rejects.toMatchObject({ code: "browser_needed" });
});
