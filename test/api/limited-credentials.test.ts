import { describe, expect, it } from "vitest";

import { setup } from "./setup.ts";

const host = "https://git.example.com";
const site = "https://intra.example.com";
const denied = (id: string) => ({
  status: 403,
  body: {
    error: "access_denied",
    message: expect.stringMatching(new RegExp(`^Your key is limited to .*${id}.*\\.$`)) as string,
  },
});

/** Shared credentials of the default teamspace for a Git host and a website, and a key for `/web/*` and `/websites/intra_example_com_web`. */
async function world() {
  const all = await setup({ rateLimitSubmissions: 1000 });
  const { send, addKey, catalog } = all;
  const make = async (body: object) => ((await send("POST", "/v2/credentials", { body })).body as { id: string }).id;
  const git = await make({ kind: "git", name: "ci", host: "git.example.com", data: { token: "t" } });
  const headers = await make({
    kind: "website",
    name: "sso",
    host: "intra.example.com",
    data: { headers: { cookie: "s" } },
  });
  const libraries = ["/web/*", "/websites/intra_example_com_web"];
  const limited = (await addKey(["submit"], { libraries })).key;
  const limitedAdmin = (await addKey(["admin"], { libraries })).key;
  const unlimited = (await addKey(["submit"])).key;
  const repository = (path: string, fields: object = {}) => ({
    docsRepoUrl: `${host}${path}`,
    credential: git,
    ...fields,
  });
  const website = (path: string, fields: object = {}) => ({
    websiteUrl: `${site}${path}`,
    libraryName: "/websites/intra_example_com_web",
    credential: headers,
    ...fields,
  });
  const add = (key: string, body: object) =>
    send("POST", "websiteUrl" in body ? "/v2/add/website" : "/v2/add/repo/git", { key, body });
  const preview = (key: string, body: object) => send("POST", "/v2/preview", { key, body });
  const credentialOf = async (id: string) =>
    (await catalog.libraries.find(["default"], id, ""))?.library.credential ?? null;
  return { ...all, git, headers, limited, limitedAdmin, unlimited, repository, website, add, preview, credentialOf };
}

describe("a shared credential used by a limited key", () => {
  it.each([
    ["/secret/plans", "/secret/plans"],
    ["/WEB-secret/plans", "/WEB-secret/plans"],
    ["/web/../secret/plans.git", "/secret/plans"],
    ["/web/sub/plans", "/web-sub/plans"],
    ["/web", "/git.example.com/web"],
  ])("is refused for the repository %s under a permitted ID, and for its preview", async (path, id) => {
    const { add, preview, limited, limitedAdmin, repository, engine, sourceHost } = await world();
    const body = repository(path, { libraryName: "/web/mine" });
    for (const key of [limited, limitedAdmin]) {
      expect(await add(key, body)).toMatchObject(denied(id));
      expect(await preview(key, body)).toMatchObject(denied(id));
    }
    expect(engine.started).toEqual([]);
    expect(sourceHost.asked).toEqual([]);
  });

  it("is permitted for repositories whose addresses match its patterns, under any matching ID", async () => {
    const { add, preview, limited, repository, git, credentialOf } = await world();
    expect((await preview(limited, repository("/web/plans.git"))).status).toBe(200);
    expect((await add(limited, repository("/web/plans"))).status).toBe(200);
    expect((await add(limited, repository("/web/other", { libraryName: "/web/mine" }))).status).toBe(200);
    expect([await credentialOf("/web/plans"), await credentialOf("/web/mine")]).toEqual([git, git]);
  });

  it("is refused for a repository whose address gives no ID", async () => {
    const { add, limited, unlimited, repository } = await world();
    const body = repository("/docs/handbook", { libraryName: "/web/mine" });
    expect(await add(limited, body)).toMatchObject(denied("whose address gives no ID"));
    expect((await add(unlimited, body)).status).toBe(200);
  });

  it("cannot be given to a library of another source by a refresh or a change", async () => {
    const { send, add, limited, limitedAdmin, unlimited, repository, git, credentialOf } = await world();
    const { credential: _none, ...bare } = repository("/secret/plans", { libraryName: "/web/mine", private: true });
    expect((await add(limited, bare)).status).toBe(200);
    expect((await add(limited, { ...bare, docsRepoUrl: `${host}/web/own`, libraryName: "/web/own" })).status).toBe(200);
    const refresh = (key: string, libraryName: string) =>
      send("POST", "/v1/refresh", { key, body: { libraryName, credential: git } });
    for (const key of [limited, limitedAdmin]) {
      expect(await refresh(key, "/web/mine")).toMatchObject(denied("/secret/plans"));
      await send("PATCH", "/v2/libs", {
        key,
        body: { libraryName: "/web/mine", title: "x", credential: git, source: { url: `${host}/secret/plans` } },
      });
    }
    expect(await credentialOf("/web/mine")).toBeNull();
    expect((await refresh(limited, "/web/own")).status).toBe(200);
    expect((await refresh(unlimited, "/web/mine")).status).toBe(200);
    expect(await credentialOf("/web/mine")).toBe(git);
    expect((await send("POST", "/v1/refresh", { key: limited, body: { libraryName: "/web/mine" } })).status).toBe(200);
  });

  it.each([
    ["/secret", {}],
    ["/web", { scope: "hostname" }],
    ["/web", { scope: "domain" }],
    ["/web", { websiteBaseUrl: `${site}/` }],
    ["/web", { websiteBaseUrl: `${site}/secret/` }],
    ["/web/", { websiteBaseUrl: `${site}/web` }],
    ["/secret/", { websiteBaseUrl: `${site}/web/` }],
    ["/secret/", { websiteBaseUrl: "https://other.example.com/" }],
    ["/web.html", {}],
    ["/web/../secret/", {}],
  ])("is refused for the website at %s with %j", async (path, fields) => {
    const { add, preview, limited, unlimited, website } = await world();
    const body = website(path, fields);
    expect(await add(limited, body)).toMatchObject(denied("/websites/"));
    expect(await preview(limited, body)).toMatchObject(denied("/websites/"));
    expect((await add(unlimited, body)).status).toBe(200);
  });

  it.each([
    ["/web", {}],
    ["/web/", {}],
    ["/web/index.html", {}],
    ["/web/guide/", { websiteBaseUrl: `${site}/web/` }],
    ["/docs/web/", {}],
  ])("is permitted for the website at %s with %j", async (path, fields) => {
    const { add, limited, website } = await world();
    expect((await add(limited, website(path, fields))).status).toBe(200);
  });

  it("is unrestricted for a key without patterns, and so is a key's own token", async () => {
    const { add, limited, unlimited, repository } = await world();
    expect((await add(unlimited, repository("/secret/plans", { libraryName: "/web/mine" }))).status).toBe(200);
    const own = { docsRepoUrl: `${host}/secret/plans`, libraryName: "/web/own", gitToken: "mine" };
    expect((await add(limited, own)).status).toBe(200);
  });
});
