import { describe, expect, it } from "vitest";
import { Failure, type FailureCode } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { PageRef } from "../../domain/ports.ts";
import type { Judgement } from "../../extract/website/judge.ts";
import { keptPage } from "../../sources/website/visit.ts";
import {
  resolveRedirect,
  visitWithoutRequest,
  unreadVisit,
  unreadPageOf,
  unreadable,
} from "../../sources/website/outcomes.ts";
import type { PageScan } from "../../sources/website/scanning.ts";

const origin = "https://docs.example.com";
const found = { key: `${origin}/guide`, from: `${origin}/` };
const place = unreadPageOf(found);
/** Disallows /private/. */
const robots = {
  allows: async ({ pathname }: URL) => !pathname.startsWith("/private/"),
  sitemaps: () => Promise.reject(new Error("No sitemap is read here.")),
};

describe("a page is not requested", () => {
  it.each([
    ["/_sources/guide.rst.txt", "skipped", "not_documentation"],
    ["/private/guide", "skipped", "robots"],
    ["/app#/guide", "unrendered", undefined],
    ["/guide", undefined, undefined],
  ])("by its address alone: %s", async (path, type, code) => {
    const spec = { keepHash: true } as Parameters<typeof visitWithoutRequest>[0]["spec"];
    const visited = await visitWithoutRequest({ robots, spec }, { key: origin + path });
    expect(visited?.item.type).toBe(type);
    if (code !== undefined) expect(visited?.item).toMatchObject({ code });
  });
});

describe("a page is kept as it was", () => {
  const page: PageRef = { ...place, mediaType: "text/html", fingerprint: "options-text" };
  /** Asks to keep a page with these validators; the host answers with a status. */
  async function keep(sent: Validators | undefined, { status = 304, changed = "", optionsHash = "options" } = {}) {
    const requests: object[] = [];
    const validators = new Map<string, Validators>();
    const earlier = {
      page: () => ({ page, revision: "", failures: 0 }),
      validators: () => sent,
    };
    const client = {
      request: async (_: URL, { headers = {} }: { readonly headers?: object } = {}) => {
        requests.push(headers);
        const headersSent = { "content-type": "text/html" };
        return { status, headers: headersSent, url: new URL(page.key), body: [Buffer.from("<html>")], discard() {} };
      },
    };
    const context = { earlier, limits: { pageBytes: 1e6 }, signal: new AbortController().signal };
    const site = { client, context, optionsHash, validators } as unknown as Parameters<typeof keptPage>[0];
    const visited = await keptPage(site, { ...found, ...(changed !== "" && { changed }) }, "text/html");
    return { type: visited?.item.type, requests: requests.length, validators: validators.get(page.key) };
  }

  it("if its host says so", async () => {
    const sent = { etag: "1", words: "w" };
    expect(await keep(sent)).toEqual({ type: "known", requests: 1, validators: sent });
    expect(await keep(sent, { status: 200 })).toEqual({ type: undefined, requests: 1, validators: undefined });
  });

  it("if its sitemap says so, and its host sends no validators", async () => {
    expect(await keep({ listed: "2026" }, { changed: "2026" })).toMatchObject({ type: "known", requests: 0 });
    expect(await keep({ listed: "2026" }, { changed: "2027" })).toMatchObject({ type: undefined, requests: 0 });
    expect(await keep({ listed: "2026" })).toMatchObject({ type: undefined, requests: 0 });
    expect(await keep({ listed: "2026", etag: "1" }, { changed: "2026" })).toMatchObject({
      type: "known",
      requests: 1,
    });
  });

  it("for a browser, if one has read it", async () => {
    expect(await keep({ rendered: true })).toEqual({ type: "unrendered", requests: 0, validators: { rendered: true } });
  });

  it("only if it was read with the same options and has validators", async () => {
    expect(await keep({ etag: "1" }, { optionsHash: "others" })).toMatchObject({ type: undefined, requests: 0 });
    expect(await keep(undefined)).toMatchObject({ type: undefined, requests: 0 });
  });
});

describe("the redirect of a page is resolved", () => {
  const site = {
    robots,
    toAddress: (href: string) => (href.startsWith("https:") ? href : undefined),
    isWanted: (address: string) => address.startsWith(origin),
  };
  it.each([
    ["/guide/", { address: `${origin}/guide/` }],
    ["/private/guide", { item: { type: "skipped", code: "robots" } }],
    ["https://other.example.com/guide", { item: { type: "skipped", code: "elsewhere" } }],
    ["https://other.example.com/login?next=guide", { item: { type: "failed" }, asksLogIn: true }],
  ])("%s", async (to, expected) => {
    expect(await resolveRedirect(site, place, new URL(to, origin))).toMatchObject(expected);
  });
});

describe("a judged page is not read", () => {
  const scan = { words: "w", links: { addresses: ["/a"], more: 0, tooLong: 0 } } as unknown as PageScan;
  const pageAt = { links: ["/a"], isPage: true };
  const judge = (judged: Judgement, key = place.key) =>
    unreadVisit(judged, scan, { ...place, key }, { requested: place, url: new URL(key) });

  it("if it is left out, but its links are followed", () => {
    const judged = { ...pageAt, verdict: "left_out", code: "gone", reason: "It is gone." } as const;
    expect(judge(judged)).toMatchObject({ item: { type: "skipped", code: "gone" }, links: ["/a"], words: "w" });
  });

  it("if it asks for a password, which is a log-in if another page was requested", () => {
    const judged = { ...pageAt, verdict: "asks_password" } as const;
    expect(judge(judged)).toMatchObject({ item: { type: "failed", page: { key: place.key } }, links: ["/a"] });
    const elsewhere = judge(judged, `${origin}/enter`);
    expect(elsewhere).toMatchObject({ item: { type: "failed", page: { key: place.key } }, asksLogIn: true, links: [] });
  });

  it("unless it is sound or empty", () => {
    expect(judge({ ...pageAt, verdict: "read" })).toBeUndefined();
    expect(judge({ ...pageAt, verdict: "empty" })).toBeUndefined();
  });
});

describe("a page that cannot be read", () => {
  it.each<[FailureCode, object]>([
    ["source_not_found", { type: "skipped", code: "gone" }],
    ["source_invalid", { type: "skipped", code: "not_text" }],
    ["library_too_large", { type: "skipped", code: "too_large" }],
    ["source_unreachable", { type: "failed", failure: { code: "source_unreachable" } }],
  ])("becomes an item by its failure, and keeps its validators: %s", (code, item) => {
    const validators = new Map<string, Validators>();
    const earlier = { page: () => undefined, validators: () => ({ etag: "1" }) };
    const site = { validators, context: { earlier } } as unknown as Parameters<typeof unreadable>[0];
    expect(unreadable(site, found, new Failure(code, "It cannot be read.")).item).toMatchObject(item);
    expect(validators.get(place.key)).toEqual({ etag: "1" });
  });
});
