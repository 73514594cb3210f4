import { describe, expect, it } from "vitest";
import type { HostRepository, RepositoryOwner } from "../../domain/owner-repositories.ts";
import { Failure } from "../../domain/failures.ts";
import { setup } from "./setup.ts";

const repository = (name: string): HostRepository => ({
  address: `https://github.com/acme/${name}`,
  description: "Text",
  defaultBranch: "main",
  bytes: 1024,
  licence: "MIT",
  archived: false,
  fork: null,
  private: true,
  pushedAt: Date.parse("2026-01-02T03:04:05Z"),
});

/** A server whose hosts have two repositories of every owner, and the requests for them. */
async function world() {
  const asked: { readonly owner: RepositoryOwner; readonly credential: object | null }[] = [];
  const all = await setup();
  const ports = {
    ...all.options.ports,
    async repositoriesOf(owner: RepositoryOwner, credential: object | null) {
      asked.push({ owner, credential });
      if (owner.url.endsWith("/nobody")) throw new Failure("source_not_found", "github.com has no nobody.");
      return { repositories: [repository("docs"), repository("widgets")], isComplete: false };
    },
  };
  Object.assign(all.options, { ports });
  const list = (query: Record<string, string>, key?: string) =>
    all.send("GET", `/v2/repositories?${new URLSearchParams(query).toString()}`, key === undefined ? {} : { key });
  const credential = async (fields: object = {}): Promise<string> => {
    const body = { kind: "git", name: "ci", host: "github.com", data: { token: "secret" }, ...fields };
    return ((await all.send("POST", "/v2/credentials", { body })).body as { id: string }).id;
  };
  return { ...all, asked, list, credential };
}

const owner = "https://github.com/acme";

describe("listing the repositories of an owner", () => {
  it("answers what the host says, and what is read already", async () => {
    const { list, send } = await world();
    await send("POST", "/v2/add/repo/github", { body: { docsRepoUrl: "https://github.com/ACME/docs.git" } });
    const { status, body } = await list({ owner });
    expect(status).toBe(200);
    const listed = {
      description: "Text",
      defaultBranch: "main",
      bytes: 1024,
      licence: "MIT",
      archived: false,
      fork: null,
      private: true,
      pushedAt: "2026-01-02T03:04:05.000Z",
    };
    expect(body).toEqual({
      repositories: [
        { address: "https://github.com/acme/docs", libraryName: "/acme/docs", library: "/ACME/docs", ...listed },
        { address: "https://github.com/acme/widgets", libraryName: "/acme/widgets", library: null, ...listed },
      ],
      complete: false,
    });
  });

  it("shows a key that is limited to some libraries only what it may add, and no library of another teamspace", async () => {
    const { list, addKey, send } = await world();
    const web = (await addKey(["submit"], { teamspace: "web" })).key;
    const body = { docsRepoUrl: "https://github.com/acme/widgets", private: true };
    await send("POST", "/v2/add/repo/github", { body, key: web });
    const { key } = await addKey(["submit"], { libraries: ["/acme/w*"] });
    expect((await list({ owner }, key)).body).toMatchObject({
      repositories: [{ libraryName: "/acme/widgets", library: null }],
    });
    expect((await list({ owner }, web)).body).toMatchObject({ repositories: [{}, { library: "/acme/widgets" }] });
  });

  it("asks with the shared credential of the caller's teamspace only, and only its host", async () => {
    const { list, credential, asked, addKey } = await world();
    const id = await credential();
    const other = await credential({ name: "other", host: "git.corp.example" });
    const ssh = await credential({
      name: "ssh",
      data: { privateKey: sshKey, knownHosts: "github.com ssh-ed25519 AAAA" },
    });
    const { key } = await addKey(["submit"]);
    expect(await list({ owner, credential: id }, key)).toMatchObject({ status: 200 });
    expect(asked).toEqual([{ owner: { host: "github", url: owner }, credential: { token: "secret" } }]);
    expect(await list({ owner, credential: other }, key)).toMatchObject({
      status: 400,
      body: { message: 'The credential "other" is for git on git.corp.example. Use one for github.com.' },
    });
    expect(await list({ owner, credential: ssh }, key)).toMatchObject({ status: 400 });
    const web = (await addKey(["admin"], { teamspace: "web" })).key;
    expect(await list({ owner, credential: id }, web)).toMatchObject({ status: 404 });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["https://github.com/orgs/acme", "github", "https://github.com/acme"],
    ["https://git.corp.example/acme/", "github", "https://git.corp.example/acme"],
    ["https://gitlab.com/groups/acme/docs", "gitlab", "https://gitlab.com/acme/docs"],
    ["https://bitbucket.org/acme?x=1", "bitbucket", "https://bitbucket.org/acme"],
    ["https://dev.azure.com/fabrikam/Fiber", "azure", "https://dev.azure.com/fabrikam/Fiber"],
  ])("takes %s as an owner", async (typed, host, url) => {
    const { list, asked } = await world();
    expect(await list({ owner: typed })).toMatchObject({ status: 200 });
    expect(asked[0]?.owner).toEqual({ host, url });
  });

  it.each([
    ["https://git.example.com/acme", /must be on GitHub.*GITHUB_HOSTS/],
    ["https://github.com/acme/widgets", /must be the address of a user/],
    ["https://github.com/", /must be the address of a user/],
    ["https://me:secret@github.com/acme", /must not contain credentials/],
    ["acme", /must be an absolute URL/],
  ])("refuses %s", async (typed, message) => {
    const { list, asked } = await world();
    const { status, body } = await list({ owner: typed });
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: expect.stringMatching(message) });
    expect(asked).toEqual([]);
  });

  it("answers the failure of the host", async () => {
    const { list } = await world();
    expect(await list({ owner: "https://github.com/nobody" })).toMatchObject({ body: { error: "source_not_found" } });
  });
});

const magic = Buffer.from("openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none", "latin1").toString("base64");
const sshKey = `-----BEGIN OPENSSH PRIVATE KEY-----\n${magic}\n-----END OPENSSH PRIVATE KEY-----\n`;
const knownHosts = "# github.com:22\ngithub.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n";
const data = { privateKey: sshKey, knownHosts };

describe("a repository by SSH", () => {
  it.each([
    ["github", "git@github.com:acme/widgets.git", "ssh://git@github.com/acme/widgets.git", "/acme/widgets"],
    [
      "github",
      "ssh://git@ssh.github.com:443/acme/widgets.git",
      "ssh://git@ssh.github.com:443/acme/widgets.git",
      "/acme/widgets",
    ],
    [
      "gitlab",
      "git@gitlab.com:group/sub/widgets.git",
      "ssh://git@gitlab.com/group/sub/widgets.git",
      "/group-sub/widgets",
    ],
    ["git", "ssh://Git.Example.com:2222/widgets", "ssh://git@git.example.com:2222/widgets", "/git.example.com/widgets"],
    [
      "git",
      "git@ssh.dev.azure.com:v3/fabrikam/Fiber/docs",
      "ssh://git@ssh.dev.azure.com/v3/fabrikam/Fiber/docs",
      "/fabrikam-Fiber-_git/docs",
    ],
  ])("gets, on the route %s, from %s the ID that its https address gives", async (route, docsRepoUrl, url, id) => {
    const { send, catalog } = await world();
    const host = url.replace(/^ssh:\/\/git@|\/.*$/g, "").split("/")[0] ?? "";
    const body = { kind: "git", name: "deploy", host, data };
    const made = (await send("POST", "/v2/credentials", { body })).body as { id: string; host: string };
    expect(made.host).toBe(`ssh://${host}`);
    const added = await send("POST", `/v2/add/repo/${route}`, { body: { docsRepoUrl, credential: made.id } });
    expect(added).toMatchObject({ status: 200, body: { libraryName: id } });
    const library = (await catalog.libraries.find(["default"], id, ""))?.library;
    expect(library).toMatchObject({ source: { kind: "git", url }, credential: made.id, teamspace: "default" });
  });

  it("takes the teamspace's key for its host, and else says how to give one", async () => {
    const { send, catalog } = await world();
    const add = () => send("POST", "/v2/add/repo/github", { body: { docsRepoUrl: "git@github.com:acme/widgets" } });
    expect(await add()).toMatchObject({
      status: 403,
      body: {
        message: expect.stringMatching(
          /no credential for ssh:\/\/github\.com\. .*"knownHosts":"…".* public repository is read without one at https:\/\/github\.com\/acme\/widgets\.$/,
        ),
      },
    });
    const made = await send("POST", "/v2/credentials", {
      body: { kind: "git", name: "deploy", host: "github.com", data },
    });
    await send("POST", "/v2/credentials", {
      body: { kind: "git", name: "token", host: "github.com", data: { token: "x" } },
    });
    expect(await add()).toMatchObject({ status: 200 });
    const library = (await catalog.libraries.find(["default"], "/acme/widgets", ""))?.library;
    expect(library?.credential).toBe((made.body as { id: string }).id);
  });

  it("is read at its https address with a token, and refused as a public library", async () => {
    const { send, catalog } = await world();
    const add = (fields: object) =>
      send("POST", "/v2/add/repo/github", { body: { docsRepoUrl: "git@github.com:acme/widgets", ...fields } });
    expect(await add({ private: false })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("https://github.com/acme/widgets") },
    });
    expect(await add({ gitToken: "secret" })).toMatchObject({ status: 200 });
    const library = (await catalog.libraries.find(["default"], "/acme/widgets", ""))?.library;
    expect(library?.source).toMatchObject({ url: "https://github.com/acme/widgets" });
  });

  it("is refreshed by a hook for its owner", async () => {
    const { send, catalog } = await world();
    await send("POST", "/v2/credentials", { body: { kind: "git", name: "deploy", host: "github.com", data } });
    await send("POST", "/v2/add/repo/github", { body: { docsRepoUrl: "git@github.com:acme/widgets" } });
    expect(await catalog.libraries.at("github.com/acme/widgets")).toHaveLength(1);
  });

  it.each([
    [{ privateKey: sshKey }, /privateKey needs appId, of a GitHub App, or knownHosts/],
    [{ privateKey: sshKey, knownHosts, appId: "1" }, /privateKey needs appId/],
    [{ privateKey: sshKey, knownHosts, token: "x" }, /token is in place of privateKey/],
    [{ privateKey: sshKey, knownHosts: "ssh-ed25519 AAAA" }, /knownHosts must have lines of a known_hosts file/],
    [{ privateKey: sshKey, knownHosts: "# nothing" }, /knownHosts must have lines/],
    [{ privateKey: sshKey, knownHosts, user: "-oProxyCommand=id" }, /user must be a user name/],
    [
      { privateKey: sshKey.replace(magic, btoa("openssh-key-v1\0\0\0\0\naes256-ctr")), knownHosts },
      /without a passphrase/,
    ],
    [{ privateKey: "id_ed25519", knownHosts }, /must be a key that ssh-keygen made/],
    [{ privateKey: sshKey, appId: "12345" }, /must be the PEM file that GitHub made/],
  ])("refuses the credential %j", async (given, message) => {
    const { send } = await world();
    const body = { kind: "git", name: "deploy", host: "github.com", data: given };
    const { status, body: answer } = await send("POST", "/v2/credentials", { body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ message: expect.stringMatching(message) });
  });
});

it("takes clone addresses that name an account, as Azure DevOps and Bitbucket offer them", async () => {
  const { send, catalog } = await world();
  const docsRepoUrl = "https://fabrikam@dev.azure.com/fabrikam/Fiber/_git/docs";
  const added = await send("POST", "/v2/add/repo/git", { body: { docsRepoUrl } });
  expect(added).toMatchObject({ status: 200, body: { libraryName: "/fabrikam-Fiber-_git/docs" } });
  const library = (await catalog.libraries.find([""], "/fabrikam-Fiber-_git/docs", ""))?.library;
  expect(library?.source).toMatchObject({ url: "https://dev.azure.com/fabrikam/Fiber/_git/docs" });
});
