import { describe, expect, it, onTestFinished } from "vitest";
import { toLine } from "../../../sources/git/packets.ts";
import { openGitTestbed, startGitTestbed } from "./setup.ts";

const bed = await openGitTestbed();

describe.each([
  ["protocol 2", false],
  ["protocol 1", true],
])("resolving over %s", (title, oldProtocol) => {
  const name = (rest: string): string => `${title.replace(" ", "-")}/${rest}`;

  it("finds the default branch, the refs and the address", async () => {
    const repository = await bed.server.repository(name("widgets"), { "README.md": "one" }, { oldProtocol });
    const first = await repository.git("rev-parse", "main");
    await repository.tag("v1.0.0", { annotated: true });
    await repository.tag("light");
    const second = await repository.commit({ "README.md": "two" });
    await repository.branch("release/1.x", first);
    await repository.git("update-ref", "refs/pull/1/head", first);
    expect(await bed.resolve(bed.spec(`${repository.url}/`))).toEqual({
      revision: second,
      ref: "main",
      location: repository.url,
      refs: [
        { name: "main", kind: "branch", revision: second },
        { name: "release/1.x", kind: "branch", revision: first },
        { name: "light", kind: "tag", revision: first },
        { name: "v1.0.0", kind: "tag", revision: first },
      ],
    });
  });

  it("finds the branch of an address whose name has slashes, and reads the folder after it", async () => {
    const files = {
      "README.md": "# One\n\nText of one.",
      "docs/a.md": "# A\n\nText of a.",
      "other/b.md": "# B\n\nText.",
    };
    const repository = await bed.server.repository(name("slashes"), files, { oldProtocol });
    await repository.branch("feature/new/look", await repository.git("rev-parse", "main"));
    const selection = { folders: ["new/look/docs"], excludeFolders: null, excludeFiles: null };
    const spec = bed.spec(repository.url, { branch: "feature", selection });
    const state = await bed.resolve(spec);
    expect(state.ref).toBe("feature/new/look");
    const { items } = await bed.read(spec, state);
    expect(items.map(({ page }) => page.key).toSorted()).toEqual(["README.md", "docs/a.md"]);
    await expect(bed.resolve({ ...spec, branch: "fixture" })).rejects.toMatchObject({ code: "branch_not_found" });
  });

  it("finds a branch and the commit of an annotated tag by name", async () => {
    const repository = await bed.server.repository(name("tags"), { "README.md": "one" }, { oldProtocol });
    const first = await repository.git("rev-parse", "main");
    await repository.tag("v1", { annotated: true });
    const second = await repository.commit({ "README.md": "two" }, "next");
    const spec = bed.spec(repository.url, { branch: "next" });
    expect(await bed.resolve(spec, "v1")).toMatchObject({ revision: first, ref: "v1" });
    expect(await bed.resolve(spec)).toMatchObject({ revision: second, ref: "next" });
    expect(await bed.resolve(spec, "main")).toMatchObject({ revision: first, ref: "main" });
  });

  it("prefers the branch to a tag of the same name", async () => {
    const repository = await bed.server.repository(name("both"), { "README.md": "one" }, { oldProtocol });
    await repository.tag("v1");
    const second = await repository.commit({ "README.md": "two" });
    await repository.branch("v1", second);
    expect(await bed.resolve(bed.spec(repository.url), "v1")).toMatchObject({ revision: second });
  });

  it("suggests the most similar refs if none has the name", async () => {
    const repository = await bed.server.repository(name("near"), { "README.md": "one" }, { oldProtocol });
    await repository.tag("v2.1.0");
    await expect(bed.resolve(bed.spec(repository.url), "v2.1.1")).rejects.toMatchObject({
      code: "branch_not_found",
      message: expect.stringMatching(/"v2\.1\.1".*v2\.1\.0/),
    });
  });

  it("says that an empty repository is empty", async () => {
    const repository = await bed.server.repository(name("empty"), {}, { oldProtocol });
    await expect(bed.resolve(bed.spec(repository.url))).rejects.toMatchObject({ code: "no_snippets_found" });
  });

  it("names branches if HEAD points to a missing one", async () => {
    const repository = await bed.server.repository(name("headless"), { "README.md": "one" }, { oldProtocol });
    await repository.git("symbolic-ref", "HEAD", "refs/heads/gone");
    await expect(bed.resolve(bed.spec(repository.url))).rejects.toMatchObject({
      code: "branch_not_found",
      message: expect.stringContaining('"main"'),
    });
  });

  it("follows a detached HEAD", async () => {
    const repository = await bed.server.repository(name("detached"), { "README.md": "one" }, { oldProtocol });
    const first = await repository.git("rev-parse", "main");
    await repository.commit({ "README.md": "two" });
    await repository.git("update-ref", "--no-deref", "HEAD", first);
    expect(await bed.resolve(bed.spec(repository.url))).toMatchObject({ revision: first, ref: null });
  });
});

it("keeps the newest, the default and the named of too many refs, and counts the others", async () => {
  const commit = "1".repeat(40);
  bed.server.answer("odd/many", (request, response) => {
    if (request.method === "GET") return void response.end(`${toLine("version 2")}${toLine("ls-refs")}0000`);
    const names = Array.from({ length: 30_000 }, (_, at) => `tags/v${at % 100}.${at}.0`);
    const refs = [...names, "tags/v1.1.0", "tags/odd-one", "heads/main"].map((name) =>
      toLine(`${commit} refs/${name}`),
    );
    response.end(`${toLine(`${commit} HEAD symref-target:refs/heads/main`)}${refs.join("")}0000`);
  });
  const spec = bed.spec(`${bed.server.url}/odd/many`);
  const named = { named: ["odd-one"] };
  const state = await bed.resolve(spec, null, named);
  expect(state).toMatchObject({ ref: "main", revision: commit, refsLeftOut: 28_003 });
  expect(state.refs).toHaveLength(2000);
  const names = state.refs.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["main", "odd-one", "v99.29999.0"]));
  expect(names).not.toContain("v1.1.0");
  expect(await bed.resolve(spec, "v1.1.0", named)).toMatchObject({ ref: "v1.1.0" });
});

it("follows the redirect of a renamed repository and says where it went", async () => {
  const repository = await bed.server.repository("acme/new-name", { "README.md": "one" });
  bed.server.redirect("acme/old-name", "acme/new-name");
  const state = await bed.resolve(bed.spec(`${bed.server.url}/acme/old-name`));
  expect(state).toMatchObject({ ref: "main", location: repository.url });
});

it("drops the token when a redirect leads to another host", async () => {
  await bed.server.repository("acme/moved", { "README.md": "one" });
  bed.server.answer("acme/leaving", (request, response) => {
    const target = (request.url ?? "").replace("leaving", "moved");
    response.writeHead(301, { location: `${bed.server.url.replace("127.0.0.1", "localhost")}${target}` }).end();
  });
  bed.server.requests.length = 0;
  await bed.resolve(bed.spec(`${bed.server.url}/acme/leaving`), null, { secret: "hunter2" });
  const [first, ...others] = bed.server.requests;
  expect(first?.headers.authorization).toBe(`Basic ${Buffer.from("git:hunter2").toString("base64")}`);
  expect(others).not.toHaveLength(0);
  expect(others.map(({ headers }) => headers.authorization)).toEqual(others.map(() => undefined));
});

it.each([
  ["github", "ghp_1", "x-access-token:ghp_1"],
  ["gitlab", "glpat-1", "oauth2:glpat-1"],
  ["bitbucket", "ATCTT1", "x-token-auth:ATCTT1"],
  ["bitbucket", "ATATT1", "x-bitbucket-api-token-auth:ATATT1"],
  ["bitbucket", "me@acme.example:ATATT1", "x-bitbucket-api-token-auth:ATATT1"],
  ["bitbucket", "jane:ATATT1", "jane:ATATT1"],
  ["bitbucket", "jane:app-password", "jane:app-password"],
  ["gitlab", "gitlab+deploy-token-1:gldt-1", "gitlab+deploy-token-1:gldt-1"],
  ["git", "token", "git:token"],
  ["git", "reader:pass:word", "reader:pass:word"],
] as const)("sends a token of %s with the user name of the host", async (host, secret, pair) => {
  const [user = "", ...password] = pair.split(":");
  const auth = { user, password: password.join(":") };
  const repository = await bed.server.repository(
    `private/${host}-${secret.replace(/\W/g, "-")}`,
    { "README.md": "one" },
    { auth },
  );
  const spec = bed.spec(repository.url, { host });
  expect(await bed.resolve(spec, null, { secret })).toMatchObject({ ref: "main" });
  await expect(bed.resolve(spec)).rejects.toMatchObject({
    code: "source_refused",
    message: expect.stringMatching(/gitToken.*do not exist/),
  });
  await expect(bed.resolve(spec, null, { secret: "wrong-token" })).rejects.toMatchObject({
    code: "source_refused",
    message: expect.not.stringContaining("wrong-token"),
  });
});

describe("what is no repository", () => {
  it.each([
    ["file:///etc", "validation_error"],
    ["ext::sh -c touch% /tmp/pwned", "validation_error"],
    ["--upload-pack=touch /tmp/pwned", "validation_error"],
    ["ssh://git@example.com/a/b", "source_refused"],
    ["ssh://git@127.0.0.1/a/b", "address_not_allowed"],
    ["ssh://git@example.com:2222/a/b", "address_not_allowed"],
    ["ssh://git:word@example.com/a/b", "validation_error"],
    ["git@example.com:a/b", "validation_error"],
    ["https://user:pass@example.com/a/b", "validation_error"],
    ["http://127.0.0.1:1/a/b", "address_not_allowed"],
    ["http://[::1]/a/b", "address_not_allowed"],
    ["http://169.254.169.254/a/b", "address_not_allowed"],
  ])("%s fails as %s", async (url, code) => {
    await expect(bed.resolve(bed.spec(url))).rejects.toMatchObject({ code });
  });

  it("a missing repository is not found", async () => {
    await expect(bed.resolve(bed.spec(`${bed.server.url}/no/such`))).rejects.toMatchObject({
      code: "source_not_found",
    });
  });

  it.each([
    ["a page", "text/html", "<!doctype html><title>Hello</title>"],
    ["random bytes", "application/octet-stream", "\u0001\u0002\u0003"],
    ["nothing", "text/plain", ""],
    ["a broken advertisement", "application/x-git-upload-pack-advertisement", "zzzz garbage"],
    ["half an advertisement", "application/x-git-upload-pack-advertisement", "001e# service=git-upload-pack\n000000ff"],
    [
      "refs that are none",
      "application/x-git-upload-pack-advertisement",
      "001e# service=git-upload-pack\n0000000ahello\n",
    ],
  ])("%s is no repository", async (title, type, body) => {
    const name = `odd/${title.replaceAll(" ", "-")}`;
    bed.server.answer(name, (_request, response) => response.writeHead(200, { "content-type": type }).end(body));
    await expect(bed.resolve(bed.spec(`${bed.server.url}/${name}`))).rejects.toMatchObject({ code: "source_invalid" });
  });

  it("an error in place of its refs does not make a repository an empty one", async () => {
    bed.server.answer("odd/error", (request, response) => {
      const isDiscovery = request.method === "GET";
      response.end(isDiscovery ? `${toLine("version 2")}${toLine("ls-refs")}0000` : toLine("ERR access denied"));
    });
    await expect(bed.resolve(bed.spec(`${bed.server.url}/odd/error`))).rejects.toMatchObject({
      code: "source_invalid",
      message: expect.stringContaining("with an error") as string,
    });
  });

  it.each([
    [403, "source_refused"],
    [410, "source_not_found"],
    [418, "source_invalid"],
    [429, "source_unreachable"],
    [503, "source_unreachable"],
  ])("status %i fails as %s", async (status, code) => {
    bed.server.answer(`status/${status}`, (_request, response) => response.writeHead(status).end());
    await expect(bed.resolve(bed.spec(`${bed.server.url}/status/${status}`))).rejects.toMatchObject({ code });
  });

  it("a server that hangs is out of reach, and an aborted request ends at once", async () => {
    const hasty = await startGitTestbed({ patience: 500 });
    onTestFinished(() => hasty.close());
    hasty.server.answer("odd/hangs", () => undefined);
    const spec = hasty.spec(`${hasty.server.url}/odd/hangs`);
    const reason = new Error("enough");
    const controller = new AbortController();
    const aborted = hasty.resolve(spec, null, { signal: controller.signal });
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    await expect(hasty.resolve(spec)).rejects.toMatchObject({ code: "source_unreachable" });
  });
});
