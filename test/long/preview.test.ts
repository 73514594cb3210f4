import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { startGitServer } from "../support/git-server.ts";
import { adminKey } from "../support/lectern-process.ts";
import { startSite } from "../support/site.ts";
import { page } from "../sources/website-setup.ts";
import { startServers } from "../e2e/setup.ts";

const { server, folder } = await startServers();
const markdown = (name: string): string =>
  `# ${name}\n\nThis page tells how ${name} is used, and when not.\n\n\`\`\`js\n${name.toLowerCase()}();\n\`\`\`\n`;

it("shows which pages of a website would be read, which not and why, and a sample, and stores nothing", async () => {
  const links = Array.from({ length: 60 }, (_, number) => `/${"x".repeat(number + 1)}`);
  const site = await startSite({
    "/robots.txt": "User-agent: *\nDisallow: /xx\nAllow: /xxx\n",
    "/": page("Start", links),
    ...Object.fromEntries(links.map((path) => [path, page(`Page ${path.length}`)])),
  });
  onTestFinished(() => site.close());
  const { status, body } = await server.call("POST", "/v2/preview", { websiteUrl: `${site.origin}/` });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { libraryName: expect.stringMatching(/^\/websites\//) as unknown, title: "Start", complete: true },
  });
  const { pages, waiting, notes, sample, answers } = body as {
    pages: { path: string; outcome: string; code?: string }[];
    waiting: string[];
    notes: string[];
    sample: string;
    answers: Record<string, number>;
  };
  expect(pages.filter(({ outcome }) => outcome === "read")).toHaveLength(25);
  expect(pages).toContainEqual(
    expect.objectContaining({ path: `${site.origin}/xx`, outcome: "skipped", code: "robots" }),
  );
  expect(waiting.length).toBe(60 - 25);
  expect(notes).toEqual([]);
  expect(sample).toContain("start();");
  expect(answers["200"]).toBeGreaterThan(25);
  const { body: libraries } = await server.call("GET", "/v2/libs");
  expect(JSON.stringify(libraries)).not.toContain("/websites/");
  expect((await readdir(join(folder, "tmp")).catch(() => [])).filter((name) => name.startsWith("preview-"))).toEqual(
    [],
  );
});

it("shows repositories, llms.txt files, OpenAPI descriptions and folders", async () => {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, number) => [`docs/p${number}.md`, markdown(`Page${number}`)]),
  );
  const { url } = await git.repository("acme/previewed", { ...files, "docs/x.pod": "x", "LICENSE.md": "MIT" });
  const repository = await server.call("POST", "/v2/preview", { docsRepoUrl: url });
  expect(repository).toMatchObject({ status: 200, body: { libraryName: "/acme/previewed", complete: true } });
  const read = (repository.body as { pages: { outcome: string }[] }).pages.filter(({ outcome }) => outcome === "read");
  expect(read).toHaveLength(12);
  const site = await startSite({
    "/llms.txt": "# Anvils\n\n- [A](/a.md)\n- [B](/b.md)\n",
    "/a.md": markdown("Alpha"),
    "/b.md": markdown("Beta"),
    "/openapi.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      tags: [{ name: "pets" }, { title: "cats" }],
      paths: { "/pets": { get: { summary: "List pets", responses: { 200: { description: "Pets." } } } } },
    }),
  });
  onTestFinished(() => site.close());
  expect(await server.call("POST", "/v2/preview", { llmstxtUrl: `${site.origin}/llms.txt` })).toMatchObject({
    body: { title: "Anvils", total: 2, sample: expect.stringContaining("alpha();") as unknown },
  });
  expect(await server.call("POST", "/v2/preview", { openApiUrl: `${site.origin}/openapi.json` })).toMatchObject({
    body: {
      sample: expect.stringContaining("/pets") as unknown,
      pages: expect.arrayContaining([
        expect.objectContaining({
          notes: [
            `${site.origin}/openapi.json is not valid OpenAPI 3.1 at #/tags/1: must have required property 'name', or must NOT have unevaluated properties.`,
          ],
        }),
      ]) as unknown,
    },
  });
});

it("refuses wrong addresses, and callers who may not submit", async () => {
  const preview = (body: object, headers = {}) => server.call("POST", "/v2/preview", body, headers);
  expect(await preview({})).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/websiteUrl/) as unknown },
  });
  expect(await preview({ websiteUrl: "nowhere" })).toMatchObject({ status: 400 });
  expect(await preview({ websiteUrl: "http://127.0.0.1:1/" })).toMatchObject({ status: 504 });
  expect(await preview({ websiteUrl: "http://169.254.169.254/" })).toMatchObject({ status: 422 });
  expect(await preview({ websiteUrl: "https://docs.example.com" }, { Authorization: "" })).toMatchObject({
    status: 401,
  });
});

it("is printed by the command line", async () => {
  const site = await startSite({ "/guide/": page("Start", ["/guide/a"]), "/guide/a": page("Alpha", ["/guide/none"]) });
  onTestFinished(() => site.close());
  const program = join(import.meta.dirname, "../../cli/lectern.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "preview", `${site.origin}/guide/`], {
    env: { PATH: process.env["PATH"], LECTERN_ADMIN_KEY: adminKey, PUBLIC_URL: server.url },
  });
  expect(stdout).toContain("Would be read: 2");
  expect(stdout).toContain(`${site.origin}/guide/none  There is nothing at`);
  expect(stdout).toContain("alpha();");
});
