import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, inject, it } from "vitest";
import { browserFor, isRunning, processesBelow, render, siteWith } from "./support/browser.ts";

const ours = (parent = process.pid) => {
  const all = processesBelow(parent);
  return {
    all: all.map(({ pid }) => pid),
    child: all.find(({ command }) => command.includes("browser/child.ts"))?.pid ?? 0,
    chromium: all.find(({ command }) => /\/chrom\S* /.test(command) && !command.includes("--type="))?.pid ?? 0,
  };
};
const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("lectern-browser-"));
const nested = (depth: number): string =>
  `<body><script>let at = document.body; for (let i = 0; i < ${depth}; i++) at = at.appendChild(document.createElement("i")); at.append("deep")</script>`;
const never = () => undefined;

describe.skipIf(inject("chromium") === null)("a browser process", () => {
  it("starts with the first page, and ends with the pages after a while, with its folder", async () => {
    const site = await siteWith({ "/": "Text" });
    const before = folders();
    const browser = browserFor([site.host], { limits: { idleTimeout: 300 } });
    expect(ours().all).toEqual([]);
    await render(browser, `${site.origin}/`);
    expect(ours().chromium).toBeGreaterThan(0);
    await expect.poll(() => ours().all).toEqual([]);
    await expect.poll(() => folders().filter((name) => !before.includes(name))).toEqual([]);
  });

  it("has no secret in its environment or on its command line", async () => {
    process.env["LECTERN_TEST_SECRET"] = "5ecret";
    const site = await siteWith({ "/": "Text" });
    const browser = browserFor([site.host]);
    await render(browser, `${site.origin}/`, { authorization: "Bearer 5ecret" });
    const { child, chromium } = ours();
    for (const pid of [child, chromium]) {
      for (const file of ["environ", "cmdline"]) {
        const text = readFileSync(`/proc/${pid}/${file}`, "latin1");
        expect(text.length).toBeGreaterThan(50);
        expect(text).not.toContain("5ecret");
      }
    }
    delete process.env["LECTERN_TEST_SECRET"];
  });

  it.each(["child", "chromium"] as const)(
    "whose %s is killed in the middle is replaced, for the page too",
    async (which) => {
      const first = Promise.withResolvers<void>();
      let asked = 0;
      const site = await siteWith({
        "/": (response) => {
          asked += 1;
          first.resolve();
          if (asked > 1) response.writeHead(200, { "content-type": "text/html" }).end("Whole");
        },
        "/next": "Next",
      });
      const browser = browserFor([site.host]);
      const rendering = render(browser, `${site.origin}/`);
      await first.promise;
      const { all, [which]: victim } = ours();
      process.kill(victim, "SIGKILL");
      expect((await rendering).html).toContain("Whole");
      expect(all.filter(isRunning)).toEqual([]);
      expect((await render(browser, `${site.origin}/next`)).html).toContain("Next");
    },
  );

  it("is killed with a page that hangs, never ends, takes all memory or too much traffic", async () => {
    const site = await siteWith({
      "/loop": "Text<script>for (;;);</script>",
      "/later": "Text<script>setTimeout(() => { for (;;); }, 50)</script>",
      "/half": (response) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.write("<p>Half");
      },
      "/silent": never,
      "/memory": "Text<script>const all = []; for (;;) all.push(new Uint8Array(3e7).fill(1))</script>",
      "/heap":
        "Text<script>const all = []; for (;;) all.push(new Array(1e5).fill(all.length).map((x) => ({ x })))</script>",
      // Its text goes on changing, so that it is not done before it is too much.
      "/traffic":
        "Text<script>(async () => { for (;;) document.body.append((await (await fetch('/data')).text()).length) })()</script>",
      "/data": "x".repeat(1_000_000),
      "/next": "Next",
    });
    const browser = browserFor([site.host], {
      limits: { pageTimeout: 20_000, memory: 900_000_000, traffic: 5_000_000 },
    });
    const codes: Record<string, string> = {};
    for (const name of ["loop", "later", "half", "silent", "memory", "heap", "traffic"]) {
      codes[name] = await render(browser, `${site.origin}/${name}`).then(
        () => "none",
        ({ code }) => code as string,
      );
      expect((await render(browser, `${site.origin}/next`)).html, name).toContain("Next");
    }
    expect(codes).toEqual({
      loop: "page_too_costly",
      later: "page_too_costly",
      half: "source_unreachable",
      silent: "source_unreachable",
      memory: "page_too_costly",
      heap: "page_too_costly",
      traffic: "page_too_costly",
    });
    // Two of these take all of their time.
  }, 300_000);

  it("reads a huge DOM, and one that is nested deeply", async () => {
    const site = await siteWith({
      "/huge":
        "<body><script>for (let i = 0; i < 100_000; i++) document.body.append(document.createElement('p'), 'x')</script>",
      ...Object.fromEntries([1_000, 50_000].map((depth) => [`/${depth}`, nested(depth)])),
    });
    const browser = browserFor([site.host]);
    expect((await render(browser, `${site.origin}/huge`)).html).toContain("<p></p>x".repeat(100_000));
    expect((await render(browser, `${site.origin}/1000`)).html).toContain(`${"<i>".repeat(1_000)}deep</i>`);
    // What Chromium's own layout cannot hold ends the page's process.
    await expect(render(browser, `${site.origin}/50000`)).rejects.toMatchObject({ code: "page_too_costly" });
    expect((await render(browser, `${site.origin}/1000`)).html).toContain("deep");
  });

  it("ends at once where a page is aborted, and with the browser", async () => {
    const asked = Promise.withResolvers<void>();
    const site = await siteWith({ "/": () => asked.resolve(), "/next": "Next" });
    const browser = browserFor([site.host], { limits: { atOnce: 1 } });
    const aborted = new AbortController();
    const order = { signal: aborted.signal, maxBytes: 1_000_000 };
    const both = [1, 2].map(() => browser.render(new URL(`${site.origin}/`), order));
    await asked.promise;
    const { all } = ours();
    expect(all.length).toBeGreaterThan(2);
    aborted.abort(new Error("given up"));
    const reason = new Error("given up") as unknown;
    expect(await Promise.allSettled(both)).toEqual([1, 2].map(() => ({ status: "rejected", reason })));
    await expect.poll(() => all.filter(isRunning), { timeout: 2000 }).toEqual([]);
    const closed = Promise.allSettled([render(browser, `${site.origin}/`)]);
    await expect.poll(() => ours().chromium).toBeGreaterThan(0);
    await browser.close();
    expect(await closed).toMatchObject([{ status: "rejected", reason: { code: "service_unavailable" } }]);
    await expect.poll(() => ours().all, { timeout: 2000 }).toEqual([]);
    await expect(render(browser, `${site.origin}/next`)).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("is gone when its parent was killed, also from the middle of a page that hangs", async () => {
    const asked = Promise.withResolvers<void>();
    const before = folders();
    const site = await siteWith({
      "/": "<img src=/x>Text<script>fetch('/asked').then(() => { for (;;); })</script>",
      "/asked": (response) => void response.end("", () => asked.resolve()),
    });
    const program = join(import.meta.dirname, "support/browser-parent.ts");
    const parent = spawn(process.execPath, [program, inject("chromium") ?? "", `${site.origin}/`], {
      stdio: "inherit",
    });
    await asked.promise;
    await sleep(500);
    const { all, chromium } = ours(parent.pid);
    expect(chromium).toBeGreaterThan(0);
    parent.kill("SIGKILL");
    await expect.poll(() => all.filter(isRunning)).toEqual([]);
    await expect.poll(() => folders().filter((name) => !before.includes(name))).toEqual([]);
  });

  it("is replaced after a number of pages, and does not grow", async () => {
    const site = await siteWith({ "/": "<p>Text</p><script>document.body.append('made')</script>" });
    const browser = browserFor([site.host], { limits: { pages: 5, atOnce: 2 } });
    const seen = new Set<number>();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        expect((await render(browser, `${site.origin}/`)).html).toContain("made");
        seen.add(ours().chromium);
      }),
    );
    expect(seen.size).toBeGreaterThanOrEqual(3);
    expect(ours().all.length).toBeLessThan(30);
  });

  it("says that there is none where Chromium does not start", async () => {
    const site = await siteWith({ "/": "Text" });
    const browser = browserFor([site.host], { chromium: "/bin/false" });
    await expect(render(browser, `${site.origin}/`)).rejects.toMatchObject({
      code: "browser_needed",
      message: expect.stringMatching(/^Chromium does not start: .*harden/s) as string,
    });
  });
});
