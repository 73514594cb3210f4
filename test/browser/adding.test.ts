import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { startSite } from "../support/site.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { complaintsOf, describeDashboard, expectAccessible, narrow, picture, weightOf } from "./harness.ts";

const folder = await mkdtemp(join(tmpdir(), "lectern-adding-"));
const registry = await startNpmRegistry();
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});
const guide = "# Kit\n\nHow to use the kit.\n\n```js\nimport { kit } from 'kit';\nkit({ depth: 2 });\n```\n";
registry.publish("kit", { "1.0.0": { files: { "README.md": guide } } });

const description = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  paths: { "/orders": { get: { summary: "List orders", responses: { 200: { description: "The orders." } } } } },
};
const lock = {
  lockfileVersion: 3,
  packages: {
    "": { dependencies: { kit: "^1.0.0" }, devDependencies: { tester: "*" } },
    "node_modules/kit": { version: "1.0.0" },
    "node_modules/tester": { version: "3.1.0", dev: true },
  },
};
const file = (name: string, content: object | string) => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
});

describeDashboard(
  "adding",
  (dashboard) => {
    it("detects the kind of an address, previews it, and leads to the library", async () => {
      await writeFile(join(folder, "guide.md"), guide);
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto("/");
      await page.getByRole("link", { name: "Add", exact: true }).click();
      await page.getByLabel("Address, package or folder").waitFor();
      await expectAccessible(page);
      await picture(page, "add");
      await page.getByLabel("Address, package or folder").fill(folder);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Detected as: folder" }).waitFor();
      await page.getByText("More options").click();
      await page.getByLabel("Library name").fill("/docs/kit");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("heading", { name: /^Preview/ }).waitFor();
      // The result is in sight, and has the focus.
      await expect
        .poll(() =>
          page.getByRole("heading", { name: /^Preview/ }).evaluate((one) => one === one.ownerDocument.activeElement),
        )
        .toBe(true);
      expect(await page.getByLabel("Passages", { exact: true }).textContent()).toContain("kit({ depth: 2 });");
      expect(await page.getByLabel("Library name").inputValue()).toBe("/docs/kit");
      await expectAccessible(page);
      await picture(page, "add-preview");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe("/docs/kit");
      expect(await dashboard().server.settled("/docs/kit")).toMatchObject({ state: "finalized" });
      // The page reloads itself at the end of the run, which would end another navigation.
      await page.getByText("Ready", { exact: true }).waitFor();
      await page.goto(`/-/add?address=${encodeURIComponent(folder)}`);
      await page.getByText("More options").click();
      await page.getByLabel("Library name").fill("/docs/kit");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("link", { name: "Open /docs/kit" }).waitFor();
      expect(await page.getByLabel("Library name").inputValue()).toBe("/docs/kit");
      expect(await weightOf(page, "/-/add?address=https%3A%2F%2Fdocs.invalid%2Fguide")).toBeLessThan(100_000);
      expect(complaints).toEqual([]);
    });

    it("shows at once that a preview is made, and what was found so far", async () => {
      const { promise: checked, resolve: release } = Promise.withResolvers<void>();
      const html = (body: string) => ({ headers: { "content-type": "text/html" }, body });
      const site = await startSite({
        "/docs/": html(
          '<title>Guide</title><main><h1>Guide</h1><p>All about widgets.</p><a href="/docs/more">Next</a></main>',
        ),
        "/docs/more": (response: ServerResponse) =>
          void checked.then(() =>
            response
              .writeHead(200, { "content-type": "text/html" })
              .end("<main><h1>More</h1><p>Of widgets.</p></main>"),
          ),
      });
      onTestFinished(() => site.close());
      const { page } = await dashboard().openSignedIn();
      await page.goto(`/-/add?address=${encodeURIComponent(`${site.origin}/docs/`)}`);
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("heading", { name: "Reading…" }).waitFor();
      await page.getByText(/pages? found, 1 looked at/).waitFor();
      await expectAccessible(page);
      await picture(page, "add-reading");
      release();
      await page.getByRole("heading", { name: "Preview: Guide" }).waitFor();
      expect(await page.getByRole("heading", { name: "Reading…" }).count()).toBe(0);
    });

    it("says which setting permits a folder", async () => {
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/add?address=/root/secret");
      for (const name of ["Preview", "Add"]) {
        await page.getByRole("button", { name, exact: true }).click();
        const refusal = page.getByRole("alert").filter({ hasText: "Set FOLDER_ROOTS to it" });
        await expect.poll(() => refusal.count()).toBe(1);
      }
    });

    it("offers other kinds for an address, and never sends a secret back", async () => {
      const { page } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark", javaScriptEnabled: false });
      await page.goto("/-/add?address=https%3A%2F%2Fdocs.invalid%2Fguide");
      await page.getByRole("heading", { name: "Detected as: website" }).waitFor();
      await picture(page, "add-website-narrow-dark");
      await page.getByLabel("Max pages").fill("7");
      await page.getByText("Credentials", { exact: true }).click();
      await page.getByLabel("Headers", { exact: true }).fill("Authorization: Bearer very-secret");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Max pages").inputValue()).toBe("7");
      expect(await page.content()).not.toContain("very-secret");
      await page.getByRole("link", { name: "Git repository" }).click();
      await page.getByRole("heading", { name: "Detected as: Git repository" }).waitFor();
      await page.goto("/-/add?address=nothing");
      await page.getByText('Lectern cannot read "nothing".').waitFor();
    });

    it("uploads documents and API descriptions", async () => {
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/add");
      await page.getByLabel("Document, archive or API description").setInputFiles(file("orders.json", description));
      await page.getByLabel("Title").fill("Orders");
      await page.getByRole("button", { name: "Upload" }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe("/docs/orders");
      expect(await dashboard().server.settled("/docs/orders")).toMatchObject({ state: "finalized" });
      await page.goto("/-/add");
      const guide = "# Handbook\n\nThe handbook says how widgets are made.\n";
      await page.getByLabel("Document, archive or API description").setInputFiles(file("handbook.md", guide));
      await page.getByRole("button", { name: "Upload" }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe("/docs/handbook");
      await page.goto("/-/add");
      await page.getByLabel("Document, archive or API description").setInputFiles(file("orders.exe", description));
      await page.getByRole("button", { name: "Upload" }).click();
      await page.getByText("cannot be read. Choose a file named").waitFor();
    });

    it("shows which packages of a lockfile are indexed, and adds the others", async () => {
      const { page } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      const show = async () => {
        await page.goto("/-/add");
        await page.getByLabel("Lockfile").setInputFiles(file("package-lock.json", lock));
        await page.getByRole("button", { name: "Show packages" }).click();
        await page.getByRole("table").waitFor();
      };
      await show();
      expect(await page.getByLabel("Add kit 1.0.0").isChecked()).toBe(true);
      expect(await page.getByLabel("Add tester 3.1.0").isChecked()).toBe(false);
      await picture(page, "add-lockfile");
      await page.getByRole("button", { name: "Add selected" }).click();
      await page.getByText("1 of 1 package submitted.").waitFor();
      expect(await dashboard().server.settled("/npm/kit")).toMatchObject({ state: "finalized" });
      await show();
      expect(await page.getByLabel("Add kit 1.0.0").count()).toBe(0);
      await page.getByText("indexed", { exact: true }).waitFor();
    });
  },
  {
    FOLDER_ROOTS: folder,
    FETCH_ALLOW: "127.0.0.1",
    NPM_CONFIG_REGISTRY: registry.url,
    NPM_CONFIG_USERCONFIG: "/dev/null",
  },
);
