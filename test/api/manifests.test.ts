import { expect, it } from "vitest";
import { setup } from "./setup.ts";

const manifest = `
name: platform
defaults:
  schedule: 7
libraries:
  - docsRepoUrl: https://github.com/acme/widgets
    branch: main
    folders: [docs]
    versions: [v1]
  - websiteUrl: https://docs.example.com/guide/
    title: Guide
    maxPages: 50
    schedule: never
  - llmstxtUrl: https://example.com/llms.txt
  - openApiUrl: https://example.com/openapi.yaml
    private: true
  - name: zod
    registry: npm
    trustScore: 9
`;

interface Applied {
  readonly message: string;
  readonly problems: readonly string[];
  readonly libraries: readonly {
    readonly libraryId: string;
    readonly action: string;
    readonly changes: readonly unknown[];
    readonly drift: readonly unknown[];
    readonly problem?: string;
  }[];
}

async function world(settings: object = {}) {
  const all = await setup(settings);
  const apply = async (text: string, how: object = {}): Promise<Applied> => {
    const { status, body } = await all.send("POST", "/v2/manifests/apply", { body: { manifest: text, ...how } });
    expect(status, JSON.stringify(body)).toBe(200);
    return body as Applied;
  };
  const refused = async (text: string, how: object = {}): Promise<string> => {
    const { status, body } = await all.send("POST", "/v2/manifests/apply", { body: { manifest: text, ...how } });
    expect(status, JSON.stringify(body)).toBe(400);
    return (body as { message: string }).message;
  };
  const get = (path: string) => all.send("GET", path);
  const actions = ({ libraries }: Applied) => libraries.map(({ libraryId, action }) => `${action} ${libraryId}`);
  return { ...all, apply, refused, actions, get };
}

it("adds all kinds of sources with their settings, beyond the limit of submissions, and changes nothing the second time", async () => {
  const { apply, actions, get } = await world({ rateLimitSubmissions: 3 });
  const dry = await apply(manifest, { dryRun: true });
  expect(dry.message).toContain("5 libraries added");
  expect(await apply(manifest)).toMatchObject({
    problems: [],
    message: "5 libraries added, 0 changed, 0 removed, 0 unchanged.",
  });
  const settings = await get("/v2/libs/settings?libraryId=/websites/example_com_guide");
  expect(settings.body).toMatchObject({ title: "Guide", schedule: "never" });
  expect((await get("/v2/libs/settings?libraryId=/npm/zod")).body).toMatchObject({ trustScore: 9, schedule: 7 });
  const again = await apply(manifest);
  expect(again.message).toBe("0 libraries added, 0 changed, 0 removed, 5 unchanged.");
  expect(actions(again)[0]).toBe("keep /acme/widgets");
});

it("names every problem with its line and field, and then changes nothing", async () => {
  const { refused, send, get } = await world();
  const said = await refused(`
libraries:
  - docsRepoUrl: https://github.com/acme/widgets
    brunch: main
    gitToken: ghp_1234567890
  - websiteUrl: https://docs.example.com/
    maxPages: 0
  - title: nothing
  - docsRepoUrl: https://github.com/acme/gadgets
    credential: nobody
  - docsRepoUrl: https://github.com/acme/gadgets
    schedule: soon
  - docsRepoUrl: ftp://example.com/x
unknown: 1
`);
  expect(said).toContain("line 14: unknown is not a member of a manifest");
  const rest = (text: string) => text.replace("unknown: 1", "");
  const more = await refused(
    rest(`
libraries:
  - docsRepoUrl: https://github.com/acme/widgets
    brunch: main
    gitToken: ghp_1234567890
  - websiteUrl: https://docs.example.com/
    maxPages: 0
  - title: nothing
  - docsRepoUrl: https://github.com/acme/gadgets
    credential: nobody
  - docsRepoUrl: https://github.com/acme/gadgets
    schedule: soon
  - docsRepoUrl: ftp://example.com/x
  - docsRepoUrl: https://github.com/acme/twice
  - docsRepoUrl: https://github.com/acme/twice
`),
  );
  expect(more).toContain("line 4: libraries[0].brunch is not a field of a Git repository");
  expect(more).toContain("line 5: libraries[0].gitToken is a secret, and has no place in a manifest");
  expect(more).not.toContain("ghp_");
  expect(more).toContain("line 7: libraries[1].maxPages must be a whole number from 1 to 50000.");
  expect(more).toContain("line 8: The entry names no source");
  expect(more).toContain("line 10: libraries[3].credential must be the name of a shared credential");
  expect(more).toContain("line 12: libraries[4].schedule must be days from 1 to 365, or never");
  expect(more).toContain("line 13: libraries[5].docsRepoUrl must be an absolute URL");
  expect(more).toContain("line 15: libraries[7] has the ID /acme/twice of line 14");
  expect(await refused("libraries:\n  - a: [")).toMatch(/line \d/);
  expect(await refused("a: &a [x]\nlibraries: text")).toContain("line 2: libraries must be a list of libraries");
  expect((await get("/v2/libs")).body).toMatchObject({ total: 0 });
  const body = { manifest: "libraries: []" };
  expect((await send("POST", "/v2/manifests/apply", { body, key: null })).status).toBe(401);
});

it("shows what people changed as drift, changes what the manifest changes, and resets what it no longer names", async () => {
  const { apply, send, get } = await world();
  const of = (fields: string) => `libraries:\n  - docsRepoUrl: https://github.com/acme/widgets\n${fields}`;
  await apply(of("    folders: [docs]\n    schedule: 7\n    title: Widgets\n"));
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", folders: ["site"], trustScore: 3 } });
  const drifted = await apply(of("    folders: [docs]\n    schedule: 3\n    title: Widgets\n"));
  expect(drifted.libraries).toMatchObject([
    {
      action: "change",
      changes: [{ field: "schedule", declared: 3, present: 7 }],
      drift: [{ field: "folders", declared: ["docs"], present: ["site"] }],
    },
  ]);
  expect((await get("/v2/manifests")).body).toMatchObject({
    watched: null,
    manifests: [
      { name: "libraries", isWatched: false, libraries: 1, drift: [{ libraryId: "/acme/widgets", field: "folders" }] },
    ],
  });
  const reset = await apply(of("    folders: [docs]\n"), { overwrite: true });
  expect(reset.libraries[0]?.changes).toEqual([
    { field: "folders", declared: ["docs"], present: ["site"] },
    { field: "title", declared: null, present: "Widgets" },
    { field: "schedule", declared: null, present: 3 },
  ]);
  expect((await get("/v2/libs/settings?libraryId=/acme/widgets")).body).toMatchObject({
    schedule: null,
    title: null,
    trustScore: 3,
  });
});

it("removes only what it made, only with prune, and more than a tenth only when confirmed", async () => {
  const { apply, refused, submit, actions, get } = await world();
  await submit("/acme/own");
  const list = (...names: readonly string[]) =>
    `libraries:\n${names.map((name) => `  - docsRepoUrl: https://git.example.com/acme/${name}\n`).join("")}`;
  const many = Array.from({ length: 10 }, (_, index) => `lib${index}`);
  await apply(list("own", ...many));
  const left = await apply(list(...many.slice(1)));
  expect(actions(left).slice(-2)).toEqual(["unlisted /acme/lib0", "forget /acme/own"]);
  expect((await get("/v2/libs")).body).toMatchObject({ total: 11 });
  const removed = await apply(list(...many.slice(1)), { prune: true });
  expect(actions(removed).at(-1)).toBe("remove /acme/lib0");
  expect(await refused(list(...many.slice(3)), { prune: true })).toContain("2 libraries of 9 would be removed");
  await apply(list(...many.slice(3)), { prune: true, confirm: true });
  expect((await get("/v2/libs")).body).toMatchObject({ total: 8 });
  expect((await get("/v2/libs/status?libraryId=/acme/own")).status).toBe(200);
});

it("refuses an ID of another source, and keeps a repository that its host renamed", async () => {
  const { apply, refused, catalog } = await world();
  const of = (address: string) => `libraries:\n  - docsRepoUrl: ${address}\n    libraryName: /acme/widgets\n`;
  await apply(of("https://github.com/acme/widgets"));
  expect(await refused(of("https://github.com/other/widgets"))).toContain(
    "/acme/widgets was added from https://github.com/acme/widgets",
  );
  const view = await catalog.libraries.find([""], "/acme/widgets", "");
  const move = { from: "https://github.com/acme/widgets", to: "https://github.com/acme/moved", id: null };
  await catalog.libraries.move(view?.library.uid ?? "", move, Date.now());
  expect((await apply(of("https://github.com/acme/widgets"))).message).toContain("1 unchanged");
});

it("refuses a library that another manifest declares, unless it takes it over", async () => {
  const { apply, refused } = await world();
  const of = (name: string, entries: string) => `name: ${name}\nlibraries: ${entries}`;
  const entries = "[{ docsRepoUrl: https://github.com/acme/widgets }]";
  await apply(of("one", entries));
  expect(await refused(of("two", entries))).toContain("/acme/widgets is declared by the manifest one");
  expect((await apply(of("two", entries), { overwrite: true })).message).toContain("1 changed");
  expect((await apply(of("one", "[]"), { prune: true })).message).toContain("0 removed");
});

it("adds declared versions once the branches and tags are known", async () => {
  const { apply, catalog, get } = await world();
  await apply(`libraries:\n  - docsRepoUrl: https://github.com/acme/widgets\n    versions: [v1, v9]\n`);
  const uid = (await catalog.libraries.find([""], "/acme/widgets", ""))?.library.uid ?? "";
  await catalog.libraries.keepRefs(uid, [{ name: "v1", kind: "tag", revision: "1" }]);
  await apply(`libraries:\n  - docsRepoUrl: https://github.com/acme/widgets\n    versions: [v1, v9]\n`);
  expect((await catalog.libraries.versionsOf(uid)).map(({ version }) => version)).toEqual(["", "v1"]);
  expect(await catalog.libraries.pushed(10)).toEqual([{ libraryUid: uid, version: "v1" }]);
  expect((await get("/v2/manifests")).body).toMatchObject({
    manifests: [{ waiting: [{ libraryId: "/acme/widgets", versions: ["v9"] }] }],
  });
});

it("uses shared credentials by name, in the teamspace that owns the library", async () => {
  const { apply, send, get } = await world();
  await send("POST", "/v2/teamspaces", { body: { id: "web" } });
  const credential = { kind: "git", name: "bot", host: "github.com", data: { token: "t0ken" }, teamspace: "web" };
  expect((await send("POST", "/v2/credentials", { body: credential })).status).toBe(200);
  const text =
    "teamspace: web\ndefaults: { credential: bot }\nlibraries:\n  - docsRepoUrl: https://github.com/acme/secret\n";
  expect((await apply(text)).problems).toEqual([]);
  expect((await apply(text)).message).toContain("1 unchanged");
  const used = (await get("/v2/credentials?teamspace=web")).body;
  expect(used).toMatchObject({ credentials: [{ name: "bot", uses: 1 }] });
  const written = (await get("/v2/manifests/export?teamspace=web")).body as string;
  expect(written).toContain("teamspace: web");
  expect(written).toContain("credential: bot");
  expect(written).not.toContain("t0ken");
  expect((await apply(written)).message).toContain("1 unchanged");
});

it("exports what is there, and applying the export changes nothing", async () => {
  const { apply, get, submit, send } = await world();
  await apply(manifest);
  await submit("/acme/by-hand");
  await send("PATCH", "/v2/libs", {
    body: { libraryName: "/acme/by-hand", excludeFolders: ["old"], rules: ["Be brief."] },
  });
  const written = (await get("/v2/manifests/export")).body as string;
  expect(written).toContain("excludeFolders:\n      - old");
  const again = await apply(`name: platform\n${written}`, { dryRun: true });
  expect(again.libraries.flatMap(({ changes }) => changes)).toEqual([]);
  expect(again.libraries).toHaveLength(6);
});

it("reads the file of the on-premise product, and refuses fields of another type", async () => {
  const { apply, refused, actions, get } = await world();
  const file = `
defaults:
  indexSourceCode: false
  branch: ""
repos:
  - url: https://github.com/acme/payments
    branch: main
    folders: [docs]
    excludeFolders: [node_modules]
  - url: https://docs.example.com/llms.txt
    type: llmstxt
  - url: https://docs.example.com/
    type: website
    maxPages: 200
  - url: https://docs.example.com/openapi.json
    type: openapi
`;
  expect(actions(await apply(file))).toEqual([
    "add /acme/payments",
    "add /llmstxt/example_com",
    "add /websites/example_com",
    "add /openapi/example_com",
  ]);
  const { body } = await get("/v2/libs/settings?libraryId=/acme/payments");
  expect(JSON.stringify(body)).toContain('"value":"main"');
  expect(await refused(`${file}    maxPages: 3\n`)).toContain(
    "line 17: repos[3].maxPages is not a field of the type openapi",
  );
});

it("declares policy and access rules whole", async () => {
  const { apply, refused, get } = await world();
  const text = `
libraries: []
policy:
  sourceTypes: { disable: [websites] }
  libraryFilters: { mode: quality, quality: { minTrustScore: 5, blockedLibraries: [/acme/bad] } }
access:
  default: deny
  rules:
    - { library: /acme, groups: [web] }
`;
  expect((await apply(text)).message).toContain("policy and access rules changed");
  expect((await get("/v2/policies")).body).toMatchObject({
    sourceTypes: { websites: { enabled: false } },
    libraryFilters: { mode: "quality", quality: { minTrustScore: 5, blockedLibraries: ["/acme/bad"] } },
  });
  expect((await get("/v2/access")).body).toMatchObject({
    default: "deny",
    rules: [{ library: "/acme", users: [], groups: ["web"] }],
  });
  expect((await apply(text)).message).not.toContain("changed;");
  expect((await apply(text)).message).toBe("0 libraries added, 0 changed, 0 removed, 0 unchanged.");
  await apply(text.replace("[/acme/bad]", "[]").replace("- { library: /acme, groups: [web] }", "[]"));
  expect((await get("/v2/access")).body).toMatchObject({ rules: [] });
  expect(await refused(text.replace("minTrustScore: 5", "minTrustScore: high"))).toContain(
    "line 3: policy.libraryFilters",
  );
});

it("serves a JSON schema of manifests", async () => {
  const { get } = await world();
  const { body } = await get("/v2/manifests/schema");
  expect(JSON.stringify(body)).not.toContain('"gitToken":');
  expect(body).toMatchObject({ properties: { libraries: { type: "array" } } });
});
