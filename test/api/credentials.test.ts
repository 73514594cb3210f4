import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { ApiAnswer } from "../../api/answers.ts";
import { openCredential } from "../../domain/credentials.ts";
import { Failure } from "../../domain/failures.ts";
import { sampleCredential } from "../contracts/catalog-samples.ts";
import { setup } from "./setup.ts";

const token = "ghp_very-secret";
const ci = { kind: "git", name: "ci", host: "git.example.com", data: { token } };
const docsRepoUrl = "https://git.example.com/acme/widgets";
const invalid = (message: RegExp) => ({
  status: 400,
  body: { error: "validation_error", message: expect.stringMatching(message) as string },
});
const notFound = { status: 404, body: { error: "credential_not_found" } };

/** A server with the credential `ci` of the default teamspace, and a key with the scope submit. */
async function world() {
  const all = await setup({ rateLimitSubmissions: 1000 });
  const { send, catalog } = all;
  const make = (body: object, key?: string) =>
    send("POST", "/v2/credentials", { body, ...(key !== undefined && { key }) });
  const { id } = (await make(ci)).body as { id: string };
  const submitter = (await all.addKey(["submit"])).key;
  const add = (fields: object, key = submitter) =>
    send("POST", "/v2/add/repo/git", { body: { docsRepoUrl, ...fields }, key });
  const libraryOf = async ({ body }: ApiAnswer) => {
    const run = await catalog.runs.get((body as { runId: string }).runId);
    return catalog.libraries.get(run?.libraryUid ?? "");
  };
  const test = (body?: object) => send("POST", `/v2/credentials/${id}/test`, body && { body });
  const list = async (query = "") =>
    ((await send("GET", `/v2/credentials${query}`)).body as { credentials: object[] }).credentials;
  return { ...all, id, submitter, make, add, libraryOf, test, list };
}

describe("creating a credential", () => {
  it("stores its secret sealed, and shows it nowhere", async () => {
    const { id, list, catalog, options, logged, send } = await world();
    const shown = {
      id,
      teamspace: "default",
      name: "ci",
      kind: "git",
      host: "git.example.com",
      createdAt: "2026-01-02T03:04:05.000Z",
      libraries: [],
      uses: 0,
    };
    expect(await list()).toEqual([shown]);
    const record = await catalog.credentials.get(id);
    expect(record && openCredential(options.ports.secrets, record)).toEqual({ token });
    expect((await send("DELETE", `/v2/credentials/${id}`)).body).toMatchObject({ id });
    expect(await list()).toEqual([]);
    expect(JSON.stringify(record) + logged.join("")).not.toContain(token);
  });

  it.each([
    [{ kind: "folder" }, /^kind must be (?:\w+ or )+git\.$/],
    [{ name: undefined, host: undefined, data: undefined }, /^name is missing\. host is missing\. data is missing\.$/],
    [{ name: "" }, /^name must have 1 to 100 characters/],
    [{ data: {} }, /^data\.token is needed, or privateKey/],
    [{ data: { token: "a\nb" } }, /^data\.token must be a token/],
    [{ host: "ftp://git.example.com" }, /^host must be a host/],
    [{ host: "git.example.com/acme" }, /^host must be a host/],
    [{ host: "git.example.com:99999" }, /^host must be a host/],
    [{ host: " git.example.com" }, /^host must be a host/],
    [{ host: `me:${token}@git.example.com` }, /^host must not contain credentials; put them into data\.$/],
    [{ teamspace: "nobody" }, /There is no teamspace "nobody"/],
  ])("refuses %j", async (fields, message) => {
    const { make } = await world();
    expect(await make({ ...ci, name: "other", ...fields })).toMatchObject(invalid(message));
  });

  it.each([
    ["GIT.Example.com:8443", "git.example.com:8443"],
    ["git.example.com:443", "git.example.com"],
    ["http://git.example.com:80/acme/widgets.git", "git.example.com"],
    ["https://git.example.com:8443/", "git.example.com:8443"],
    ["[::1]:8080", "[::1]:8080"],
  ])("normalizes the host %s to %s", async (host, expected) => {
    const { make } = await world();
    expect((await make({ ...ci, name: "other", host })).body).toMatchObject({ host: expected });
  });

  it("allows a name once per teamspace and kind", async () => {
    const { make, addKey } = await world();
    expect(await make(ci)).toMatchObject({ status: 409, body: { error: "duplicate_credential" } });
    expect((await make({ ...ci, name: "CI" })).status).toBe(200);
    const { key } = await addKey(["admin"], { teamspace: "web" });
    expect((await make(ci, key)).body).toMatchObject({ teamspace: "web" });
  });

  it("is limited to the caller's teamspace, except for administrators of the instance", async () => {
    const { id, make, list, addKey, send } = await world();
    const { key } = await addKey(["admin"], { teamspace: "web" });
    expect((await make({ ...ci, teamspace: "web" })).status).toBe(200);
    expect(await list("?teamspace=web")).toMatchObject([{ teamspace: "web", name: "ci" }]);
    expect((await send("GET", "/v2/credentials", { key })).body).toMatchObject({ credentials: [{ teamspace: "web" }] });
    expect((await make({ ...ci, teamspace: "default" }, key)).status).toBe(403);
    expect(await send("DELETE", `/v2/credentials/${id}`, { key })).toMatchObject(notFound);
    expect(await send("POST", `/v2/credentials/${id}/test`, { key })).toMatchObject(notFound);
  });
});

describe("using a credential", () => {
  it("is shared by libraries, which become private", async () => {
    const { id, add, libraryOf, list, send } = await world();
    for (const libraryName of ["/acme/a", "/acme/b"])
      expect(await libraryOf(await add({ credential: id, libraryName }))).toMatchObject({
        credential: id,
        teamspace: "default",
      });
    expect(await list()).toMatchObject([{ libraries: ["/acme/a", "/acme/b"], uses: 2 }]);
    const remove = async () => send("DELETE", `/v2/credentials/${id}`);
    expect(await remove()).toMatchObject({
      status: 409,
      body: {
        error: "credential_in_use",
        message: expect.stringContaining('2 libraries use the credential "ci"') as string,
      },
    });
    await send("DELETE", "/v2/libs?libraryId=/acme/a");
    expect((await remove()).body).toMatchObject({ message: expect.stringContaining("1 library uses") as string });
    await send("DELETE", "/v2/libs?libraryId=/acme/b");
    expect(await list()).toMatchObject([{ libraries: [], uses: 0 }]);
    expect((await remove()).status).toBe(200);
    expect(await remove()).toMatchObject(notFound);
  });

  it("is refused for public libraries, other hosts, and together with a gitToken", async () => {
    const { id, add, engine } = await world();
    for (const [fields, message] of [
      [{ private: false }, /"ci" is for private libraries of its teamspace/],
      [
        { docsRepoUrl: "https://git.example.com:8443/acme/widgets" },
        /is for git on git\.example\.com.*is on git\.example\.com:8443/,
      ],
      [{ docsRepoUrl: "https://sub.git.example.com/acme/widgets" }, /source is on sub\.git\.example\.com/],
      [{ gitToken: "t" }, /^Give gitToken or credential, not both\.$/],
    ] as const)
      expect(await add({ credential: id, ...fields })).toMatchObject(invalid(message));
    expect(engine.started).toEqual([]);
  });

  it("is 404 for an unknown one, one of another teamspace, or a library's own", async () => {
    const { id, add, addKey, libraryOf, send } = await world();
    expect(await add({ credential: "none" })).toMatchObject(notFound);
    const { key } = await addKey(["admin"], { teamspace: "web" });
    expect(await add({ credential: id }, key)).toMatchObject(notFound);
    const own = (await libraryOf(await add({ gitToken: token })))?.credential ?? "";
    expect(await add({ credential: own, libraryName: "/acme/b" })).toMatchObject(notFound);
    for (const [method, path] of [
      ["DELETE", own],
      ["POST", `${own}/test`],
    ] as const)
      expect(await send(method, `/v2/credentials/${path}`)).toMatchObject(notFound);
  });

  it("can be replaced by a gitToken and back, without changing the shared one", async () => {
    const { id, add, libraryOf, send, catalog } = await world();
    const library = await libraryOf(await add({ credential: id }));
    const used = async () => (await catalog.libraries.get(library?.uid ?? ""))?.credential ?? "";
    const refresh = async (fields: object) =>
      send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets", ...fields } });
    expect((await refresh({ gitToken: "own" })).status).toBe(200);
    const own = await used();
    expect(own).not.toBe(id);
    expect(await catalog.credentials.get(id)).toBeDefined();
    expect(await catalog.credentials.get(own)).toMatchObject({ name: "", host: "git.example.com" });
    expect(await refresh({ gitToken: "own", credential: id })).toMatchObject(invalid(/not both/));
    expect((await refresh({ credential: id })).status).toBe(200);
    expect(await used()).toBe(id);
    expect(await catalog.credentials.get(own)).toBeUndefined();
    expect(await refresh({ credential: "none" })).toMatchObject(notFound);
  });

  it("is refused for a refresh of public libraries and folders", async () => {
    const { id, submit, send } = await world();
    await submit("/acme/open");
    await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/a", private: true } });
    for (const [libraryName, message] of [
      ["/acme/open", /is for private libraries/],
      ["/docs/a", /^This kind of source takes no credential/],
    ] as const)
      expect(await send("POST", "/v1/refresh", { body: { libraryName, credential: id } })).toMatchObject(
        invalid(message),
      );
  });

  it("is deleted with its teamspace", async () => {
    const { addKey, make, send, catalog, list } = await world();
    const { id } = await addKey(["admin"], { teamspace: "web" });
    const made = (await make({ ...ci, teamspace: "web" })).body as { id: string };
    await send("DELETE", `/v2/keys?id=${id}`);
    expect((await send("DELETE", "/v2/teamspaces?id=web")).status).toBe(200);
    expect(await catalog.credentials.get(made.id)).toBeUndefined();
    expect(await list()).toHaveLength(1);
  });
});

describe("testing a credential", () => {
  it("uses it on its host for the given address", async () => {
    const { test, sourceHost } = await world();
    expect(await test({ address: `${docsRepoUrl}.git` })).toMatchObject({
      status: 200,
      body: { ok: true, error: null, message: `${docsRepoUrl}.git can be read.` },
    });
    expect(sourceHost.asked).toMatchObject([
      { credential: { token }, source: { kind: "git", url: `${docsRepoUrl}.git` } },
    ]);
  });

  it("uses the source of a library that has it if no address is given", async () => {
    const { id, test, add, sourceHost } = await world();
    expect(await test()).toMatchObject(invalid(/Name an address/));
    await add({ credential: id, branch: "next" });
    expect((await test()).body).toMatchObject({ ok: true });
    expect(sourceHost.asked).toMatchObject([{ source: { url: docsRepoUrl, branch: "next" } }]);
  });

  it("shows the host's answer, without the secret", async () => {
    const { test, sourceHost, logged } = await world();
    sourceHost.refusal = new Failure("source_refused", "The host refuses the token it was given.");
    expect(await test({ address: docsRepoUrl })).toMatchObject({
      status: 200,
      body: { ok: false, error: "source_refused", message: "The host refuses the token it was given." },
    });
    sourceHost.refusal = new Error(`A bug with ${token}`);
    const { status, body } = await test({ address: docsRepoUrl });
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining(token)]);
    expect(logged.length).toBeGreaterThan(0);
  });

  it("says that the host does not answer in time", async () => {
    const { test, sourceHost } = await world();
    // Simulates the timeout.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    onTestFinished(() => timeout.mockRestore());
    sourceHost.refusal = new DOMException("The operation was aborted.", "AbortError");
    expect((await test({ address: docsRepoUrl })).body).toEqual({
      ok: false,
      error: "source_unreachable",
      message: "git.example.com did not answer within 20 s. Try again later.",
    });
    expect(timeout).toHaveBeenCalledWith(20_000);
  });

  it("sends it to no other host", async () => {
    const { test, sourceHost } = await world();
    for (const address of ["https://evil.example/acme/widgets", "https://git.example.com:8443/acme/widgets"])
      expect(await test({ address })).toMatchObject(invalid(/is for git\.example\.com only/));
    expect(await test({ address: "git.example.com/acme" })).toMatchObject(invalid(/^address must be an absolute URL/));
    expect(sourceHost.asked).toEqual([]);
  });

  it("names a missing encryption key", async () => {
    const { send, catalog } = await world();
    await catalog.credentials.add(
      sampleCredential("lost", { sealed: `v1.gone.${"x".repeat(16)}.${"x".repeat(22)}.x` }),
    );
    expect((await send("POST", "/v2/credentials/lost/test", { body: { address: docsRepoUrl } })).body).toMatchObject({
      ok: false,
      error: "internal_error",
      message: expect.stringContaining('the key "gone"') as string,
    });
  });
});
