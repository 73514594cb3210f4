import { expect, it } from "vitest";
import { setup } from "./setup.ts";

const websiteUrl = "https://docs.vite.dev/guide/";

it("adds a website with an ID derived from its address", async () => {
  const { send, catalog } = await setup();
  const { status, body } = await send("POST", "/v2/add/website", { body: { websiteUrl: `${websiteUrl}#top` } });
  expect({ status, body }).toMatchObject({ status: 200, body: { libraryName: "/websites/vite_dev_guide" } });
  const run = await catalog.runs.get((body as { runId: string }).runId);
  const library = await catalog.libraries.get(run?.libraryUid ?? "");
  expect(library?.source).toMatchObject({ kind: "website", url: websiteUrl, scope: "subpages", maxPages: 1000 });
  expect(await send("POST", "/v2/add/website", { body: { websiteUrl } })).toMatchObject({
    status: 409,
    body: { error: "duplicate_library" },
  });
});

it("never shows headers, and makes the library private", async () => {
  const { send } = await setup();
  const headers = { Authorization: "Bearer very-secret" };
  const { status } = await send("POST", "/v2/add/website", { body: { websiteUrl, headers } });
  expect(status).toBe(200);
  const shown = await send("GET", "/v2/libs/status?libraryId=/websites/vite_dev_guide");
  expect(shown).toMatchObject({ status: 200, body: { private: true } });
  expect(JSON.stringify(shown.body)).not.toContain("very-secret");
});

it.each([
  [{ websiteUrl: "docs.vite.dev" }, /^websiteUrl must be an absolute URL/],
  [{ websiteUrl: "https://me:secret@docs.vite.dev" }, /^websiteUrl must not contain credentials/],
  [{ websiteBaseUrl: "nowhere" }, /^websiteBaseUrl must be an absolute URL/],
  [{ scope: "planet" }, /^scope/],
  [{ maxPages: 0 }, /^maxPages must be a whole number from 1 to 50000/],
  [{ maxDepth: -1 }, /^maxDepth must be a whole number from 0 to 100/],
  [{ excludePatterns: ["*/a/*/b/*/c"] }, /stars in more than 2 places/],
  [{ excludeSelectors: ["a[["] }, /is no CSS selector/],
  [{ excludeSelectors: [".feedback", "p.ad:foo"] }, /is no CSS selector/],
  [{ headers: { Host: "other.example.com" } }, /identify a reader/],
  [{ headers: { "X Y": "1" } }, /names of headers/],
  [{ headers: { "X-Key": "a\nb" } }, /must be 1 to 4096 characters/],
  [{ headers: { "X-Key": "a" }, credential: "c" }, /^Give headers or credential, not both/],
])("refuses %j", async (fields, message) => {
  const { send } = await setup();
  expect(await send("POST", "/v2/add/website", { body: { websiteUrl, ...fields } })).toMatchObject({
    status: 400,
    body: { error: "validation_error", message: expect.stringMatching(message) as unknown },
  });
});
