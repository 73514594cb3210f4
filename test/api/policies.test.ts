import { expect, it } from "vitest";

import { withLibraries } from "./policy-world.ts";

/** The default policy as answered. */
const open = {
  sourceTypes: {
    public_repos: { enabled: true },
    private_sources: { enabled: true },
    confluence: { enabled: true },
    uploaded_files: { enabled: true },
    websites: { enabled: true },
    llmstxt: { enabled: true },
  },
  libraryFilters: {
    mode: null,
    quality: {
      requireVerified: false,
      minTrustScore: null,
      maxAgeDays: null,
      blockedLibraries: [],
      exceptedLibraries: [],
      repoFilters: { minStars: null, allowedLicenses: [] },
      websiteFilters: { minBacklinks: null, minReferringDomains: null, minOrganicTraffic: null },
    },
    select: { allowedLibraries: [] },
  },
  upstream: { enabled: false },
};

it("returns the whole policy with the number of readable public libraries", async () => {
  const { send, addKey, submit } = await withLibraries("/acme/widgets", "/acme/gears", "/other/one");
  await submit("/acme/coming");
  expect((await send("GET", "/v2/policies")).body).toEqual({ ...open, accessibleLibraryCount: 3 });
  // Libraries outside of a key's patterns are not counted.
  const { key } = await addKey(["read"], { libraries: ["/acme/*"] });
  expect((await send("GET", "/v2/policies", { key })).body).toEqual({ ...open, accessibleLibraryCount: 2 });
});

it("changes only the given fields", async () => {
  const { patch, send } = await withLibraries("/acme/widgets", "/acme/gears", "/other/one");
  const first = await patch({
    sourceTypes: { disable: ["websites", "llmstxt"] },
    libraryFilters: {
      mode: "quality",
      quality: {
        minTrustScore: 7,
        maxAgeDays: 90,
        blockedLibraries: { add: ["/Acme/Widgets", " Bad.Example.com. ", "/evil"] },
        repoFilters: { minStars: 100, allowedLicenses: { add: ["MIT", "Apache-2.0"] } },
        websiteFilters: { minBacklinks: 5 },
      },
      select: { allowedLibraries: { add: ["/acme"] } },
    },
  });
  expect(first.body).toMatchObject({ accessibleLibraryCount: 0 });
  const second = await patch({
    sourceTypes: { enable: ["llmstxt"], disable: ["confluence"] },
    libraryFilters: {
      quality: {
        minTrustScore: null,
        blockedLibraries: { add: ["/new/one", "/acme/widgets"], remove: ["/EVIL", "/not/there"] },
        exceptedLibraries: { add: ["docs.example.com"] },
        repoFilters: { minStars: null, allowedLicenses: { clear: true } },
      },
    },
  });
  expect(second.body).toEqual({
    sourceTypes: { ...open.sourceTypes, websites: { enabled: false }, confluence: { enabled: false } },
    libraryFilters: {
      mode: "quality",
      quality: {
        requireVerified: false,
        minTrustScore: null,
        maxAgeDays: 90,
        blockedLibraries: ["/Acme/Widgets", "bad.example.com", "/new/one"],
        exceptedLibraries: ["docs.example.com"],
        repoFilters: { minStars: null, allowedLicenses: [] },
        websiteFilters: { minBacklinks: 5, minReferringDomains: null, minOrganicTraffic: null },
      },
      select: { allowedLibraries: ["/acme"] },
    },
    upstream: { enabled: false },
    accessibleLibraryCount: 2,
  });
  expect((await send("GET", "/v2/policies")).body).toEqual(second.body);
  expect((await patch({ libraryFilters: { mode: "select" } })).body).toMatchObject({ accessibleLibraryCount: 2 });
  expect((await patch({ libraryFilters: { mode: null } })).body).toMatchObject({ accessibleLibraryCount: 3 });
  expect((await patch({ upstream: { enabled: true } })).body).toMatchObject({ upstream: { enabled: true } });
  expect((await patch({ libraryFilters: { mode: null } })).body).toMatchObject({ upstream: { enabled: true } });
});

it.each([
  [{}, "Nothing to change"],
  [{ sourceTypes: { enable: ["websites"], disable: ["websites"] } }, "websites in enable and in disable"],
  [{ sourceTypes: { disable: ["notion"] } }, "must be one of public_repos"],
  [{ libraryFilters: { mode: "strict" } }, "mode must be quality, select or null"],
  [{ libraryFilters: { quality: { minTrustScore: 11 } } }, "from 0 to 10"],
  [{ libraryFilters: { quality: { minTrustScore: 6.5 } } }, "from 0 to 10"],
  [{ libraryFilters: { quality: { maxAgeDays: 0 } } }, "from 1 to"],
  [{ libraryFilters: { quality: { requireVerified: null } } }, "must be true or false"],
  [{ libraryFilters: { quality: { blockedLibraries: ["/a/b"] } } }, "blockedLibraries"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["acme"] } } } }, "/org/repo, /org, or a domain"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["/a/b/c"] } } } }, "/org/repo, /org, or a domain"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["*.example.com"] } } } }, "/org/repo, /org, or a domain"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["https://a.com/x"] } } } }, "/org/repo, /org, or a domain"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["/a/*"] } } } }, "/org/repo, /org, or a domain"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["/a"], clear: true } } } }, "Send clear alone"],
  [{ libraryFilters: { quality: { blockedLibraries: { add: ["/a"], remove: ["/A"] } } } }, "in add and in remove"],
  [{ libraryFilters: { quality: { repoFilters: { allowedLicenses: { add: ["M I T"] } } } } }, "an SPDX identifier"],
  [{ libraryFilters: { quality: { repoFilters: { allowedLicenses: { add: ["x".repeat(65)] } } } } }, "64 characters"],
  [{ libraryFilters: { quality: { repoFilters: { minStars: -1 } } } }, "from 0 to"],
])("refuses %j, and changes nothing", async (body, message) => {
  const { send, patch } = await withLibraries();
  expect(await patch(body)).toMatchObject({
    status: 400,
    body: { error: "validation_error", message: expect.stringContaining(message) as string },
  });
  expect((await send("GET", "/v2/policies")).body).toEqual({ ...open, accessibleLibraryCount: 0 });
});

it("changes a policy only if If-Match matches its ETag", async () => {
  const { send, patch, addKey } = await withLibraries();
  const tag = (await send("GET", "/v2/policies")).headers["ETag"] ?? "";
  const matching = (value: string, type = "websites") =>
    patch({ sourceTypes: { disable: [type] } }, { headers: { "if-match": value } });
  const changed = await matching(tag);
  expect(changed).toMatchObject({ status: 200, headers: { ETag: expect.not.stringContaining(tag) as string } });
  expect(await matching(tag, "llmstxt")).toMatchObject({ status: 412, body: { error: "precondition_failed" } });
  expect((await send("GET", "/v2/policies")).body).toEqual(changed.body);
  const now = changed.headers["ETag"] ?? "";
  for (const value of [`"other", W/${now}`, "*"]) expect((await matching(value)).status).toBe(200);
  // Without changes, the ETag stays.
  expect((await send("GET", "/v2/policies")).headers["ETag"]).toBe(now);
  const { key } = await addKey(["admin"], { teamspace: "web" });
  const others = await patch({ sourceTypes: { disable: ["websites"] } }, { key, headers: { "if-match": now } });
  expect(others.status).toBe(412);
});

it("keeps every one of many concurrent changes", async () => {
  const { send, patch } = await withLibraries();
  const ids = Array.from({ length: 20 }, (_, at) => `/acme/l${at}`);
  await Promise.all(ids.map((id) => patch({ libraryFilters: { quality: { blockedLibraries: { add: [id] } } } })));
  const { body } = await send("GET", "/v2/policies");
  const { quality } = (body as { libraryFilters: { quality: { blockedLibraries: string[] } } }).libraryFilters;
  expect(new Set(quality.blockedLibraries)).toEqual(new Set(ids));
});
