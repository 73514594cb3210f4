import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";

import { openIssuer } from "../../cli/issuer.ts";
import { loadConfig } from "../../cli/config.ts";
import { createOidc } from "../../api/dashboard/oidc.ts";
import type { ApiAnswer } from "../../api/answers.ts";
import { publicUrl, startIssuer, type SigningIn } from "../support/issuer.ts";
import { setupPages } from "./world.ts";

const readers = { groups: ["readers"] };

/** A server with sign-in by an issuer on loopback; `go` is a browser that keeps cookies. */
async function prepare(user: SigningIn = { claims: readers }) {
  const issuer = await startIssuer();
  const config = loadConfig({
    OAUTH_ISSUER: issuer.url,
    PUBLIC_URL: publicUrl,
    OAUTH_CLIENT_ID: "dashboard",
    OAUTH_CLIENT_SECRET: "s3cret",
  });
  const opened = openIssuer(config, pino({ level: "silent" }));
  if (!opened?.oidc) throw new Error("There is no issuer.");
  onTestFinished(async () => {
    await opened.close();
    await issuer.close();
  });
  const world = await setupPages({ publicUrl }, { issuer: opened.issuer }, undefined, createOidc(opened.oidc));
  world.clock.now = Date.now();
  await world.catalog.access.grant({ group: "readers", scope: "read", teamspace: "default", createdAt: 0 });
  issuer.signsIn(user);
  const jar = new Map<string, string>();
  const go = async (target: string): Promise<ApiAnswer & { readonly text: string }> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await world.browse("GET", target, { headers: { cookie } });
    for (const set of answer.cookies ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (set.includes("Max-Age=0")) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  /** Signs in at the issuer; returns the path of its redirect back. */
  const atIssuer = async (): Promise<string> => {
    const { status, headers } = await go("/-/oidc/sign-in?to=/acme/widgets");
    expect(status).toBe(303);
    const back = await fetch(headers["Location"] ?? "", { redirect: "manual" });
    const url = new URL(back.headers.get("location") ?? "");
    expect(url.origin + url.pathname).toBe(`${publicUrl}/-/oidc/callback`);
    return url.pathname + url.search;
  };
  return { ...world, issuer, jar, go, atIssuer };
}

it("leads to the issuer and back to the requested page, with the rights of the user's groups", async () => {
  const { go, atIssuer, jar } = await prepare();
  expect((await go("/-/sign-in?to=/acme/widgets")).text).toContain("/-/oidc/sign-in?to=%2Facme%2Fwidgets");
  const { status, headers } = await go(await atIssuer());
  expect([status, headers["Location"]]).toEqual([303, "/acme/widgets"]);
  expect((await go("/")).status).toBe(200);
  expect((await go("/-/admin/keys")).status).toBe(403);
  expect([...jar.keys()].some((name) => name.includes("attempt"))).toBe(false);
  expect([...jar.values()].join()).not.toMatch(/eyJ[\w-]*\.eyJ/);
});

it("redirects to paths of this server only", async () => {
  const { go } = await prepare();
  const { headers } = await go("/-/oidc/sign-in?to=https://evil.example.com/");
  const back = await fetch(headers["Location"] ?? "", { redirect: "manual" });
  const { pathname, search } = new URL(back.headers.get("location") ?? "");
  expect((await go(pathname + search)).headers["Location"]).toBe("/");
});

it.each<[string, (back: string) => string]>([
  ["another state", (back) => back.replace(/state=[^&]*/, "state=forged")],
  ["no state", (back) => back.replace(/&state=[^&]*/, "")],
  ["another code", (back) => back.replace(/code=[^&]*/, "code=forged")],
  ["no code", (back) => back.replace(/code=[^&]*/, "")],
  ["another issuer", (back) => `${back}&iss=https%3A%2F%2Fevil.example.com`],
  [
    "an error of the issuer",
    (back) => back.replace(/code=[^&]*/, "error=access_denied&error_description=%3Cscript%3E"),
  ],
])("signs nobody in with %s", async (_name, forge) => {
  const { go, atIssuer, jar } = await prepare();
  const { status, text } = await go(forge(await atIssuer()));
  expect(status).toBe(403);
  expect(text).not.toContain("<script>");
  expect([...jar.keys()].some((name) => name.includes("session"))).toBe(false);
});

it.each<[string, SigningIn, number]>([
  ["has another nonce", { claims: readers, idClaims: { nonce: "forged" } }, 403],
  ["is for another client", { claims: readers, idClaims: { aud: "other" } }, 403],
  ["is of another issuer", { claims: readers, idClaims: { iss: "https://evil.example.com" } }, 403],
  ["has expired", { claims: readers, idClaims: { exp: 1 } }, 403],
  [
    "comes with an access token for another server",
    { claims: { ...readers, aud: "https://other.example.com" }, idClaims: { aud: "dashboard" } },
    403,
  ],
  ["comes with an expired access token", { claims: readers, expiresIn: -120 }, 403],
  ["is of somebody without rights here", { claims: { groups: ["others"] } }, 403],
])("signs nobody in whose token %s", async (_name, user, expected) => {
  const { go, atIssuer, jar } = await prepare(user);
  expect((await go(await atIssuer())).status).toBe(expected);
  expect((await go("/-/live?id=/acme/widgets")).headers["Location"]).toMatch(/^\/-\/sign-in/);
  expect(jar.size).toBeLessThan(3);
});

it("accepts a code and an attempt once, and only in the browser that started it", async () => {
  const { go, atIssuer, jar } = await prepare();
  const back = await atIssuer();
  const savedCookies = new Map(jar);
  jar.clear();
  expect((await go(back)).text).toContain("This sign-in was started in another browser");
  for (const [name, value] of savedCookies) jar.set(name, value);
  expect((await go(back)).status).toBe(303);
  expect((await go(back)).status).toBe(403);
  for (const [name, value] of savedCookies) jar.set(name, value);
  expect((await go(back)).status).toBe(403);
});

it("ends with its token, or is renewed with a refresh token", async () => {
  const { go, atIssuer, clock } = await prepare({ claims: readers, expiresIn: 600, refreshes: true });
  await go(await atIssuer());
  expect((await go("/")).status).toBe(200);
  clock.now += 700_000;
  const { headers } = await go("/");
  expect(headers["Location"]).toBe("/-/oidc/renew?to=%2F");
  expect((await go(headers["Location"] ?? "")).headers["Location"]).toBe("/");
  expect((await go("/")).status).toBe(200);
  const short = await prepare({ claims: readers, expiresIn: 600 });
  await short.go(await short.atIssuer());
  short.clock.now += 700_000;
  expect((await short.go("/-/live?id=/acme/widgets")).headers["Location"]).toMatch(/^\/-\/sign-in/);
});

it("signing out also ends copies of the cookie from before and after a renewal", async () => {
  const { go, atIssuer, clock, jar, browse, sessions } = await prepare({
    claims: readers,
    expiresIn: 600,
    refreshes: true,
  });
  await go(await atIssuer());
  const copied = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  clock.now += 700_000;
  await go((await go("/")).headers["Location"] ?? "");
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  expect(cookie).not.toBe(copied);
  const headers = { host: new URL(publicUrl).host, cookie };
  const { formToken = "" } = sessions.of({ headers }) ?? {};
  expect((await browse("POST", "/-/sign-out", { fields: { formToken }, headers: { cookie } })).status).toBe(303);
  for (const stolen of [copied, cookie]) {
    const renewed = await browse("GET", "/-/oidc/renew?to=/", { headers: { cookie: stolen } });
    expect(renewed.headers["Location"]).toBe("/-/sign-in?to=%2F");
    expect((await browse("GET", "/-/live?id=/a/b", { headers: { cookie: stolen } })).headers["Location"]).toMatch(
      /^\/-\/sign-in/,
    );
  }
});

it("splits long tokens into several cookies, and refuses those too long for a browser", async () => {
  const groups = (many: number) => ({ groups: ["readers", ...Array.from({ length: many }, (_, at) => `group-${at}`)] });
  const { go, atIssuer, jar } = await prepare({ claims: groups(300) });
  await go(await atIssuer());
  expect((await go("/")).status).toBe(200);
  expect(jar.size).toBeGreaterThan(1);
  for (const value of jar.values()) expect(value.length).toBeLessThan(4000);
  const huge = await prepare({ claims: groups(700) });
  expect((await huge.go(await huge.atIssuer())).text).toContain("too long for a session");
});

it("signs in with a pasted token that takes several cookies", async () => {
  const { browse, issuer } = await prepare();
  const groups = ["readers", ...Array.from({ length: 300 }, (_, at) => `group-${at}`)];
  const { status, cookies = [] } = await browse("POST", "/-/sign-in", {
    fields: { key: await issuer.token({ groups }) },
  });
  expect(status).toBe(303);
  expect(cookies.length).toBeGreaterThan(1);
  const cookie = cookies.map((set) => set.split(";")[0]).join("; ");
  expect((await browse("GET", "/", { headers: { cookie } })).status).toBe(200);
});

it("is unavailable while the issuer is unreachable, but keys still work", async () => {
  const { go, issuer, browse, addKey } = await prepare();
  issuer.site.pages.clear();
  expect((await go("/-/oidc/sign-in")).status).toBe(503);
  const { key } = await addKey(["read"]);
  expect((await browse("GET", "/", { key })).status).toBe(200);
});
