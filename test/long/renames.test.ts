import { expect, it } from "vitest";
import { startServers } from "../e2e/setup.ts";

const { git, server, add } = await startServers();

// A host can claim any new name for a repository: that must give access to nothing.

const pages = (word: string): Record<string, string> => ({
  "README.md": `# The ${word} project\n\nWhat the ${word} project is good for.\n\n\`\`\`js\n${word}.call();\n\`\`\`\n`,
});
/** Serves the repository under another name, and redirects the old one. */
const rename = async (from: string, to: string): Promise<void> => {
  const repository = await git.repository(`${to}.git`, {});
  const before = repository.path.replace(`${to}.git`, `${from}.git`);
  await repository.git("fetch", "--quiet", before, "+refs/*:refs/*");
  git.redirect(`${from}.git`, `${to}.git`);
};
/** Makes a key, with functions that use it. */
const holder = async (fields: { scopes: string[]; libraries?: string[]; teamspace?: string }) => {
  const { key, id } = (await server.call("POST", "/v2/keys", { name: "test", ...fields })).body as {
    key: string;
    id: string;
  };
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, path, body, { Authorization: `Bearer ${key}` });
  const context = async (libraryId: string) => {
    const query = new URLSearchParams({ libraryId, query: "project call", type: "json" }).toString();
    const { status, body } = await call("GET", `/v2/context?${query}`);
    return { status, text: JSON.stringify(body) };
  };
  return {
    id,
    call,
    context,
    add: (url: string, more = {}) => call("POST", "/v2/add/repo/git", { docsRepoUrl: url, ...more }),
    refresh: (libraryName: string) => call("POST", "/v1/refresh", { libraryName }),
    revoke: () => server.call("DELETE", `/v2/keys?id=${id}`),
  };
};
type Holder = Awaited<ReturnType<typeof holder>>;
const limited = (): Promise<Holder> => holder({ scopes: ["submit"], libraries: ["/a/*"] });
/** Submits a repository with a key, and waits until it is indexed. */
const submitted = async (by: Holder, name: string, more = {}): Promise<void> => {
  const repository = await git.repository(`${name}.git`, pages(name.replace("/", "")));
  expect(await by.add(repository.url, more)).toMatchObject({ status: 200, body: { libraryName: `/${name}` } });
  await server.settled(`/${name}`);
};
/** Refreshes a library whose rename must wait; returns its status. */
const waiting = async (by: Holder, name: string, to: string): Promise<Record<string, unknown>> => {
  expect(await by.refresh(`/${name}`)).toMatchObject({ status: 200 });
  const status = await server.settled(`/${name}`);
  expect(status).toMatchObject({
    libraryId: `/${name}`,
    redirectUrl: null,
    pendingRename: { libraryId: `/${to}` },
    source: `${git.url}/${to}.git`,
  });
  return status;
};
const secret = async (name: string): Promise<void> => {
  const { url } = await git.repository(`${name}.git`, pages("secret"));
  expect(await add(url, { private: true })).toMatchObject({ status: 200 });
  await server.settled(`/${name}`);
};
const decide = (libraryName: string, accept: boolean) =>
  server.call("POST", "/v2/libs/rename", { libraryName, accept });

it("gives no access to a private library by a rename to its ID", async () => {
  await secret("acme/secret");
  const outsider = await limited();
  await submitted(outsider, "a/x");
  git.redirect("a/x.git", "acme/secret.git");
  await waiting(outsider, "a/x", "acme/secret");
  expect(await outsider.context("/acme/secret")).toMatchObject({ status: 404 });
  expect((await outsider.call("GET", "/v2/libs")).body).toMatchObject({ libraries: [{ libraryId: "/a/x" }] });
  const own = (await outsider.call("GET", "/v2/libs/status?libraryId=/a/x")).body;
  expect(own).not.toHaveProperty("pendingRename");
  const { keys } = (await server.call("GET", "/v2/keys")).body as { keys: { id: string; libraries: string[] }[] };
  expect(keys.find(({ id }) => id === outsider.id)?.libraries).toEqual(["/a/*"]);
  expect(server.stderr()).toContain("a rename waits for an administrator");

  expect(await decide("/a/x", false)).toMatchObject({ status: 200, body: { libraryName: "/a/x" } });
  await outsider.refresh("/a/x");
  expect(await server.settled("/a/x")).not.toHaveProperty("pendingRename");
  expect(await decide("/a/x", true)).toMatchObject({ status: 400 });
});

it("also waits for a private library, and for one that is renamed in its first run", async () => {
  await secret("acme/inner");
  const outsider = await limited();
  await submitted(outsider, "a/own", { private: true });
  git.redirect("a/own.git", "acme/inner.git");
  await waiting(outsider, "a/own", "acme/inner");

  git.redirect("a/at-once.git", "acme/inner.git");
  await outsider.add(`${git.url}/a/at-once.git`);
  expect(await server.settled("/a/at-once")).toMatchObject({
    pendingRename: { libraryId: "/acme/inner" },
    state: "finalized",
  });
  expect(await outsider.context("/acme/inner")).toMatchObject({ status: 404 });
  expect(await decide("/a/own", true)).toMatchObject({ status: 409, body: { error: "duplicate_library" } });
});

it("follows a repository as far as its submitter's key reaches", async () => {
  const outsider = await limited();
  await submitted(outsider, "a/first");
  await rename("a/first", "a/second");
  await outsider.refresh("/a/first");
  await expect.poll(async () => (await outsider.context("/a/second")).status).toBe(200);
  expect(await outsider.context("/a/first")).toMatchObject({ status: 301 });
  await server.settled("/a/second");
  await rename("a/second", "free/third");
  await waiting(outsider, "a/second", "free/third");
  const reader = await holder({ scopes: ["read"], libraries: ["/a/second"] });
  expect(await decide("/a/second", true)).toMatchObject({ status: 200, body: { libraryName: "/free/third" } });
  const anybody = await holder({ scopes: ["read"] });
  expect((await anybody.context("/free/third")).text).toContain("afirst.call();");
  expect(await anybody.context("/a/second")).toMatchObject({ status: 301 });
  for (const one of [outsider, reader])
    for (const id of ["/a/second", "/free/third"]) expect(await one.context(id)).toMatchObject({ status: 404 });
});

it("checks the libraries of the submitter's teamspace only", async () => {
  await server.call("POST", "/v2/teamspaces", { id: "web" });
  const web = await holder({ scopes: ["submit"], teamspace: "web" });
  await submitted(web, "open/one");
  await secret("acme/ours");
  await rename("open/one", "acme/ours");
  await web.refresh("/open/one");
  await expect.poll(async () => (await web.context("/acme/ours")).status).toBe(200);
  expect((await web.context("/acme/ours")).text).toContain("openone.call();");
  const ours = await holder({ scopes: ["read"], libraries: ["/acme/ours"] });
  expect((await ours.context("/acme/ours")).text).toContain("secret.call();");

  const { url } = await git.repository("web/hidden.git", pages("hidden"));
  await web.add(url, { private: true });
  await expect.poll(async () => (await web.context("/web/hidden")).status).toBe(200);
  await submitted(web, "open/two");
  await rename("open/two", "web/hidden");
  await waiting(web, "open/two", "web/hidden");
});

it("waits once the key that submitted the library is revoked", async () => {
  const gone = await holder({ scopes: ["submit"] });
  await submitted(gone, "left/behind");
  await gone.revoke();
  await rename("left/behind", "left/elsewhere");
  const other = await holder({ scopes: ["submit"] });
  const { pendingRename } = await waiting(other, "left/behind", "left/elsewhere");
  expect(pendingRename).toMatchObject({ reason: expect.stringContaining("revoked") as string });
});
