import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import {
  complaintsOf,
  describeDashboard,
  expectAccessible,
  expectNarrow,
  narrow,
  picture,
  weightOf,
} from "./harness.ts";

const folder = await mkdtemp(join(tmpdir(), "lectern-reader-"));
afterAll(() => rm(folder, { recursive: true }));

const guide = `# Guide

Widgets reach the network through a proxy, see [its options](reference/proxy.md#options).

## Configure a proxy

\`\`\`ts
// Before the first request.
const options = { url: "http://proxy.example.com:3128", timeout: 30 };
\`\`\`

| Option | Default | Meaning that takes some more words than the others |
| --- | --- | --- |
| \`url\` | none | Address of the proxy, with its port |
`;
const proxy = `# Proxy

A proxy stands between widgets and the network.

## Options

- \`url\`: its address
- \`timeout\`: in seconds
`;
const hostile = `# Hostile <img src=x onerror="document.title='owned'">

Text with <script>document.title = "owned"</script> and [a link](javascript:document.title='owned').

\`\`\`html
</code></pre><script>document.title = "owned"</script>
\`\`\`
`;

/** A page of some 200 kB, as generators of references write them. */
function longPage(): string {
  const parts = ["# Reference\n\nAll widgets on one page.\n"];
  for (let at = 1; parts.reduce((sum, { length }) => sum + length, 0) < 200_000; at++)
    parts.push(`
## Widget ${at}

Widget ${at} reaches the network through a **proxy** with \`proxy.url${at}\`, and turns gear *${at}* of ${at * 7}, see
[the guide](guide.md). It gives no warning about the others, which each turn gears of their own.

| Name | Type | Default |
| --- | --- | --- |
| \`url${at}\` | string | "http://p${at}.example.com" |
| \`timeout${at}\` | number | ${at} |

\`\`\`ts
import { configure${at} } from "widgets";

export async function start${at}(retries = ${at}): Promise<void> {
  await configure${at}({ proxy: { url: "http://proxy${at}.example.com:3128", timeout: ${at} } });
}
\`\`\`

- First point of ${at}
- Second point of ${at}, with \`code\`
`);
  return parts.join("");
}

/** Number of coloured ranges of code by their kind. */
const coloured = (page: Page) =>
  page.evaluate("Object.fromEntries([...CSS.highlights].map(([kind, { size }]) => [kind, size]))");

describeDashboard(
  "the reader",
  (dashboard) => {
    async function addLibrary(name: string, pages: Readonly<Record<string, string>>): Promise<string> {
      const { server } = dashboard();
      const path = join(folder, name);
      for (const [file, text] of Object.entries(pages)) {
        await mkdir(join(path, file, ".."), { recursive: true });
        await writeFile(join(path, file), text);
      }
      const library = `/docs/${name}`;
      const { status } = await server.call("POST", "/v2/add/folder", { path, libraryName: library });
      expect([200, 409]).toContain(status);
      await server.settled(library);
      return library;
    }
    const addWidgets = () => addLibrary("widgets", { "guide.md": guide, "reference/proxy.md": proxy });

    it("opens from the library, shows pages with coloured code, and follows links between them", async () => {
      await addWidgets();
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto("/docs/widgets");
      await page.getByRole("link", { name: "Documentation" }).click();
      await page.getByRole("heading", { name: "Guide" }).waitFor();
      await expect.poll(() => coloured(page)).toMatchObject({ comment: 1, keyword: 1, number: 1 });
      expect(await page.locator("figure code").first().innerText()).toContain("// Before the first request.\nconst");
      await expectAccessible(page);
      await picture(page, "reader");
      await page.getByRole("link", { name: "its options" }).click();
      await page.getByRole("heading", { name: "Proxy", exact: true }).waitFor();
      expect(await page.locator(":target").innerText()).toBe("Options");
      await page.getByRole("link", { name: "Guide" }).last().click();
      await page.getByRole("heading", { name: "Guide" }).waitFor();
      expect(await weightOf(page, "/-/read?library=/docs/widgets")).toBeLessThan(100_000);
      expect(complaints).toEqual([]);
    });

    it("finds pages while typing, and asks the library", async () => {
      await addWidgets();
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/read?library=/docs/widgets");
      await page.getByLabel("Find a page or heading").pressSequentially("options");
      const pages = page.getByRole("navigation", { name: "Pages" });
      await pages.getByText("1 page", { exact: true }).waitFor();
      await pages.getByRole("link", { name: "Options" }).click();
      expect(await page.locator(":target").innerText()).toBe("Options");
      await page.getByLabel("Question").fill("configure a proxy");
      await page.keyboard.press("Enter");
      await page.locator(".passage", { hasText: "Configure a proxy" }).first().waitFor();
    });

    it("can be read on a phone in dark mode, and by keyboard without script", async () => {
      await addWidgets();
      const { page } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
      await page.goto("/-/read?library=/docs/widgets&page=guide.md");
      await expectAccessible(page);
      await expectNarrow(page);
      await picture(page, "reader-narrow-dark");
      await page.getByText("Pages", { exact: true }).click();
      await page.getByRole("link", { name: "Configure a proxy" }).waitFor();
      await expectNarrow(page);
      await expectAccessible(page);

      const { page: plain } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      await plain.goto("/-/read?library=/docs/widgets&page=guide.md");
      await plain.getByLabel("Find a page or heading").focus();
      await plain.keyboard.type("options");
      await plain.keyboard.press("Enter");
      await plain.getByText("1 page", { exact: true }).waitFor();
      await plain.getByLabel("Find a page or heading").focus();
      await plain.keyboard.press("Tab");
      await plain.keyboard.press("Enter");
      await plain.getByRole("heading", { name: "Proxy", exact: true }).waitFor();
      expect(new URL(plain.url()).searchParams.get("page")).toBe("reference/proxy.md");
    });

    it("shows a hostile page as text", async () => {
      await addLibrary("hostile", { "hostile.md": hostile });
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto("/-/read?library=/docs/hostile");
      await page.getByText("a link", { exact: false }).first().waitFor();
      await expect.poll(() => coloured(page)).not.toEqual({});
      expect(await page.title()).not.toBe("owned");
      expect(await page.locator("main script, main img, main [onerror]").count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await page.locator("figure code").innerText()).toContain('</code></pre><script>document.title = "owned"');
      expect(requested.filter((url) => !url.startsWith(dashboard().server.url))).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it("paints a page of 200 kB soon, with its last section", async () => {
      await addLibrary("long", { "guide.md": guide, "reference.md": longPage() });
      const { page } = await dashboard().openSignedIn();
      const path = "/-/read?library=/docs/long&page=reference.md";
      const times: { painted: number; parsed: number }[] = [];
      for (let at = 0; at < 8; at++) {
        await page.goto(path, { waitUntil: "load" });
        times.push(
          (await page.evaluate(`new Promise((done) => requestAnimationFrame(() => setTimeout(() => done({
            painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
            parsed: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
          }), 50)))`)) as { painted: number; parsed: number },
        );
      }
      const least = (name: "painted" | "parsed") => Math.round(Math.min(...times.map((one) => one[name])));
      process.stdout.write(`200 kB: painted after ${least("painted")} ms, parsed after ${least("parsed")} ms\n`);
      expect(await page.getByRole("heading", { name: /^Widget \d+$/ }).count()).toBeGreaterThan(200);
      // Other programs on the machine take their share of it.
      // The goal is 300 ms; a slow machine took 400.
      const limit = 1200;
      const share = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
      expect(least("painted")).toBeLessThan(limit * share);
      await page
        .getByRole("link", { name: /^Widget \d+$/ })
        .last()
        .click();
      await expect.poll(() => coloured(page)).not.toEqual({});
    });
  },
  { FOLDER_ROOTS: folder },
);
