import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { startSite } from "../support/site.ts";
import {
  complaintsOf,
  describeDashboard,
  expectAccessible,
  expectNarrow,
  weightOf,
  narrow,
  picture,
} from "./harness.ts";

const roots = await realpath(await mkdtemp(join(tmpdir(), "lectern-dashboard-")));

/** Markup, a script, closing tags and bidi controls. */
const hostile = `"><script>document.title="taken"</script><img src=x onerror='document.title="taken"'></textarea>\u202e\u2066 & 'quoted'`;

describeDashboard(
  "libraries",
  (dashboard) => {
    /** Adds a folder as a library and waits until it is indexed. */
    const addFolder = async (name: string, pages: Readonly<Record<string, string>>, fields: object = {}) => {
      const { server } = dashboard();
      const path = join(roots, name);
      for (const [file, content] of Object.entries(pages)) {
        await mkdir(join(path, file, ".."), { recursive: true });
        await writeFile(join(path, file), content);
      }
      onTestFinished(() => rm(path, { recursive: true, force: true }));
      const libraryName = `/docs/${name}`;
      expect(await server.call("POST", "/v2/add/folder", { path, libraryName, ...fields })).toMatchObject({
        status: 200,
      });
      await server.settled(libraryName);
      return libraryName;
    };
    const rows = (page: Page) => page.getByRole("table", { name: "Libraries" }).locator("tbody tr");

    it("that are mostly in other formats are partly read, and say what to do", async () => {
      const page = "# Gears\n\nGears turn other gears, each by the teeth of the next one.\n";
      const org = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`docs/${at}.org`, "* Gears"]));
      const id = await addFolder("partly", { "README.md": page, ...org }, { title: "Acme Gears" });
      const { page: shown } = await dashboard().openSignedIn();
      await shown.goto("/");
      await expect.poll(() => rows(shown).filter({ hasText: "Acme Gears" }).innerText()).toContain("Partly read");
      await shown.goto(id);
      await shown.getByText("Partly read. Not read: 12 .org files (Org mode).").waitFor();
      await expectAccessible(shown);
      await picture(shown, "library-partly-read");
    });

    it("are listed, filtered while typing, and opened", async () => {
      await addFolder(
        "router",
        { "README.md": "# Router\n\nRoutes requests.\n\n```js\nroute('/')\n```\n" },
        { title: "Acme Router", description: "Routes requests to whoever answers them." },
      );
      await addFolder(
        "forms",
        { "README.md": "# Forms\n\nValidates forms, and says what is wrong.\n" },
        { title: "Acme Forms" },
      );
      await dashboard().server.call("POST", "/v2/add/folder", {
        path: roots,
        libraryName: "/docs/empty",
        title: "Nothing in it",
        folders: ["none"],
      });
      await dashboard().server.settled("/docs/empty");
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      await page.goto("/");
      await page.getByRole("heading", { name: "Never indexed 1" }).waitFor();
      await expectAccessible(page);
      await picture(page, "start");
      await page.getByLabel("ID or title").pressSequentially("form");
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(new URL(page.url()).searchParams.get("search")).toBe("form");
      await page.getByRole("link", { name: "Acme Forms" }).click();
      await page.getByRole("heading", { name: "Acme Forms" }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/docs/forms");
      await expectAccessible(page);
      await picture(page, "library");
      await page.getByRole("link", { name: /^Pages/ }).click();
      await page.getByRole("table", { name: "Pages" }).waitFor();
      await expectAccessible(page);
      await picture(page, "library-pages");
      expect(await weightOf(page, "/docs/forms")).toBeLessThan(100_000);
      expect(complaints).toEqual([]);
    });

    it("can be read on a phone in dark mode, and by keyboard without script", async () => {
      await addFolder(
        "small",
        { "README.md": "# Small\n\nA library that makes small widgets of large ones.\n" },
        { title: "Small" },
      );
      const { page, context } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
      await page.goto("/");
      await expectAccessible(page);
      await picture(page, "start-narrow-dark");
      await expectNarrow(page);
      await page.goto("/docs/small");
      await expectAccessible(page);
      await picture(page, "library-narrow-dark");
      await expectNarrow(page);
      await context.close();

      const { page: plain } = await dashboard().openSignedIn({ javaScriptEnabled: false });
      await plain.goto("/");
      await plain.getByLabel("ID or title").fill("small");
      await plain.keyboard.press("Enter");
      await expect.poll(() => rows(plain).count()).toBe(1);
      await rows(plain).getByRole("link", { name: "Small" }).focus();
      await plain.keyboard.press("Enter");
      await plain.getByRole("heading", { name: "Small", exact: true }).waitFor();
    });

    it("show the progress of indexing until it ends", async () => {
      const links = Array.from({ length: 12 }, (_, at) => `<li><a href="/docs/${at}">Page ${at}</a></li>`).join("");
      const { promise: rootRequested, resolve: answerRoot } = Promise.withResolvers<void>();
      const { promise: progressChecked, resolve: releasePages } = Promise.withResolvers<void>();
      const textOf = (at: number) =>
        `<title>Page ${at}</title><main><h1>Page ${at}</h1><p>What page ${at} says about widgets, in a sentence or two.</p></main>`;
      // The last pages wait until the progress was checked.
      const pageOf = (at: number) => (response: ServerResponse) => {
        const answer = () => void response.writeHead(200, { "content-type": "text/html" }).end(textOf(at));
        if (at < 5) answer();
        else void progressChecked.then(answer);
      };
      const site = await startSite({
        "/docs/": (response) =>
          void rootRequested.then(() =>
            response
              .writeHead(200, { "content-type": "text/html" })
              .end(
                `<title>Guide</title><main><h1>Guide</h1><p>All about widgets, page by page.</p><ul>${links}</ul></main>`,
              ),
          ),
        ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`/docs/${at}`, pageOf(at)])),
      });
      onTestFinished(() => site.close());
      const { server, openSignedIn } = dashboard();
      const { page } = await openSignedIn();
      const complaints = complaintsOf(page);
      const added = await server.call("POST", "/v2/add/website", {
        websiteUrl: `${site.origin}/docs/`,
        libraryName: "/websites/guide",
        title: "Guide",
      });
      expect(added.status).toBe(200);
      await page.goto("/websites/guide");
      const live = page.locator("#live");
      await live.getByRole("heading").waitFor();
      // The rest comes by the event stream.
      answerRoot();
      await live.getByText("Reading pages").waitFor();
      await live.getByText(/^200 × [6-9]/).waitFor();
      await expectAccessible(page);
      await picture(page, "library-live");
      releasePages();
      await page.getByText("Ready").waitFor();
      await page.getByRole("heading", { name: "Content", exact: true }).waitFor();
      await expect.poll(() => page.locator("#live").count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it("cannot inject markup into pages", async () => {
      const id = await addFolder(
        "hostile",
        {
          // Passages with bidi controls are quarantined: one has to be left to be served.
          "clean.md": "# Clean\n\nWhat this is about, in a sentence that can be indexed and served.\n",
          "README.md": `# Guide\n\nWhat this is about, in a sentence that can be indexed.\n\n## ${hostile}\n\nAnd more words: ${hostile}\n`,
          [`a ${"<b onload=x>"} 'b'.md`]: `# ${hostile}\n\n${hostile} and more words.\n\n\`\`\`html\n${hostile}\n\`\`\`\n`,
        },
        { title: `${hostile.slice(0, 96)}\u202e`, description: hostile },
      );
      expect((await dashboard().server.settled(id))["state"]).toBe("finalized");
      const { page } = await dashboard().openSignedIn();
      const complaints = complaintsOf(page);
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      for (const path of [
        "/",
        id,
        `${id}?tab=pages`,
        `/-/nope?${encodeURIComponent(hostile)}`,
        `/?search=${encodeURIComponent(hostile)}`,
        `${id}%22%3E%3Cscript%3E`,
      ]) {
        await page.goto(path);
        expect(await page.title(), path).not.toBe("taken");
        expect(await page.locator("main script, main img, [onerror], [onload]").count(), path).toBe(0);
        expect(await page.locator("body").innerText(), path).not.toMatch(/[\u202e\u2066]/);
      }
      expect(requested.filter((url) => !url.startsWith(dashboard().server.url))).toEqual([]);
      expect(complaints).toEqual([]);
      await page.goto(id);
      await picture(page, "library-hostile");
    });
  },
  { FOLDER_ROOTS: roots, FETCH_ALLOW: "127.0.0.1" },
);
