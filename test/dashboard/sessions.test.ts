import { describe, expect, it, vi } from "vitest";

import { createApp } from "../../api/app.ts";
import { createPages } from "../../api/dashboard/routes.ts";
import { createSignInLink } from "../../api/dashboard/sign-in-link.ts";
import { localPath } from "../../api/dashboard/session.ts";
import { adminKey, getRequest } from "../api/setup.ts";
import { setupPages } from "./world.ts";

const cookieOf = (cookies: readonly string[] | undefined, what = "session"): string =>
  cookies?.find((one) => one.includes(`lectern-${what}`)) ?? "";

describe("a session", () => {
  it("is kept in an HttpOnly, SameSite cookie without the key in plain text", async () => {
    const { browse } = await setupPages();
    const { status, cookies, headers } = await browse("POST", "/-/sign-in", {
      fields: { key: adminKey, to: "/acme/widgets" },
    });
    expect([status, headers["Location"]]).toEqual([303, "/acme/widgets"]);
    expect(cookieOf(cookies)).toMatch(/^lectern-session=v1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
    expect(cookieOf(cookies)).not.toContain(adminKey);
  });

  it("has a Secure __Host- cookie if PUBLIC_URL is https", async () => {
    const publicUrl = "https://docs.example.com/lectern";
    const { browse } = await setupPages({ publicUrl });
    const { cookies, headers } = await browse("POST", "/-/sign-in", { fields: { key: adminKey } });
    expect(cookieOf(cookies)).toMatch(/^__Host-lectern-session=.*; Secure$/);
    expect(headers["Location"]).toBe("/lectern/");
    const { text } = await browse("GET", "/", { key: adminKey });
    expect(text).toMatch(/<a class="brand" href="\/lectern\/"/);
    expect(text).not.toMatch(/(href|src|action)="\/(?!lectern\/)/);
  });

  it("authorizes pages, but no operations of the API", async () => {
    const { browse, sessions, app } = await setupPages();
    expect((await browse("GET", "/", { key: adminKey })).status).toBe(200);
    const {
      cookies: [cookie = ""],
    } = sessions.begin({ headers: {} }, { authorization: `Bearer ${adminKey}` });
    const { status } = await app(getRequest("/api/v2/libs", { cookie: cookie.split(";")[0] }));
    expect(status).toBe(401);
  });

  it("ends when its key is revoked, says so, and forgets the key", async () => {
    const { browse, addKey, catalog, clock, sessions } = await setupPages();
    const { key, id } = await addKey(["read"]);
    expect((await browse("GET", "/", { key })).status).toBe(200);
    await catalog.keys.revoke("default", id, clock.now);
    const { status, text, cookies } = await browse("GET", "/", { key });
    expect(status).toBe(401);
    expect(text).toContain("You were signed out. The API key was revoked.");
    const after = sessions.of({ headers: { host: "docs.example.com", cookie: cookieOf(cookies).split(";")[0] } });
    expect(after).toMatchObject({ formToken: expect.any(String) as string });
    expect(after).not.toHaveProperty("authorization");
  });

  it("ends after a week", async () => {
    const { clock, sessions } = await setupPages();
    const {
      cookies: [cookie = ""],
    } = sessions.begin({ headers: {} }, { authorization: "Bearer x" });
    const headers = { cookie: cookie.split(";")[0] };
    clock.now += 7 * 24 * 3_600_000 - 1;
    expect(sessions.of({ headers })).toBeDefined();
    clock.now += 1;
    expect(sessions.of({ headers })).toBeUndefined();
  });

  it("is not accepted from other sealed texts or a changed cookie", async () => {
    const { options, sessions } = await setupPages();
    const { secrets } = options.ports;
    const {
      cookies: [cookie = ""],
    } = sessions.begin({ headers: {} }, { authorization: "Bearer x" });
    const changed = cookie.split(";")[0]?.replace(/.(?=.{20}$)/, (one) => (one === "A" ? "B" : "A"));
    const others = [secrets.seal('{"token":"secret"}'), "v1.test.nothing", "", changed?.split("=")[1] ?? ""];
    for (const value of others)
      expect(sessions.of({ headers: { cookie: `lectern-session=${value}` } })).toBeUndefined();
  });
});

describe("signing out", () => {
  const admin = "/-/admin/keys";
  /** Signs in; returns the cookie and the token of its forms. */
  async function signIn({ browse, sessions }: Awaited<ReturnType<typeof setupPages>>) {
    const { cookies } = await browse("POST", "/-/sign-in", { fields: { key: adminKey } });
    const cookie = cookieOf(cookies).split(";")[0] ?? "";
    return { cookie, formToken: sessions.of({ headers: { host: "docs.example.com", cookie } })?.formToken ?? "" };
  }

  it("ends the session for every holder of its cookie, in every process, and no other session", async () => {
    const world = await setupPages();
    const { browse, options, pageOptions, requestOf } = world;
    const [own, other] = [await signIn(world), await signIn(world)];
    // Another process on the same catalog.
    const second = createApp(options, createPages(pageOptions));
    const secondStatus = async (cookie: string) =>
      (await second(await requestOf("GET", admin, { headers: { cookie } }))).status;
    expect(await secondStatus(own.cookie)).toBe(200);
    const out = { fields: { formToken: own.formToken }, headers: { cookie: own.cookie } };
    expect(await browse("POST", "/-/sign-out", out)).toMatchObject({ status: 303, headers: { Location: "/" } });
    for (const target of [admin, "/-/admin/audit", "/-/live?id=widgets"]) {
      const { status, headers } = await browse("GET", target, { headers: { cookie: own.cookie } });
      expect([status, headers["Location"]]).toEqual([303, `/-/sign-in?to=${encodeURIComponent(target)}`]);
    }
    expect([await secondStatus(own.cookie), await secondStatus(other.cookie)]).toEqual([303, 200]);
    // Its forms no longer work, even with its token.
    const newKey = { name: "thief", scopes: "admin", formToken: own.formToken };
    const form = await browse("POST", admin, { fields: newKey, headers: { cookie: own.cookie } });
    expect(form.status).not.toBe(200);
    expect((await world.catalog.keys.list("default")).map(({ name }) => name)).not.toContain("thief");
    expect((await browse("GET", admin, { headers: { cookie: other.cookie } })).status).toBe(200);
  });

  it("is remembered while the cookie would be valid, and costs the API no query", async () => {
    const world = await setupPages();
    const { browse, catalog, clock, send } = world;
    const isEnded = vi.spyOn(catalog.sessions, "isEnded");
    const { cookie, formToken } = await signIn(world);
    await browse("POST", "/-/sign-out", { fields: { formToken }, headers: { cookie } });
    clock.now += 6 * 24 * 3_600_000;
    await catalog.sessions.forget(clock.now);
    expect((await browse("GET", admin, { headers: { cookie } })).status).toBe(303);
    const before = isEnded.mock.calls.length;
    await send("GET", "/v2/libs/search?libraryName=a&query=a", { headers: { cookie } });
    await send("GET", "/v2/context?libraryId=/a/b&query=a", { headers: { cookie } });
    expect(isEnded.mock.calls.length).toBe(before);
  });
});

describe("a form", () => {
  const submit = async (
    headers: Readonly<Record<string, string | undefined>>,
    fields: Readonly<Record<string, string>> = {},
  ) => {
    const { browse } = await setupPages();
    const { status, cookies } = await browse("POST", "/-/sign-in", { fields: { key: adminKey, ...fields }, headers });
    return { status, isSignedIn: cookieOf(cookies) !== "" };
  };

  it("of a page of this server signs in", async () => {
    expect(await submit({})).toEqual({ status: 303, isSignedIn: true });
    expect(await submit({ "sec-fetch-site": undefined })).toEqual({ status: 303, isSignedIn: true });
  });

  it.each([
    ["another origin", { origin: "https://evil.example.com" }],
    ["another site by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["the same site by Sec-Fetch-Site", { "sec-fetch-site": "same-site" }],
    ["an opaque origin", { origin: "null" }],
    ["an unknown origin", { origin: undefined, "sec-fetch-site": undefined }],
  ])("of %s does not", async (_name, headers) => {
    expect(await submit(headers)).toEqual({ status: 403, isSignedIn: false });
  });

  it("with very many fields takes time linear in its size", async () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`f${at}`, "1"]));
    const started = process.threadCpuUsage();
    expect(await submit({}, many)).toEqual({ status: 303, isSignedIn: true });
    expect(process.threadCpuUsage(started).user).toBeLessThan(1_500_000);
  });

  it("without the token of its session does not", async () => {
    expect(await submit({}, { formToken: "another" })).toEqual({ status: 403, isSignedIn: false });
    expect(await submit({ cookie: undefined })).toEqual({ status: 403, isSignedIn: false });
  });
});

describe("the link of the terminal", () => {
  it("signs in once, and not for long", async () => {
    const now = { at: 1000 };
    const link = createSignInLink(adminKey, () => now.at);
    const { browse } = await setupPages({}, {}, link);
    expect((await browse("GET", "/-/sign-in?once=wrong")).status).toBe(401);
    const { status, cookies } = await browse("GET", link.path);
    expect([status, cookieOf(cookies) !== ""]).toEqual([303, true]);
    expect((await browse("GET", link.path)).text).toContain("This link was already used");
    expect(await browse("GET", link.path, { key: adminKey })).toMatchObject({
      status: 303,
      headers: { Location: "/" },
    });
    expect((await browse("GET", link.path, { key: "revoked" })).status).toBe(401);
    const late = createSignInLink(adminKey, () => now.at);
    now.at += 15 * 60_000 + 1;
    expect(late.take(late.path.split("=")[1] ?? "")).toBeUndefined();
  });
});

it("redirects to paths of this server only", () => {
  const others = [
    "//evil.example.com",
    "https://evil.example.com",
    "/\\evil.example.com",
    "evil",
    "/a\nb",
    "/\u00e9",
    undefined,
  ];
  expect(others.map((path) => localPath(path))).toEqual(others.map(() => "/"));
  expect(localPath("/acme/widgets@v1?tab=pages")).toBe("/acme/widgets@v1?tab=pages");
});

it("redirects visitors to sign-in if reading needs a key, also from the start page", async () => {
  const { browse } = await setupPages({ anonymous: "off" });
  for (const path of ["/", "/acme/widgets"]) {
    const { status, headers } = await browse("GET", path);
    expect([status, headers["Location"]]).toEqual([303, `/-/sign-in?to=${encodeURIComponent(path)}`]);
  }
});

it("answers programs on paths of pages, and browsers on other paths, with JSON errors", async () => {
  const { browse } = await setupPages();
  for (const path of ["/", "/acme/widgets", "/api/nope"]) {
    const { status, body } = await browse("GET", path, {
      headers: { accept: path === "/api/nope" ? "text/html" : "*/*" },
    });
    expect([status, body]).toMatchObject([404, { error: "route_not_found" }]);
  }
});
