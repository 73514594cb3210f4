import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { uidOf } from "../support/uid-of.ts";
import {
  complaintsOf,
  describeDashboard,
  expectAccessible,
  expectNarrow,
  narrow,
  picture,
  weightOf,
} from "./harness.ts";

const roots = await realpath(await mkdtemp(join(tmpdir(), "lectern-metrics-")));
const data = join(roots, "data");

describeDashboard(
  "metrics",
  (dashboard) => {
    afterAll(() => rm(roots, { recursive: true, force: true }));

    it("are plots and tables of a library's usage", async () => {
      const id = "/docs/used";
      const { server } = dashboard();
      const path = join(roots, "used");
      await mkdir(path);
      await writeFile(join(path, "README.md"), "# Used\n\nHow a widget is used, in a sentence.\n");
      expect((await server.call("POST", "/v2/add/folder", { path, libraryName: id, title: "Used" })).status).toBe(200);
      await server.settled(id);
      const catalog = await openSqliteCatalog({ file: join(data, "catalog.sqlite") });
      const uid = await uidOf(catalog, id);
      const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
      const days = Array.from({ length: 20 }, (_, ago) => ago).filter((ago) => ago % 6 !== 4);
      const surfaces = ["mcp", "txt", "page", "cli"] as const;
      await catalog.metrics.add({
        id: "1",
        at: Date.now(),
        answers: days.flatMap((ago) =>
          surfaces.map((surface, at) => ({
            libraryUid: uid,
            day: day(ago),
            surface,
            count: 1200 - at * 280 + ((ago * 37) % 300),
          })),
        ),
        users: days.flatMap((ago) =>
          ["cursor", "claude-code"].flatMap((client, at) =>
            Array.from({ length: 3 + at + (ago % 4) }, (_, user) => ({
              libraryUid: uid,
              day: day(ago),
              client,
              user: `key:${at}-${user}`,
            })),
          ),
        ),
        topics: ["Setup", "Routing", "<img src=x onerror=alert(1)>"].map((topic, at) => ({
          libraryUid: uid,
          topic,
          count: 90 - at * 30,
        })),
        countries: [],
      });
      await catalog.close();
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto(`${id}?tab=metrics`);
      await expect.poll(() => page.locator(".plot canvas").count()).toBe(2);
      // Something was drawn.
      expect(
        await page.evaluate(`(() => {
          const canvas = document.querySelector(".plot canvas");
          const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return new Set(new Uint32Array(bytes.buffer)).size;
        })()`),
      ).toBeGreaterThan(20);
      await page.getByText("Figures").first().click();
      const shown = page.locator(".plot").first().locator(".table tbody tr");
      expect(await shown.count()).toBe(days.length);
      await expectAccessible(page);
      await picture(page, "metrics");
      await page.getByRole("link", { name: "7 days" }).click();
      await expect.poll(() => page.locator(".plot canvas").count()).toBe(2);
      expect(await shown.count()).toBe(days.filter((ago) => ago < 7).length);
      expect(await weightOf(page, `${id}?tab=metrics`)).toBeLessThan(100_000);
      expect(complaints).toEqual([]);

      const { page: dark } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
      await dark.goto(`${id}?tab=metrics`);
      await expect.poll(() => dark.locator(".plot canvas").count()).toBe(2);
      await expectNarrow(dark);
      await expectAccessible(dark);
      await picture(dark, "metrics-narrow-dark");

      const { page: plain } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      await plain.goto(`${id}?tab=metrics`);
      await plain.getByText("Figures").first().click();
      await plain.getByRole("table", { name: "Answers by day" }).locator("tbody tr").first().waitFor();
    });
  },
  { FOLDER_ROOTS: roots, DATA_DIR: data },
);
