import type { ApiOptions } from "../../api/options.ts";
import { expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import type { Scope } from "../../domain/access.ts";
import { sampleCredential, sampleHook, sampleReceiver } from "../contracts/catalog-samples.ts";
import { codePassage, heldPassage } from "./samples.ts";
import { adminKey, setup } from "./setup.ts";
import { matrix } from "./rights-matrix-rows.ts";
import { openedIssuer } from "./signing-in.ts";
import { uploadRequest } from "./upload.ts";

type World = Awaited<ReturnType<typeof prepare>>;

const [head = [], ...rows] = matrix
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/ +/));
const operations = rows.map(([method = "", path = "", subject = "", ...statuses]) => ({
  method,
  path,
  subject,
  statuses: statuses.map(Number),
}));

type Stored = Awaited<ReturnType<typeof fill>>;

/** Snapshots for all operations and for cancelling, as filling them takes longer than the requests. */
const filled: { usual?: Promise<Stored>; toCancel?: Promise<Stored> } = {};

const settings = { rateLimitSubmissions: 1000 };
const served = {
  codec: { decode: async () => [], encode: async () => [] },
  scrape: async () => "lectern_libraries 1\n",
};

/** A server on which every operation can succeed, with a key for every caller. */
async function prepare(path: string, more: Partial<ApiOptions> = {}) {
  const isCancel = path === "/v2/libs/cancel";
  const { stored, ...known } = await (filled[isCancel ? "toCancel" : "usual"] ??= fill(isCancel));
  return { ...(await setup(settings, { ...served, ...more }, stored)), ...known };
}

async function fill(isCancel: boolean) {
  const world = await setup(settings, served);
  const { addKey, catalog, clock, finish, send } = world;
  const { secrets } = world.options.ports;
  const other = { libraries: ["/other/*"] };
  const keys: Record<string, { readonly key: string; readonly id: string }> = {
    expired: await addKey(["admin"], { expiresAt: clock.now - 1 }),
    revoked: await addKey(["admin"]),
    read: await addKey(["read"], { teamspace: "web" }),
    submit: await addKey(["submit"], { teamspace: "web" }),
    admin: await addKey(["admin"], { teamspace: "web" }),
    mobile: await addKey(["admin"], { teamspace: "mobile" }),
    instance: await addKey(["admin"]),
    limited: await addKey(["admin"], { teamspace: "web", ...other }),
    limitedInstance: await addKey(["admin"], other),
  };
  await catalog.keys.revoke("default", keys["revoked"]?.id ?? "", clock.now);
  await catalog.access.grant({ group: "staff", scope: "read", teamspace: "web", createdAt: clock.now });
  await catalog.teamspaces.add({ id: "empty", title: "Empty", createdAt: clock.now });
  const keyOf = (caller: string): string | null => {
    if (caller === "none") return null;
    return caller === "operator" ? adminKey : (keys[caller]?.key ?? "lct_wrong");
  };
  const idOf = (caller: string): string => keys[caller]?.id ?? "";
  /** A library with an earlier, a live and a held generation, and a pending rename. */
  const addLibrary = async (id: string, fields: object): Promise<string> => {
    const body = { docsRepoUrl: `https://git.example.com${id}`, ...fields };
    const added = await send("POST", "/v2/add/repo/git", { body, key: keyOf("submit") });
    await finish((added.body as { runId: string }).runId, [codePassage]);
    for (const held of [false, true]) {
      const refreshed = await send("POST", "/v1/refresh", { body: { libraryName: id }, key: keyOf("submit") });
      await finish((refreshed.body as { runId: string }).runId, [codePassage], held);
    }
    const uid = (await catalog.libraries.find(["web", ""], id, ""))?.library.uid ?? "";
    const to = "https://git.example.com/acme/taken";
    await catalog.libraries.move(uid, { from: body.docsRepoUrl, to, id: "/acme/taken" }, clock.now);
    // Only for cancelling, as an open run blocks other operations.
    if (isCancel) await send("POST", "/v1/refresh", { body: { libraryName: id }, key: keyOf("submit") });
    return id;
  };
  await world.submit("/acme/taken");
  const libraries = {
    public: await addLibrary("/acme/widgets", {}),
    private: await addLibrary("/web/own", { private: true }),
  };
  for (const teamspace of ["web", "default"]) {
    await catalog.credentials.add(sampleCredential(teamspace, { teamspace, sealed: secrets.seal("{}") }));
    await catalog.receivers.add(sampleReceiver(teamspace, { teamspace }));
    await catalog.hooks.add(sampleHook(teamspace, { teamspace, sealed: secrets.seal("secret") }));
  }
  return { stored: await world.stored(), keyOf, idOf, libraries };
}

/** The target and body of an operation's request. */
function requestFor({ idOf, libraries }: World, method: string, path: string, subject: string) {
  const libraryName = libraries[subject === "private" || /^web./.test(subject) ? "private" : "public"];
  const teamspace = subject === "web" ? "web" : "default";
  const query: Record<string, string> = {
    "/v2/libs/search": "libraryName=w&query=w",
    "/v2/resolve": "name=new-package&version=1.0.0",
    "/v2/repositories": `owner=https://github.com/acme${subject === "webShared" ? "&credential=web" : ""}`,
    "/v2/context": `libraryId=${libraryName}&query=widget`,
    "/v2/context/explain": `libraryId=${libraryName}&query=widget`,
    "/v2/ask": `query=${libraryName.split("/").at(-1)}`,
    "/v2/pages": `libraryId=${libraryName}`,
    "/v2/page": `libraryId=${libraryName}&page=README.md`,
    "/v1/search": "query=w",
    "/v1/{owner}/{repo}": "topic=widget",
    "/v1/{owner}/{repo}/{version}": "topic=widget",
    "/v2/audit": subject === "own" ? "" : `teamspace=${teamspace}`,
    "/v2/credentials": `teamspace=${teamspace}`,
    "/v2/hooks": `teamspace=${teamspace}`,
    "/v2/manifests": `teamspace=${teamspace}`,
    "/v2/manifests/export": `teamspace=${teamspace}`,
    "/v2/receivers": `teamspace=${teamspace}`,
    "/v2/keys": method === "GET" ? `teamspace=${teamspace}` : `id=${idOf(teamspace === "web" ? "read" : "instance")}`,
    "/v2/teamspaces": "id=empty",
    "/v2/access": `teamspace=${teamspace}`,
    "/v2/access/groups": "group=staff&teamspace=web",
    "/v2/policies": subject === "own" ? "" : `teamspace=${teamspace}`,
  };
  const host = { github: "github.com", gitlab: "gitlab.com", bitbucket: "bitbucket.org" }[path.split("/")[4] ?? ""];
  const shared = subject === "webShared" && { credential: "web", private: true };
  const bodies: Record<string, object> = {
    "/mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
    "/v2/preview": { websiteUrl: "https://new.example.com/guide", private: subject === "private" },
    "/v2/add/website": { websiteUrl: "https://new.example.com/guide", private: subject === "private" },
    "/v2/add/notion": { title: "New handbook", notionToken: "ntn_0123456789" },
    "/v2/add/llmstxt": { llmstxtUrl: "https://new.example.com/llms.txt", private: subject === "private" },
    "/v2/add/confluence": {
      siteUrl: "https://new.atlassian.net",
      spaceKey: "NEW",
      confluenceCredential: { type: "personal", token: "ATATT3-secret", email: "docs@example.com" },
    },
    "/v1/add": { llmstxtUrl: "https://new.example.com/llms.txt", private: subject === "private" },
    "/v2/add/package": { name: "new-package", private: subject === "private" },
    "/v2/resolve": { packages: [{ name: "new-package", version: "1.0.0" }] },
    "/v2/add/openapi": { openApiUrl: "https://new.example.com/openapi.json", private: subject === "private" },
    "/v2/add/folder": { path: "/srv/docs/handbook", private: subject === "private" },
    "/v1/refresh": { libraryName, ...(subject.endsWith("oken") && { gitToken: "secret" }), ...shared },
    "/v2/libs": { libraryName, title: "Other" },
    "/v2/feedback": { libraryId: libraryName, verdict: "wrong" },
    "/v2/libs/team-note": { libraryId: libraryName, text: "Ours." },
    "/v2/libs/rename": { libraryName, accept: false },
    "/v2/credentials": { kind: "git", name: "new", host: "git.example.com", data: { token: "secret" }, teamspace },
    "/v2/credentials/{id}/test": { address: "https://git.example.com/new/one" },
    "/v2/manifests/apply": { manifest: `teamspace: ${teamspace}\nlibraries: []` },
    "/v2/manifests/reconcile": {},
    "/v2/hooks": { sender: "github", repositories: "https://git.example.com/acme", teamspace },
    "/v2/hooks/{id}": {},
    "/v2/receivers": { url: "https://chat.example.com/lectern", teamspace },
    "/v2/libs/release": { libraryName, passageIds: [heldPassage.id] },
    "/v2/keys": { name: "new", scopes: ["read"], teamspace },
    "/v2/teamspaces": { id: "new" },
    "/v2/access": { teamspace, set: [{ library: "/new", groups: ["staff"] }] },
    "/v2/access/groups": { group: "new", scope: "read", teamspace },
    "/v2/teamspaces/{id}": { rules: { global: ["Prefer the standard library."] } },
    "/v2/policies": { sourceTypes: { disable: ["websites"] } },
  };
  const repository = {
    docsRepoUrl: `https://${host ?? "git.example.com"}/new/one`,
    private: subject === "private",
    ...shared,
  };
  const added = path.startsWith("/v2/add/repo/") ? repository : undefined;
  const inPath = query[path] ?? `libraryId=${libraryName}`;
  const inBody = bodies[path] ?? added ?? (path.startsWith("/temporal/") ? { payloads: [] } : { libraryName });
  const body = method === "GET" || method === "DELETE" ? undefined : inBody;
  const named = path.replace("/{owner}/{repo}", libraryName).replace("{version}", "v0").replace("{id}", teamspace);
  return { target: `${named}?${inPath}`, body };
}

const readOnly = /^\/(?:mcp|temporal\/codec\/.+|v2\/(?:cli\/events|preview|resolve))$/;

/** Whether a successful operation changes something, so that the next caller needs a new server. */
function changes(method: string, path: string): boolean {
  return method !== "GET" && !readOnly.test(path);
}

const uploadOf = (path: string, subject: string) => {
  const fields = { private: String(subject === "private") };
  return path.endsWith("/upload")
    ? uploadRequest({ name: "new.md", text: "# New" }, fields, "file")
    : uploadRequest({ name: "new.json", text: "{}" }, fields);
};

it("has a row for every route, and no others", () => {
  const described = new Set(operations.map(({ method, path }) => `${method} /api${path}`));
  expect([...described].sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

it.each(operations)(
  "$method $path, $subject, has the statuses of the matrix",
  async ({ method, path, subject, statuses }) => {
    const actual: Record<string, number> = {};
    let world = await prepare(path);
    for (const caller of head) {
      const { target, body } = requestFor(world, method, path, subject);
      const sent = path.endsWith("upload") ? await uploadOf(path, subject) : { ...(body && { body }) };
      const { status } = await world.send(method, target, { key: world.keyOf(caller), ...sent });
      actual[caller] = status;
      if (changes(method, path) && status < 400) world = await prepare(path);
    }
    expect(actual).toEqual(Object.fromEntries(head.map((caller, place) => [caller, statuses[place]])));
  },
);

/** Callers with a token of the issuer: its claims, and the key with the same rights. */
const signedIn: Readonly<Record<string, { readonly claims: Record<string, unknown>; readonly as: string }>> = {
  expired: { claims: { groups: ["readers"], exp: 1 }, as: "wrong" },
  otherAudience: { claims: { groups: ["readers"], aud: "https://other.example.com" }, as: "wrong" },
  otherIssuer: { claims: { groups: ["readers"], iss: "https://other.example.com" }, as: "wrong" },
  reader: { claims: { groups: ["readers"] }, as: "read" },
  submitter: { claims: { groups: ["submitters", "readers"] }, as: "submit" },
  administrator: { claims: { groups: ["administrators"] }, as: "admin" },
  otherTeamspace: { claims: { groups: ["mobile"] }, as: "mobile" },
  instance: { claims: { groups: ["instance"] }, as: "instance" },
};

it.each(operations)(
  "$method $path, $subject, has the same statuses for tokens as for keys with the same rights",
  async ({ method, path, subject, statuses }) => {
    const { issuer, opened } = await openedIssuer(() => Date.parse("2026-01-02T03:04:05Z"));
    const enter = async (): Promise<World> => {
      const world = await prepare(path, { issuer: opened });
      const { access } = world.catalog;
      const give = async (group: string, scope: Scope, teamspace: string) =>
        access.grant({ group, scope, teamspace, createdAt: world.clock.now });
      await give("readers", "read", "web");
      await give("submitters", "submit", "web");
      await give("administrators", "admin", "web");
      await give("mobile", "admin", "mobile");
      await give("instance", "admin", "default");
      return world;
    };
    const statusFor = (as: string): number | undefined => statuses[head.indexOf(as)];
    const actual: Record<string, number> = {};
    const expected: Record<string, number | undefined> = {};
    let world = await enter();
    const ask = async (caller: string, key: string | null): Promise<void> => {
      const { target, body } = requestFor(world, method, path, subject);
      const sent = path.endsWith("upload") ? await uploadOf(path, subject) : { ...(body && { body }) };
      const { status } = await world.send(method, target, { key, ...sent });
      actual[caller] = status;
      if (changes(method, path) && status < 400) world = await enter();
    };
    for (const [caller, { claims, as }] of Object.entries(signedIn)) {
      expected[caller] = path.startsWith("/.well-known/") ? 200 : statusFor(as);
      await ask(caller, await issuer.token(claims));
    }
    // A token without rights gets 403 where a wrong key gets 401; agents have to sign in.
    const refused = expected["otherIssuer"];
    // A delivery to a hook is refused for its signature.
    expected["groupless"] = refused === 401 && !(path === "/v2/hooks/{id}" && method === "POST") ? 403 : refused;
    await ask("groupless", await issuer.token({ groups: ["others"] }));
    expected["none"] = path === "/mcp" ? 401 : path.startsWith("/.well-known/") ? 200 : statusFor("none");
    await ask("none", null);
    expect(actual).toEqual(expected);
  },
);
