import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { files, manyPages, startServers } from "../e2e/setup.ts";

const { git, server, add, context, operate, remove } = await startServers(() => ({ MAX_PAGES: "500" }));
/** A port where nothing listens, which the guard permits. */
const deadPort = 9;

describe("a bad source", () => {
  it.each([
    ["nothing at its address", () => `${git.url}/acme/missing.git`, 404, "source_not_found"],
    ["a host where nothing listens", () => `http://127.0.0.1:${deadPort}/acme/dead.git`, 504, "source_unreachable"],
    ["a host that does not exist", () => "https://no-such-host.invalid/acme/unknown.git", 504, "source_unreachable"],
  ])("fails with %s", async (_, url, status, error) => {
    const { body } = await add(url());
    const { libraryName } = body as { libraryName: string };
    expect(await server.settled(libraryName)).toMatchObject({ state: "error" });
    expect(await context(libraryName)).toMatchObject({ status, body: { error } });
    expect(await add(url()), "a failed one may be submitted again").toMatchObject({ status: 200 });
  });

  it("fails if a repository is empty, has no documents, or has only empty pages", async () => {
    const empty = await git.repository("acme/empty.git", {});
    const bare = await git.repository("acme/code-only.git", { "src/a.ts": "export {};\n" });
    const blank = await git.repository("acme/blank.md.git", { "docs/a.md": "\n\n", "docs/b.md": "# Only a title\n" });
    for (const { url } of [empty, bare, blank]) await add(url);
    for (const name of ["/acme/empty", "/acme/code-only", "/acme/blank.md"]) await server.settled(name);
    expect(await context("/acme/empty")).toMatchObject({ status: 404, body: { error: "no_snippets_found" } });
    expect(await context("/acme/code-only")).toMatchObject({ status: 404, body: { error: "no_snippets_found" } });
    expect(await context("/acme/blank.md")).toMatchObject({ status: 422, body: { error: "no_code_found" } });
  });

  it("fails if a server sends garbage, and if there are more pages than allowed", async () => {
    git.answer(
      "acme/garbage.git",
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
          .end("\u0000\u0001garbage".repeat(1000)),
    );
    git.answer(
      "acme/page.git",
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>hello</html>"),
    );
    const large = await git.repository("acme/large.git", manyPages(501, "gamma"));
    for (const url of [`${git.url}/acme/garbage.git`, `${git.url}/acme/page.git`, large.url]) await add(url);
    for (const name of ["/acme/garbage", "/acme/page", "/acme/large"]) await server.settled(name);
    expect(await context("/acme/garbage")).toMatchObject({ status: 422, body: { error: "source_invalid" } });
    expect(await context("/acme/page")).toMatchObject({ status: 422, body: { error: "source_invalid" } });
    expect(await context("/acme/large")).toMatchObject({ status: 422, body: { error: "library_too_large" } });
  });

  it("blocks no other library while a server hangs, and can be cancelled and deleted", async () => {
    const listener = createTcpServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => listener.once("listening", resolve));
    const { port } = listener.address() as AddressInfo;
    const hanging = [1, 2, 3].map((number) => `/acme/hanging-${number}`);
    for (const libraryName of hanging) await add(`http://127.0.0.1:${port}/acme/hanging.git`, { libraryName });
    const repository = await git.repository("acme/beside.git", files);
    await add(repository.url);
    expect(await server.settled("/acme/beside")).toMatchObject({ state: "finalized" });
    for (const libraryName of hanging) expect(await context(libraryName)).toMatchObject({ status: 202 });

    expect(await operate("cancel", { libraryName: hanging[0] })).toMatchObject({ status: 200 });
    await server.settled(hanging[0] ?? "");
    expect(await context(hanging[0] ?? "")).toMatchObject({ status: 422, body: { error: "run_cancelled" } });
    for (const libraryName of hanging.slice(1)) expect(await remove(libraryName)).toMatchObject({ status: 200 });
    for (const libraryName of hanging.slice(1))
      expect(await context(libraryName)).toMatchObject({ status: 404, body: { error: "library_not_found" } });
    listener.close();
  });
});

describe("an address that is not public", () => {
  it.each([
    "http://10.0.0.1/a/b.git",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:10.0.0.1]/a/b.git",
    "http://[::1]/a/b.git",
    "http://0x7f.1.2.3/a/b.git",
    "http://2130706434/a/b.git",
    "http://example.com:22/a/b.git",
  ])("is refused at once: %s", async (docsRepoUrl) => {
    const { status, body } = await server.call("POST", "/v2/add/repo/git", { docsRepoUrl });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { error: "address_not_allowed", message: expect.stringContaining("FETCH_ALLOW") as string },
    });
  });
});
