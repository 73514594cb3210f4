import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { freePort } from "../../tools/dev/program.ts";
import { startSite } from "../support/site.ts";
import {
  complaintsOf,
  describeDashboard,
  expectAccessible,
  expectNarrow,
  narrow,
  picture,
  signIn,
  weightOf,
} from "./harness.ts";

const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text });

describeDashboard(
  "administration",
  (dashboard) => {
    it("creates a key that is shown once, and revokes it, which signs its user out", async () => {
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.getByRole("link", { name: "Administration" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await expectAccessible(page);
      await page.getByText("Create a key").click();
      await picture(page, "admin-key-new");
      await page.getByLabel("Name").fill("laptop of Ann");
      await page.getByLabel("Scope", { exact: true }).selectOption("submit");
      await page.getByLabel("Expires").fill("2031-01-31");
      await page.getByLabel("Only these libraries").fill("/acme/*\n/docs/*");
      await page.getByRole("button", { name: "Create the key" }).click();
      const key = await page.getByLabel("The new key").inputValue();
      expect(key).toMatch(/^lct_/);
      await expectAccessible(page);
      await picture(page, "admin-key-made");
      await page.getByRole("link", { name: "I have copied it" }).click();
      expect(await page.content()).not.toContain(key);
      await expect.poll(() => row(page, "laptop of Ann").textContent()).toMatch(/submit.*\/acme\/\*.*\/docs\/\*/s);

      const { page: other } = await dashboard().open();
      await signIn(other, key);
      expect(await other.getByRole("link", { name: "Administration" }).count()).toBe(0);
      await row(page, "laptop of Ann").getByText("Revoke…").click();
      await row(page, "laptop of Ann").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The key laptop of Ann was revoked.").waitFor();
      await other.goto("/");
      await other.getByText("You were signed out. The API key was revoked.").waitFor();
      expect(await weightOf(page, "/-/admin/keys")).toBeLessThan(100_000);
      await picture(page, "admin-keys");
      expect(complaints).toEqual([]);
    });

    it("keeps the form's values when a key is refused, on a phone in dark mode without script", async () => {
      const { page } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark", javaScriptEnabled: false });
      await page.goto("/-/admin/keys");
      if ((await page.getByLabel("Name").isVisible()) === false) await page.getByText("Create a key").click();
      await page.getByLabel("Name").fill("a name to keep");
      await page.getByLabel("Expires").fill("2001-01-31");
      await page.getByLabel("Only these libraries").fill("/acme/*");
      await page.getByRole("button", { name: "Create the key" }).click();
      await page.getByText("expiresAt is in the past").waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe("a name to keep");
      expect(await page.getByLabel("Only these libraries").inputValue()).toBe("/acme/*");
      await picture(page, "admin-key-refused-narrow-dark");
    });

    it("creates a teamspace, changes its rules, and deletes it", async () => {
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/admin/teamspaces");
      await page.getByText("Create a teamspace").click();
      await page.getByLabel("ID").fill("web");
      await page.getByLabel("Title").fill("Web <b>team</b>");
      await page.getByRole("button", { name: "Create the teamspace" }).click();
      await page.getByText("The teamspace web was created.").waitFor();
      await expectAccessible(page);
      await picture(page, "admin-teamspaces");
      await row(page, "Web <b>team</b>").getByRole("link", { name: "Rules" }).click();
      await page.getByLabel("With every answer").fill("Use TypeScript.\nNo <script>alert(1)</script>.");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("The rules were changed.").waitFor();
      await page.getByRole("textbox", { name: "Library" }).fill("/acme/widgets");
      await page.getByLabel("Rules", { exact: true }).fill("Use version 2.");
      await page.getByRole("button", { name: "Save the rules of the library" }).click();
      await row(page, "/acme/widgets").getByText("Use version 2.").waitFor();
      await expectAccessible(page);
      await picture(page, "admin-rules");
      const { body } = await dashboard().server.call("GET", "/v2/teamspaces/web");
      expect(body).toMatchObject({
        rules: {
          global: ["Use TypeScript.", "No <script>alert(1)</script>."],
          libraries: { "/acme/widgets": ["Use version 2."] },
        },
      });
      await row(page, "/acme/widgets").getByRole("button", { name: "Remove" }).click();
      await page.getByText("No library has its own rules").waitFor();
      await page.goto("/-/admin/teamspaces");
      await row(page, "Web").getByText("Delete…").click();
      await row(page, "Web").getByRole("button", { name: "Delete" }).click();
      await page.getByText("The teamspace web was deleted.").waitFor();
    });

    it("adds a receiver on a phone without script, whose failed test has its reason, and deletes it", async () => {
      const { page } = await dashboard().openSignedIn({ ...narrow, javaScriptEnabled: false });
      await page.goto("/-/admin/receivers");
      await page.getByLabel("Address").fill(`http://127.0.0.1:${await freePort()}/lectern`);
      await page.getByLabel("library.published").uncheck();
      await page.getByRole("button", { name: "Add the receiver" }).click();
      expect(await page.getByLabel("The secret").inputValue()).toMatch(/^whsec_/);
      await picture(page, "admin-receiver-made");
      await page.getByRole("link", { name: "I have copied it" }).click();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByRole("alert").waitFor();
      await picture(page, "admin-receiver-failed");
      await row(page, "127.0.0.1").getByText("Delete…").click();
      await row(page, "127.0.0.1").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No receivers yet").waitFor();
    });

    it("creates a credential, tests it, never shows it, and deletes it", async () => {
      const site = await startSite({});
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/admin/credentials");
      await picture(page, "admin-credentials-empty");
      await page.getByRole("link", { name: "Repository" }).click();
      await page.getByLabel("Name").fill("docs <i>bot</i>");
      await page.getByLabel("Host", { exact: true }).fill(site.origin);
      await page.getByLabel("Token").fill("super-secret-token");
      await picture(page, "admin-credential-new");
      await page.getByRole("button", { name: "Create the credential" }).click();
      await page.getByText("The credential docs <i>bot</i> was created.").waitFor();
      await expectAccessible(page);
      await row(page, "docs").getByRole("textbox").fill(`${site.origin}/acme/widgets`);
      await row(page, "docs").getByRole("button", { name: "Test" }).click();
      await row(page, "docs").getByRole("alert").waitFor();
      expect(site.requests.some(({ path }) => path.startsWith("/acme/widgets"))).toBe(true);
      expect(await page.content()).not.toContain("super-secret-token");
      await expectAccessible(page);
      await picture(page, "admin-credentials");
      await row(page, "docs").getByText("Delete…").click();
      await row(page, "docs").getByRole("button", { name: "Delete" }).click();
      await page.getByText("was deleted.").waitFor();
      for (const kind of ["confluence", "notion", "website"]) {
        await page.goto(`/-/admin/credentials?kind=${kind}`);
        await page.getByRole("button", { name: "Create the credential" }).waitFor();
        await expectAccessible(page);
      }
      await site.close();
    });

    it("changes the policy, and warns an administrator of another one's change", async () => {
      const { page } = await dashboard().openSignedIn();
      const { page: other, context } = await dashboard().openSignedIn();
      for (const tab of [page, other]) await tab.goto("/-/admin/policies");
      await expectAccessible(page);
      await page.getByLabel("Website", { exact: false }).first().waitFor();
      await page.getByLabel("Trust score, at least").fill("7");
      await page.getByLabel("Add to: always excluded").fill("/evil\n/acme/old");
      await page.getByRole("button", { name: "Save the policy" }).click();
      await page.getByText("The policy was changed.").waitFor();
      await picture(page, "admin-policy");
      await other.getByLabel("Trust score, at least").fill("3");
      await other.getByLabel("Filter").selectOption("quality");
      await other.getByRole("button", { name: "Save the policy" }).click();
      await other.getByText("Someone else changed the policy meanwhile.").waitFor();
      expect(await other.getByLabel("Trust score, at least").inputValue()).toBe("3");
      await other.getByText("Saved: 7.").waitFor();
      await expectAccessible(other);
      await picture(other, "admin-policy-conflict");
      await other.getByRole("checkbox", { name: "/acme/old" }).check();
      await other.getByRole("button", { name: "Save the policy" }).click();
      await other.getByText("The policy was changed.").waitFor();
      const { body } = await dashboard().server.call("GET", "/v2/policies");
      expect(body).toMatchObject({
        libraryFilters: { mode: "quality", quality: { minTrustScore: 3, blockedLibraries: ["/evil"] } },
      });
      await other.getByLabel("Trust score, at least").fill("many");
      await other.getByRole("button", { name: "Save the policy" }).click();
      await other.getByText("must be a whole number from 0 to 10").waitFor();
      expect(await other.getByLabel("Trust score, at least").inputValue()).toBe("many");
      await context.close();
    });

    it("shows the audit log, filtered and paged", async () => {
      const { server, openSignedIn } = dashboard();
      for (let at = 0; at < 55; at += 1)
        await server.call("DELETE", `/v2/teamspaces?id=${encodeURIComponent(`none-${at}`)}`);
      const { page } = await openSignedIn();
      await page.goto("/-/admin/audit");
      await expectAccessible(page);
      await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
      await picture(page, "admin-audit");
      await page.getByRole("link", { name: "Older records" }).click();
      await row(page, "none-0").waitFor();
      await page.goto("/-/admin/audit");
      await page.getByLabel("Action", { exact: true }).selectOption("teamspace.delete");
      await page.getByLabel("Target").fill("none-7");
      await page.getByLabel("Outcome").selectOption("refused");
      await page.getByRole("button", { name: "Filter" }).click();
      await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
      expect(await row(page, "none-7").textContent()).toMatch(/Refused/);
      await page.getByLabel("To day").fill("2001-01-01");
      await page.getByRole("button", { name: "Filter" }).click();
      await page.getByText("No records match").waitFor();
      await picture(page, "admin-audit-none");
    });

    it("shows the state of the deployment, also on a phone in dark mode", async () => {
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/admin/system");
      await page.getByText("Catalog and index answer").waitFor();
      await expectAccessible(page);
      await picture(page, "admin-system");
      const { page: phone } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
      for (const name of ["keys", "credentials", "receivers", "teamspaces", "policies", "audit", "system"]) {
        await phone.goto(`/-/admin/${name}`);
        await expectAccessible(phone);
        await expectNarrow(phone);
        await picture(phone, `admin-${name}-narrow-dark`);
        expect(await weightOf(phone, `/-/admin/${name}`)).toBeLessThan(100_000);
      }
    });

    it("works by keyboard alone", async () => {
      const { page } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      await page.goto("/-/admin/teamspaces");
      await page.locator("summary", { hasText: "Create a teamspace" }).focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.type("keyed");
      await page.keyboard.press("Enter");
      await page.getByText("The teamspace keyed was created.").waitFor();
      await row(page, "keyed").locator("summary").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByText("The teamspace keyed was deleted.").waitFor();
      expect(await row(page, "keyed").count()).toBe(0);
    });
  },
  { FETCH_ALLOW: "127.0.0.1" },
);
