import { expect, it, onTestFinished } from "vitest";
import { page } from "../sources/website-setup.ts";
import { startSite, type SitePage } from "../support/site.ts";
import { startServers } from "./setup.ts";

const { git, server, add, refresh } = await startServers();
const logIn = page("Log in", ["/forgot"]).replace("</main>", '<form><input type="password"></form></main>');

/** Indexes a website; returns the failure of its run, and its notes. */
async function index(pages: Readonly<Record<string, SitePage>>) {
  const site = await startSite(pages);
  onTestFinished(() => site.close());
  const { body } = await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/` });
  const { libraryName } = body as { libraryName: string };
  const status = (await server.settled(libraryName)) as {
    runs: { failure: { error: string; message: string } | null }[];
    notes: string[];
  };
  return { site, id: libraryName, failure: status.runs[0]?.failure, notes: status.notes };
}

it.each<[string, Readonly<Record<string, SitePage>>]>([
  ["redirects all pages to a log-in", { "/": { status: 302, headers: { location: "/login" } }, "/login": logIn }],
  ["has a form for a password on every page", { "/": logIn, "/forgot": logIn }],
])("tells that a site %s, and how to give headers", async (_what, pages) => {
  const { failure } = await index(pages);
  expect(failure?.error).toBe("source_refused");
  expect(failure?.message).toMatch(
    / asks for a log-in\. Submit the site with headers .* --headers-stdin of lectern add\./,
  );
  expect(failure?.message).not.toContain("branch");
});

it("tells that all pages of a site ask not to be indexed", async () => {
  const none = '<meta name="robots" content="noindex">';
  const { failure } = await index({ "/": page("Start", ["/a"], none), "/a": page("Alpha", [], none) });
  expect(failure?.message).toContain(
    "Each of its 2 pages was left out, the first for this reason: The page asks not to be indexed (noindex).",
  );
});

it("names the API description that a page of a website shows", async () => {
  const { site, notes } = await index({
    "/": page("Start", ["/reference"]),
    "/reference": page("Reference").replace("</main>", '<redoc spec-url="/v1/api.json"></redoc></main>'),
  });
  expect(notes).toEqual([
    `${site.origin}/reference shows an API description, which is read better by itself: add ${site.origin}/v1/api.json as openapi.`,
  ]);
});

it("names the page of a Swagger UI, which nothing but a browser can read", async () => {
  const swagger =
    '<html><body><div id="swagger-ui"></div><script src="./swagger-initializer.js"></script></body></html>';
  const { site, failure } = await index({ "/": swagger });
  expect(failure?.message).toContain(`${site.origin}/ shows an API description, which is read better by itself: add`);
});

it.each([
  ["Swagger UI", '<div id="swagger-ui"></div><script src="./swagger-initializer.js"></script>', "/"],
  ["Redoc", '<redoc spec-url="/v1/api.json"></redoc><script src="/redoc.js"></script>', "/v1/api.json"],
  ["Scalar", '<script id="api-reference" data-url="/v1/api.json"></script>', "/v1/api.json"],
])("tells in a preview that a page of %s shows an API description", async (_what, body, description) => {
  const site = await startSite({ "/": `<html><body>${body}</body></html>` });
  onTestFinished(() => site.close());
  const { body: preview } = await server.call("POST", "/v2/preview", { websiteUrl: `${site.origin}/` });
  expect(preview).toMatchObject({
    notes: [
      `${site.origin}/ shows an API description, which is read better by itself: add ${site.origin}${description} as openapi.`,
    ],
  });
});

it("names the pages in iframes, which are no part of a page", async () => {
  const frames =
    '<nav><iframe src="/menu"></iframe></nav><main><iframe src="https://play.example.com/1"></iframe><iframe src="about:blank"></iframe><iframe src="/demo" hidden></iframe>';
  const { id } = await index({ "/": page("Start").replace("<main>", frames) });
  const { body } = await server.call("GET", `/v2/libs/status/pages?outcome=indexed&libraryId=${id}`);
  expect(body).toMatchObject({
    pages: [{ notes: ["Not part of the page: the text of the iframe https://play.example.com/1."] }],
  });
});

it("names pages outside the chosen folders that chosen ones link to, as long as they do", async () => {
  const text = "is described in a sentence that is long enough to be served.\n";
  const linking = `# Start\n\nThis ${text}\nSee [install](../guides/install.md#linux), [more](more.md), <a href="/guides/use.md">use</a> and [the log](../CHANGELOG.md).\n`;
  const repository = await git.repository("acme/linking.git", {
    "docs/start.md": linking,
    "docs/more.md": `# More\n\nMore ${text}`,
    "guides/install.md": `# Install\n\nIt ${text}`,
    "guides/use.md": `# Use\n\nUse ${text}`,
    "guides/unlinked.md": `# Other\n\nIt ${text}`,
    "CHANGELOG.md": "# Changes\n",
  });
  const notes = async (): Promise<readonly string[]> =>
    ((await server.settled("/acme/linking"))["notes"] as string[]).filter((note) => note.startsWith("Linked"));
  await add(repository.url, { folders: ["docs"] });
  const both =
    "Linked, but outside of the chosen folders: guides/install.md (from docs/start.md), guides/use.md (from docs/start.md). Add their folders to read them.";
  expect(await notes()).toEqual([both]);
  await repository.commit({ "docs/more.md": `# More\n\nStill more ${text}` });
  await refresh("/acme/linking");
  expect(await notes()).toEqual([both]);
  await repository.commit({ "docs/start.md": `# Start\n\nThis ${text}` });
  await refresh("/acme/linking");
  expect(await notes()).toEqual([]);
});
