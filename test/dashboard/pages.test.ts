import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { asset, answerAsset } from "../../api/dashboard/assets.ts";
import { external, libraryPath } from "../../api/dashboard/views/addresses.ts";
import { html } from "../../api/dashboard/html.ts";
import { codePassage } from "../api/samples.ts";
import { setupPages } from "./world.ts";

describe("the files of pages", () => {
  it.each([
    "style.css",
    "lectern.js",
    "icon.svg",
    "htmx.js",
    "sse.js",
    "uplot.js",
    "uplot.css",
    "reading.css",
    "highlight.js",
  ] as const)("include %s, cached by its content hash", async (name) => {
    const { browse } = await setupPages();
    const { status, headers, body } = await browse("GET", asset(name));
    expect([status, headers["Cache-Control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect((body as Uint8Array).length).toBeGreaterThan(100);
    expect(answerAsset("other", name)?.headers["Cache-Control"]).toBe("no-store");
  });

  it("include no others", async () => {
    const { browse } = await setupPages();
    for (const name of ["..%2Fhtml.ts", "constructor", "none.js"])
      expect((await browse("GET", `/-/assets/x/${name}`)).status).toBe(404);
  });
});

it("show the sizes of what is stored, and how much of STORAGE_LIMIT that is", async () => {
  const { browse, addKey } = await setupPages();
  const { key } = await addKey(["admin"]);
  const { text } = await browse("GET", "/-/admin/system", { key });
  expect(text.replaceAll(/\s*<[^>]*>\s*/g, " ")).toMatch(/Blobs +1\.0 MB +Limit +100 GB, 0 % used/);
});

it.each([
  ["GET", "/-/nothing/here", 404],
  ["POST", "/-/admin/keys", 403],
] as const)("show who is signed in where they fail: %s %s", async (method, path, status) => {
  const { browse, addKey } = await setupPages();
  const { key } = await addKey(["admin"]);
  const shown = await browse(method, path, { key, fields: { formToken: "of-another-session" } });
  expect(shown.status).toBe(status);
  expect(shown.text).toContain('href="/-/admin"');
});

it("hide a library that a policy excludes", async () => {
  const { browse, submit, finish, send, addKey } = await setupPages();
  await finish(await submit("/acme/widgets"), [codePassage]);
  const { key } = await addKey(["read"], { teamspace: "web" });
  expect((await browse("GET", "/", { key })).text).toContain("/acme/widgets");
  const admin = await addKey(["admin"], { teamspace: "web" });
  const changed = await send("PATCH", "/v2/policies", {
    key: admin.key,
    body: { sourceTypes: { disable: ["public_repos"] } },
  });
  expect(changed.status).toBe(200);
  expect((await browse("GET", "/", { key })).text).not.toContain("/acme/widgets");
  const { status, text } = await browse("GET", "/acme/widgets", { key });
  expect(status).toBe(403);
  expect(text).toContain("access_denied");
});

it("follow redirects of libraries", async () => {
  const { browse, submit, finish, send, addKey } = await setupPages();
  await finish(await submit("/acme/old"), [codePassage]);
  await finish(await submit("/acme/new"), [codePassage]);
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/new" } });
  const { key } = await addKey(["read"]);
  const { status, headers } = await browse("GET", "/acme/old@v9", { key });
  expect([status, headers["Location"]]).toEqual([303, "/acme/new@v9"]);
  const { text } = await browse("GET", "/acme/old", { key });
  expect(text).toContain('This library redirects to <a href="/acme/new">');
});

it("count for rate limits, with an error page", async () => {
  const { browse } = await setupPages({ rateLimitAnonymous: 2 });
  await browse("GET", "/");
  await browse("GET", "/");
  const { status, headers, text } = await browse("GET", "/");
  expect([
    status,
    headers["Retry-After"] !== undefined,
    text.includes("Too many requests: 2 a minute are allowed"),
  ]).toEqual([429, true, true]);
});

it("escape untrusted text, and link to http and https addresses only", () => {
  const hostile = `"><b onclick='x'>\u202eabc\u0000`;
  expect(html`<a title="${hostile}">${[hostile]}</a>`.toString()).toBe(
    '<a title="&quot;&gt;&lt;b onclick=&#39;x&#39;&gt;\ufffdabc\ufffd">&quot;&gt;&lt;b onclick=&#39;x&#39;&gt;\ufffdabc\ufffd</a>',
  );
  for (const address of [
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "/etc",
    "//evil.example.com",
    "https://",
  ])
    expect(external(address)).toBeUndefined();
});

it("have paths for libraries that lead back to them", () => {
  expect(libraryPath("/npm/@scope/name@1.0.0")).toBe("/npm/@scope/name@1.0.0");
  expect(libraryPath("/a/b?c#d e", { tab: "pages" })).toBe("/a/b%3Fc%23d%20e?tab=pages");
  expect(libraryPath("/api/docs")).toBe("/-/library?id=%2Fapi%2Fdocs");
});

it.each(["X-Token secret", ": secret", "X-Token:"])(
  "create no credential from the header line %s, and say what a line must be",
  async (line) => {
    const { browse, addKey } = await setupPages();
    const { key } = await addKey(["admin"]);
    const fields = { kind: "website", name: "Docs", host: "docs.example.com" };
    const create = (headers: string) =>
      browse("POST", "/-/admin/credentials", { key, fields: { ...fields, "data.headers": headers } });
    const refused = await create(`Authorization: Bearer a:b\n${line}`);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Enter each header on its own line, as Name: value.");
    expect((await create("Authorization: Bearer a:b")).status).toBe(303);
  },
);

it("colour code with a contrast of 4.5 on its background, in light and in dark", () => {
  const read = (name: string): string =>
    readFileSync(join(import.meta.dirname, "../../api/dashboard/static", name), "utf8");
  const luminanceOf = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // WCAG 2.2, "contrast ratio".
  const contrastOf = (one: string, other: string): number => {
    const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const colours = Array.from(
    read("reading.css").matchAll(/::highlight\((\w+)\) \{\s*color: (#\w{6})/g),
    ([, , colour = ""]) => colour,
  );
  const grounds = Array.from(read("style.css").matchAll(/--sunken: (#\w{6})/g), ([, colour = ""]) => colour);
  expect([colours.length, grounds.length]).toEqual([12, 2]);
  for (const [at, colour] of colours.entries())
    expect(contrastOf(colour, grounds[at < 6 ? 0 : 1] ?? ""), colour).toBeGreaterThanOrEqual(4.5);
});
