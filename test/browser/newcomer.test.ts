import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { connectOverHttp, textOf } from "../support/agent.ts";
import { describeDashboard, expectAccessible, picture } from "./harness.ts";

const folder = await realpath(await mkdtemp(join(tmpdir(), "lectern-newcomer-")));
const guide =
  "# Kites\n\nHow kites are built.\n\n## Fold a kite\n\nFold the paper twice:\n\n```js\nkite.fold({ times: 2 });\n```\n";

// What people do who have not read the documentation, by roles and names only: no selectors, no addresses but the first.
describeDashboard(
  "a newcomer",
  (dashboard) => {
    afterAll(() => rm(folder, { recursive: true }));
    /** Follows a link of the main navigation. */
    const go = (page: Page, name: string) =>
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
    const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
    const start = async () => {
      const { page } = await dashboard().openSignedIn();
      await page.goto("/");
      return page;
    };

    it("adds a library from a folder, and uploads a file", async () => {
      await mkdir(join(folder, "kites"), { recursive: true });
      await writeFile(join(folder, "kites", "README.md"), guide);
      const page = await start();
      await page.getByRole("heading", { name: "Three things to do" }).waitFor();
      await expectAccessible(page);
      await picture(page, "first-start");
      await page.getByRole("textbox", { name: "Address, package or folder" }).fill(join(folder, "kites"));
      await press(page, "Add");
      await page.getByRole("heading", { name: "Detected as: folder" }).waitFor();
      await press(page, "Add");
      await page.getByRole("heading", { name: "kites" }).waitFor();
      await page.getByText("Ready", { exact: true }).waitFor();

      await go(page, "Add");
      const file = {
        name: "boats.md",
        mimeType: "text/markdown",
        buffer: Buffer.from(guide.replaceAll(/kite/gi, "boat")),
      };
      await page.getByLabel("Document, archive or API description").setInputFiles(file);
      await press(page, "Upload");
      await page.getByRole("heading", { name: "boats" }).waitFor();
      await page.getByText("Ready", { exact: true }).waitFor();
      expect(await page.getByRole("link", { name: "Use it in your agent" }).isVisible()).toBe(true);
    });

    it("asks, and opens the source of the answer", async () => {
      const page = await start();
      await page.getByRole("textbox", { name: "Ask all libraries" }).fill("How do I fold a kite?");
      await press(page, "Ask");
      await page.getByText("kite.fold({ times: 2 });").first().waitFor();
      await page.getByRole("link", { name: "Read on its page" }).first().click();
      await page.getByRole("heading", { name: "Kites", exact: true }).waitFor();
      expect(await page.getByText("Fold the paper twice:").isVisible()).toBe(true);
    });

    it("makes a key, connects an agent with it, and sees that it is connected", async () => {
      const page = await start();
      await page.getByRole("link", { name: "Connect an agent" }).click();
      await page.getByRole("radio", { name: "Cursor" }).check();
      await press(page, "Make a key");
      await page.getByText("The key Cursor was made.").waitFor();
      expect(await page.getByRole("radio", { name: "Cursor" }).isChecked()).toBe(true);
      await page.getByRole("status").filter({ hasText: "Waiting for the first question…" }).waitFor();
      await expectAccessible(page);
      await picture(page, "connect");
      const text =
        (await page.getByRole("group", { name: "Configuration" }).filter({ visible: true }).textContent()) ?? "";
      const { mcpServers } = JSON.parse(text) as Configuration;
      const { url, headers } = mcpServers.lectern;
      // The text of each other agent is there after its choice, with the same key.
      await page.getByRole("radio", { name: "Codex" }).check();
      const toml =
        (await page.getByRole("group", { name: "Configuration" }).filter({ visible: true }).textContent()) ?? "";
      expect(toml).toContain(`[mcp_servers.lectern]\nurl = "${url}"`);
      expect(toml).toContain(headers.Authorization);

      const agent = await connectOverHttp(url, "2025-06-18", headers);
      await page
        .getByRole("status")
        .filter({ hasText: /Connected: test-agent/ })
        .waitFor();
      const answer = await agent.callTool({
        name: "query-docs",
        arguments: { libraryId: "/docs/kites", query: "fold a kite" },
      });
      expect(textOf(answer)).toContain("kite.fold({ times: 2 });");
      expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain("add-library");
      await go(page, "Libraries");
      await page.getByRole("heading", { name: "Libraries" }).waitFor();
      expect(await page.getByText("No agent has asked yet.").count()).toBe(0);
    });

    it("copies the ID of a library, and what to say to an agent", async () => {
      const { page, context } = await dashboard().openSignedIn();
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto("/");
      await page.getByRole("link", { name: "kites", exact: true }).click();
      await press(page, "Copy the ID");
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("/docs/kites");
      await page.getByRole("link", { name: "Use it in your agent" }).click();
      await page
        .getByRole("group", { name: "Question for the agent" })
        .filter({ hasText: "library /docs/kites" })
        .waitFor();
    });

    it("retries a library that could not be read, and deletes another", async () => {
      const { server } = dashboard();
      const path = join(folder, "later");
      await mkdir(path);
      for (const name of ["later", "never"]) {
        await server.call("POST", "/v2/add/folder", { path, libraryName: `/docs/${name}`, title: name });
        await server.settled(`/docs/${name}`);
      }
      const page = await start();
      await page.getByRole("heading", { name: /^Never indexed/ }).waitFor();
      await page.getByRole("link", { name: "later", exact: true }).click();
      await page.getByRole("alert").filter({ hasText: "It could not be read." }).waitFor();
      await expectAccessible(page);
      await picture(page, "failed");
      await writeFile(join(path, "README.md"), guide);
      await press(page, "Retry");
      await page.getByText("Ready", { exact: true }).waitFor();

      await go(page, "Libraries");
      await page.getByRole("link", { name: "never", exact: true }).click();
      await page.getByRole("link", { name: "Delete", exact: true }).click();
      await page.getByRole("textbox", { name: "Type /docs/never to delete it" }).fill("/docs/never");
      await press(page, "Delete the library");
      await page.getByRole("status").filter({ hasText: "was deleted" }).waitFor();
      expect(await page.getByRole("link", { name: "never", exact: true }).count()).toBe(0);
    });
  },
  { FOLDER_ROOTS: folder },
);

interface Configuration {
  readonly mcpServers: {
    readonly lectern: { readonly url: string; readonly headers: { readonly Authorization: string } };
  };
}
