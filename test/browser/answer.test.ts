import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { complaintsOf, describeDashboard, expectAccessible, narrow, picture, weightOf } from "./harness.ts";

const folder = await mkdtemp(join(tmpdir(), "lectern-answer-"));
afterAll(() => rm(folder, { recursive: true }));

const proxy = `# Proxy

Widgets reach the network through a proxy.

## Configure a proxy

Set \`proxy.url\` in the configuration before the first request is made.

\`\`\`ts
import { configure } from "widgets";

configure({ proxy: { url: "http://proxy.example.com:3128", timeout: 30 } });
\`\`\`

## Proxy timeouts

A proxy that does not answer within \`timeout\` seconds is given up.
`;
const hostile = `# Widgets "quoted" <img src=x onerror=alert(1)>

## Proxy & "others" &lt;b&gt;

A proxy has \`</pre><b onclick="alert(1)">\` in its text.

\`\`\`html
</pre><script>document.title = "owned"</script><b onclick="alert(1)">proxy</b>
\`\`\`
`;

describeDashboard(
  "an answer",
  (dashboard) => {
    async function addLibraries() {
      const { server } = dashboard();
      await mkdir(folder, { recursive: true });
      for (const [id, title, text] of [
        ["/docs/widgets", "Widgets", proxy],
        ["/docs/hostile", "Widgets <b>proxy</b>", hostile],
      ] as const) {
        const path = join(folder, id.split("/")[2] ?? "");
        await mkdir(path, { recursive: true });
        await writeFile(join(path, "guide.md"), text);
        const { status } = await server.call("POST", "/v2/add/folder", { path, title, libraryName: id });
        expect([200, 409]).toContain(status);
        await server.settled(id);
      }
    }

    it("is rendered with its sources and ranking, has a small page, and can be shared", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto("/-/answer?library=/docs/widgets&query=configure+a+proxy");
      const passage = page.locator(".passage", { hasText: "Configure a proxy" }).first();
      await passage
        .getByText(/lines? \d+/)
        .first()
        .waitFor();
      expect(await passage.locator("pre").first().textContent()).toContain('configure({ proxy: { url: "http://proxy');
      expect(await passage.locator("p code").first().textContent()).toBe("proxy.url");
      await page.getByRole("heading", { name: "Why this order" }).waitFor();
      expect(await page.locator("details.why").textContent()).toMatch(/proxi|configur/);
      await expectAccessible(page);
      await picture(page, "answer");
      await page.getByRole("link", { name: "As agents get it" }).click();
      const served = await page.getByLabel("The answer", { exact: true }).textContent();
      const api = await dashboard().server.call("GET", "/v2/context?libraryId=/docs/widgets&query=configure+a+proxy");
      expect(served?.trim()).toBe(String(api.body).trim());
      await page.getByRole("link", { name: "JSON" }).click();
      await page.getByText('"codeSnippets"').waitFor();
      expect(new URL(page.url()).searchParams.get("form")).toBe("json");
      const shared = await page.getByRole("link", { name: "Link to this answer" }).getAttribute("href");
      await page.goto(shared ?? "");
      await page.getByText('"codeSnippets"').waitFor();
      expect(await weightOf(page, shared ?? "")).toBeLessThan(100_000);
      expect(complaints).toEqual([]);
    });

    it("leads from a passage to its page", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn();
      await page.goto("/-/answer?library=/docs/widgets&query=proxy+timeouts");
      await page
        .locator(".passage", { hasText: "Proxy timeouts" })
        .getByRole("link", { name: "Read on its page" })
        .first()
        .click();
      await page.getByRole("heading", { name: "Proxy", exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/-/read");
    });

    it("resolves the library of a question without one, and offers other matches", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
      await page.goto("/-/answer?query=widgets+proxy");
      await page.getByRole("heading", { name: "Why this order" }).waitFor();
      await page.getByRole("navigation", { name: "Matching libraries" }).waitFor();
      await expectAccessible(page);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
      await picture(page, "answer-narrow-dark");
    });

    it("works without script, by keyboard", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      await page.goto("/-/answer?library=/docs/widgets&query=timeouts");
      await page.getByLabel(/^Ask/).focus();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.type("configure a proxy");
      await page.keyboard.press("Enter");
      await page.getByText("configure({ proxy").first().waitFor();
      expect(new URL(page.url()).searchParams.get("query")).toBe("configure a proxy");
    });

    it("shows a hostile library as text", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto("/-/answer?library=/docs/hostile&query=proxy");
      await page.getByRole("heading", { name: "Why this order" }).waitFor();
      expect(await page.title()).toBe("proxy · Widgets <b>proxy</b> · Lectern");
      expect(await page.locator("main script, main img, main b, main [onclick]").count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await page.locator(".passage pre").first().textContent()).toContain("</pre><script>");
      expect(complaints).toEqual([]);
    });

    it("says what to do if there is none", async () => {
      await addLibraries();
      const { page } = await dashboard().openSignedIn();
      const answer = await page.goto("/-/answer?library=/docs/nothing&query=proxy");
      expect(answer?.status()).toBe(404);
      await page.getByRole("link", { name: "Add a library" }).waitFor();
      await picture(page, "answer-none");
      await page.goto("/-/answer?library=/docs/widgets/v9&query=proxy");
      await page.getByRole("link", { name: "Ask the default version" }).click();
      await page.getByRole("heading", { name: "Why this order" }).waitFor();
      await page.goto("/-/answer?library=/docs/widgets&query=zzyzx");
      await page.getByText("none of the words of this question").first().waitFor();
    });
  },
  { FOLDER_ROOTS: folder },
);
