import { createPublicKey } from "node:crypto";

import { base64url, SignJWT } from "jose";
import { describe, expect, it } from "vitest";

import { publicUrl } from "../support/issuer.ts";
import { codePassage } from "./samples.ts";
import { getRequest } from "./setup.ts";
import { signingIn } from "./signing-in.ts";

type World = Awaited<ReturnType<typeof signingIn>>;

const list = "/v2/libs";

/** The status and message of a request with a token. */
async function answerTo({ send }: World, key: string): Promise<string> {
  const { status, body } = await send("GET", list, { key });
  return status === 200 ? "200" : `${status} ${(body as { message: string }).message}`;
}

async function prepare(times = {}): Promise<World> {
  const world = await signingIn({}, { times });
  await world.grant("readers", "read");
  return world;
}

const readers = { groups: ["readers"] };
const seconds = (world: World, more: number): number => Math.floor(world.clock.now / 1000) + more;

describe("a token of the issuer", () => {
  it("is accepted like a key, with the rights of its groups", async () => {
    const world = await prepare();
    await world.grant("writers", "submit", "web");
    const as = async (groups: unknown, method = "GET", path = list, headers = {}) => {
      const body = method === "POST" ? { docsRepoUrl: "https://git.example.com/web/new", private: true } : undefined;
      const { status } = await world.send(method, path, { key: await world.issuer.token({ groups }), body, headers });
      return status;
    };
    expect(await as(["readers"])).toBe(200);
    expect(await as("readers")).toBe(200);
    expect(await as(["readers"], "POST", "/v2/add/repo/git")).toBe(403);
    expect(await as(["others"])).toBe(403);
    expect(await as(undefined)).toBe(403);
    expect(await as(["others", "writers"], "POST", "/v2/add/repo/git")).toBe(200);
    // With several teamspaces: that of the first grant, or the one in the request's header.
    expect(await as(["readers", "writers"], "POST", "/v2/add/repo/git")).toBe(403);
    const web = { "x-lectern-teamspace": "web" };
    expect(await as(["readers", "writers"], "POST", "/v2/add/repo/git", web)).toBe(409);
    expect(await as(["readers"], "GET", list, web)).toBe(403);
    await world.catalog.access.withdraw("readers", "default");
    expect(await as(["readers"])).toBe(403);
  });

  it("has the rights of the group *, which it cannot claim itself", async () => {
    const world = await signingIn();
    const key = await world.issuer.token({ groups: ["*"] });
    expect(await answerTo(world, key)).toContain("403 You are signed in, but none of your groups has rights here.");
    await world.grant("*", "read");
    expect(await answerTo(world, key)).toBe("200");
    expect(await answerTo(world, await world.issuer.token({}))).toBe("200");
  });

  it("is refused with the reason if any claim is wrong", async () => {
    const world = await prepare();
    const { issuer } = world;
    const answerWith = async (claims: object, header = {}) =>
      answerTo(world, await issuer.token({ ...readers, ...claims }, header));
    expect(await answerWith({})).toBe("200");
    expect(await answerWith({ aud: ["https://other.example.com", `${publicUrl}/mcp`] })).toBe("200");
    expect(await answerWith({ exp: seconds(world, -61) })).toContain("401 The token has expired.");
    expect(await answerWith({ exp: seconds(world, -30) })).toBe("200");
    expect(await answerWith({ nbf: seconds(world, 61) })).toContain("401 The token is not valid yet.");
    expect(await answerWith({ nbf: seconds(world, 30) })).toBe("200");
    expect(await answerWith({ exp: undefined })).toContain("401 The token lacks");
    expect(await answerWith({ sub: undefined })).toContain("401 The token lacks");
    expect(await answerWith({ aud: "https://other.example.com" })).toContain("401 The token is for another server.");
    expect(await answerWith({ aud: undefined })).toContain("401 The token is for another server.");
    expect(await answerWith({ iss: "https://other.example.com" })).toContain("401 The token is of another issuer.");
    expect(await answerWith({ iss: `${issuer.url}/` })).toContain("401 The token is of another issuer.");
    expect(await answerWith({}, { typ: "logout+jwt" })).toContain("401 The token is not an access token.");
    expect(await answerWith({}, { kid: "key-99" })).toContain("401 The token cannot be verified.");
    expect(await answerWith({}, { crit: ["b64"], b64: true })).toBe("200");
  });

  it("is refused if unsigned, forged, or signed with public data", async () => {
    const world = await prepare();
    const { issuer } = world;
    const good = await issuer.token(readers);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const withHeader = (claims: object) => base64url.encode(JSON.stringify(claims));
    const { kid = "" } = issuer.publicKey();
    const hs256 = async (secret: Uint8Array) =>
      new SignJWT(JSON.parse(Buffer.from(payload, "base64url").toString()) as object as never)
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(secret);
    const pem = createPublicKey({ key: issuer.publicKey() as never, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    const changed = base64url.encode(Buffer.from(payload, "base64url").toString().replace("readers", "admins"));
    const forged = [
      `${withHeader({ alg: "none", typ: "JWT" })}.${payload}.`,
      `${withHeader({ alg: "none", typ: "JWT" })}.${payload}.${signature}`,
      await hs256(Buffer.from(pem)),
      await hs256(Buffer.from(JSON.stringify(issuer.publicKey()))),
      `${header}.${changed}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${withHeader({ alg: "ES256", kid, jwk: issuer.publicKey() })}.${payload}.${signature}`,
      `${header}.${payload}`,
      `${good}.${signature}`,
    ];
    for (const key of forged) expect([key, await answerTo(world, key)]).toEqual([key, expect.stringContaining("401 ")]);
    expect(await answerTo(world, good)).toBe("200");
  });

  it("is not parsed if it is huge, and is not repeated in messages or the log", async () => {
    const world = await prepare();
    const huge = await world.issuer.token({ ...readers, filler: "x".repeat(20_000) });
    const { status, body } = await world.send("GET", list, { key: huge });
    expect(status).toBe(401);
    expect(world.issuer.site.requests).toEqual([]);
    const wide = await world.issuer.token({
      groups: Array.from({ length: 400 }, (_, at) => `group-${at}`).concat("readers"),
    });
    expect(await answerTo(world, wide)).toBe("200");
    const expired = await world.issuer.token({ ...readers, exp: 1 });
    await answerTo(world, expired);
    for (const key of [huge, wide, expired]) {
      expect(JSON.stringify(body)).not.toContain(key);
      expect(world.logged.join("")).not.toContain(key);
    }
  });

  it("identifies its user by subject, with configured claims for user and groups", async () => {
    const world = await signingIn({}, { env: { OAUTH_USER_CLAIM: "email", OAUTH_GROUPS_CLAIM: "realm.roles" } });
    await world.grant("writers", "submit");
    const add = async (name: string, claims: object) => {
      const key = await world.issuer.token({ realm: { roles: ["writers"] }, email: "ann@example.com", ...claims });
      const body = { docsRepoUrl: `https://git.example.com/acme/${name}` };
      const { status } = await world.send("POST", "/v2/add/repo/git", { body, key });
      const found = await world.catalog.libraries.find([""], `/acme/${name}`, "");
      return status === 200 ? found?.library.submittedBy?.keyId : status;
    };
    const [first, second, other] = [await add("one", {}), await add("two", {}), await add("three", { sub: "u-2" })];
    expect(first).toMatch(/^user:[\w-]{32}$/);
    expect(second).toBe(first);
    expect(other).toMatch(/^user:/);
    expect(other).not.toBe(first);
    expect(await add("four", { email: undefined })).toBe(401);
  });

  it("counts for the limit of its user, not of the address", async () => {
    const world = await signingIn({ rateLimitReads: 2, rateLimitAnonymous: 1 });
    await world.grant("readers", "read");
    const ask = async (sub: string) =>
      (await world.send("GET", list, { key: await world.issuer.token({ ...readers, sub }) })).status;
    expect([await ask("u-1"), await ask("u-1"), await ask("u-1"), await ask("u-2")]).toEqual([200, 200, 429, 200]);
  });
});

describe("the keys of the issuer", () => {
  it("are read once for concurrent requests, and not for every unknown key ID", async () => {
    const world = await prepare();
    const { issuer } = world;
    const paths = (): readonly string[] => issuer.site.requests.map(({ path }) => path);
    const key = await issuer.token(readers);
    expect(await Promise.all(Array.from({ length: 20 }, () => answerTo(world, key)))).toEqual(Array(20).fill("200"));
    expect(paths()).toEqual(["/.well-known/openid-configuration", "/keys"]);
    await issuer.rotate();
    const unknown = await issuer.token(readers);
    for (let at = 0; at < 5; at += 1) expect(await answerTo(world, unknown)).toContain("401");
    expect(paths()).toHaveLength(2);
  });

  it("are read again for an unknown key ID", async () => {
    const world = await prepare({ cooldown: 0 });
    const before = await world.issuer.token(readers);
    expect(await answerTo(world, before)).toBe("200");
    await world.issuer.rotate();
    expect(await answerTo(world, await world.issuer.token(readers))).toBe("200");
    // A withdrawn key no longer verifies.
    expect(await answerTo(world, before)).toContain("401 The token cannot be verified.");
  });

  it("are refreshed in the background, and used meanwhile for a limited time", async () => {
    const world = await prepare({ fresh: -1, cooldown: 0 });
    const before = new Map(world.issuer.site.pages);
    const key = await world.issuer.token(readers);
    expect(await answerTo(world, key)).toBe("200");
    world.issuer.site.pages.clear();
    expect(await answerTo(world, key)).toBe("200");
    await expect.poll(() => world.problems.length).toBeGreaterThan(0);
    for (const [path, page] of before) world.issuer.site.pages.set(path, page);
    await world.issuer.rotate();
    // A request triggers the refresh, after which the withdrawn key is refused.
    await expect.poll(() => answerTo(world, key)).toContain("401");
    const forgetful = await prepare({ kept: 0 });
    const one = await forgetful.issuer.token(readers);
    expect(await answerTo(forgetful, one)).toBe("200");
    forgetful.issuer.site.pages.clear();
    await expect.poll(() => answerTo(forgetful, one)).toContain("503");
  });

  it.each<[string, (world: World) => void]>([
    ["is away", ({ issuer }) => issuer.site.pages.clear()],
    ["never answers", ({ issuer }) => issuer.site.pages.set("/keys", () => {})],
    ["sends no JSON", ({ issuer }) => issuer.site.pages.set("/keys", "<html>no</html>")],
    ["sends no key set", ({ issuer }) => issuer.site.pages.set("/keys", '{"keys": "all"}')],
    [
      "sends a huge one",
      ({ issuer }) => issuer.site.pages.set("/keys", `{"keys": [], "x": "${"x".repeat(2_000_000)}"}`),
    ],
    [
      "sends elsewhere",
      ({ issuer }) => issuer.site.pages.set("/keys", { status: 302, headers: { location: "http://10.0.0.1/keys" } }),
    ],
    [
      "describes another one",
      ({ issuer }) =>
        issuer.site.pages.set(
          "/.well-known/openid-configuration",
          `{"issuer":"https://other.example.com","jwks_uri":"${issuer.url}/keys"}`,
        ),
    ],
  ])("are unavailable if it %s: 503 for tokens, without delaying other requests", async (_, misbehave) => {
    const world = await prepare();
    misbehave(world);
    const { key } = await world.addKey(["read"]);
    const pending = answerTo(world, await world.issuer.token(readers));
    expect(await answerTo(world, key)).toBe("200");
    expect(await pending).toContain("503 The issuer of tokens does not answer as it should.");
  });

  it("are read again after an outage", async () => {
    const world = await prepare();
    const before = new Map(world.issuer.site.pages);
    world.issuer.site.pages.clear();
    const key = await world.issuer.token(readers);
    expect(await answerTo(world, key)).toContain("503");
    for (const [path, page] of before) world.issuer.site.pages.set(path, page);
    expect(await answerTo(world, key)).toBe("200");
  });

  it("verify nothing if they are invalid", async () => {
    const world = await prepare();
    const { kid } = world.issuer.publicKey();
    const secret = base64url.encode("0123456789abcdef0123456789abcdef");
    for (const keys of [
      [{ kty: "oct", kid, k: secret, alg: "HS256" }],
      [{ kty: "EC", kid, crv: "P-256", x: "AA", y: "AA" }],
      [],
    ]) {
      const lying = await prepare();
      lying.issuer.site.pages.set("/keys", JSON.stringify({ keys }));
      expect(await answerTo(lying, await lying.issuer.token(readers))).toContain("401");
    }
    expect(await answerTo(world, await world.issuer.token(readers))).toBe("200");
  });
});

describe("a server with an issuer", () => {
  it("has metadata that tells clients where to sign in", async () => {
    const { send, app, issuer } = await signingIn({}, { env: { OAUTH_SCOPES: "openid,docs" } });
    const read = async (path: string) => app(getRequest(path));
    const root = "/.well-known/oauth-protected-resource";
    for (const resource of ["", "/mcp", "/api", "/api/mcp"])
      expect(await read(`${root}${resource}`)).toMatchObject({
        status: 200,
        body: {
          resource: `${publicUrl}${resource}`,
          authorization_servers: [issuer.url],
          scopes_supported: ["openid", "docs"],
        },
      });
    expect((await read(`${root}/other`)).status).toBe(404);
    const challenged = async (method: string, path: string, request: object) =>
      (await send(method, path, request)).headers["WWW-Authenticate"];
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(await challenged("POST", "/mcp", { key: null, body })).toBe(
      `Bearer resource_metadata="${publicUrl}${root}/api/mcp", scope="openid docs"`,
    );
    expect(await challenged("GET", list, { key: "lct_wrong" })).toBe(
      `Bearer resource_metadata="${publicUrl}${root}", scope="openid docs", error="invalid_token"`,
    );
    expect(await send("GET", "/auth/mcp", { key: null })).toMatchObject({ status: 200, body: { enabled: true } });
  });

  it("lets callers without a key read, and makes agents sign in", async () => {
    const world = await signingIn();
    await world.finish(await world.submit("/acme/widgets"), [codePassage]);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const context = "/v2/context?libraryId=/acme/widgets&query=widget";
    expect((await world.send("GET", context, { key: null })).status).toBe(200);
    expect((await world.send("POST", "/mcp", { key: null, body })).status).toBe(401);
    await world.grant("readers", "read");
    const key = await world.issuer.token(readers);
    expect((await world.send("POST", "/mcp", { key, body })).status).toBe(200);
    const { status, headers } = await world.send("GET", context, { key });
    expect([status, headers["Cache-Control"]]).toEqual([200, "private, max-age=300"]);
    expect(headers["Vary"]).toBe("X-Lectern-Teamspace, Authorization, Accept-Encoding");
  });
});
