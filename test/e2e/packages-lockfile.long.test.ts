import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inPipe } from "../support/command-line.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { folderOfTest } from "../support/of-test.ts";
import { startServers } from "./setup.ts";

const registry = await startNpmRegistry();
const { server, context } = await startServers(() => ({
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
}));
afterAll(() => registry.close());

const files = (call: string) => ({ "README.md": `# Kit\n\nUse it so:\n\n\`\`\`js\n${call};\n\`\`\`\n` });
beforeAll(() => {
  registry.publish("kit", { "1.0.0": { files: files("oldKit()") }, "2.0.0": { files: files("newKit()") } });
});

const lock = {
  lockfileVersion: 3,
  packages: {
    "": { dependencies: { kit: "^1.0.0" }, devDependencies: { tester: "*" } },
    "node_modules/kit": { version: "1.0.0" },
    "node_modules/tester": { version: "3.1.0", dev: true },
    "node_modules/deep": { version: "0.1.0" },
  },
};

async function resolve(text: string, name = "package-lock.json") {
  const form = new FormData();
  form.set("lockfile", new Blob([text]), name);
  const response = await fetch(`${server.url}/api/v2/resolve`, { method: "POST", body: form });
  return { status: response.status, body: (await response.json()) as { packages: object[]; message?: string } };
}

it("names the library and version for each package of a lockfile, and how to get the exact one", async () => {
  const before = await resolve(JSON.stringify(lock));
  expect(before).toMatchObject({
    status: 200,
    body: {
      format: "package-lock.json",
      packages: [
        {
          name: "kit",
          version: "1.0.0",
          direct: true,
          dev: false,
          libraryId: "/npm/kit",
          found: "none",
          get: { path: "/v2/add/package" },
        },
        { name: "tester", direct: true, dev: true, found: "none" },
        { name: "deep", direct: false, found: "none" },
      ],
    },
  });
  await server.call("POST", "/v2/add/package", { name: "kit" });
  await server.settled("/npm/kit");
  const nearest = await resolve(JSON.stringify(lock));
  const get = { method: "POST", path: "/v1/refresh", body: { libraryName: "/npm/kit@1.0.0" } };
  expect(nearest.body.packages[0]).toMatchObject({
    found: "nearest",
    ask: "/npm/kit@2.0.0",
    source: registry.url,
    get,
  });
  expect(await server.call(get.method, get.path, get.body)).toMatchObject({ status: 200 });
  await server.settled("/npm/kit@1.0.0");
  const exact = await resolve(JSON.stringify(lock));
  expect(exact.body.packages[0]).toMatchObject({ found: "exact", ask: "/npm/kit@1.0.0", get: null });
  expect(JSON.stringify((await context("/npm/kit@1.0.0", "kit")).body)).toContain("oldKit();");
});

it("submits the missing packages of a lockfile from the command line, and prints a line for each package", async () => {
  registry.publish("tool", { "0.3.0": { files: files("tool()") } });
  const file = join(await folderOfTest(), "package-lock.json");
  const direct = { "": { dependencies: { kit: "1.0.0", tool: "0.3.0" } } };
  const installed = { "node_modules/kit": { version: "1.0.0" }, "node_modules/tool": { version: "0.3.0" } };
  await writeFile(file, JSON.stringify({ lockfileVersion: 3, packages: { ...direct, ...installed } }));
  const added = await inPipe(["add", "--lockfile", file], { env: { PUBLIC_URL: server.url } });
  expect(added).toMatchObject({ code: 0, stderr: "" });
  const lines = added.stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { name: "kit", version: "1.0.0", libraryId: "/npm/kit", state: "indexed" },
    { name: "tool", version: "0.3.0", libraryId: "/npm/tool", state: "added" },
  ]);
  expect(JSON.stringify((await context("/npm/tool@0.3.0", "tool")).body)).toContain("tool();");
  await writeFile(file, "{");
  expect(await inPipe(["add", "--lockfile", file], { env: { PUBLIC_URL: server.url } })).toMatchObject({ code: 2 });
});

it("tries a failed package again by the same command, and by a refresh of a version", async () => {
  const file = join(await folderOfTest(), "package-lock.json");
  const packages = { "": { dependencies: { late: "1.0.0" } }, "node_modules/late": { version: "1.0.0" } };
  await writeFile(file, JSON.stringify({ lockfileVersion: 3, packages }));
  const add = () => inPipe(["add", "--lockfile", file], { env: { PUBLIC_URL: server.url } });
  expect(await add()).toMatchObject({ code: 1, stdout: expect.stringContaining("has no npm package late") as string });
  const ask = async (id: string) => (await server.call("GET", `/v2/context?libraryId=${id}&query=late`)).body;
  expect(await ask("/npm/late@1.0.0")).toMatchObject({ error: "source_not_found" });
  const failed = (await resolve(JSON.stringify({ lockfileVersion: 3, packages }))).body.packages[0];
  expect(failed).toMatchObject({ found: "none", get: { path: "/v2/add/package", body: { name: "late" } } });

  const refreshed = await server.call("POST", "/v1/refresh", { libraryName: "/npm/late@1.0.0" });
  expect(refreshed).toMatchObject({ status: 200, body: { version: "", joined: false } });
  expect((refreshed.body as { message: string }).message).toContain("Ask for 1.0.0 when it is done.");
  await server.settled("/npm/late");
  registry.publish("late", { "1.0.0": { files: files("oldLate()") }, "2.0.0": { files: files("newLate()") } });
  expect(await add()).toMatchObject({ code: 0, stdout: expect.stringMatching(/"late".*"added"/) as string });
  expect(JSON.stringify((await context("/npm/late@1.0.0", "late")).body)).toContain("oldLate();");
});

it("lists libraries that were never indexed separately, and deletes all of them", async () => {
  await server.call("POST", "/v2/add/package", { name: "nowhere" });
  await server.settled("/npm/nowhere");
  const lectern = (...words: string[]) => inPipe(words, { env: { PUBLIC_URL: server.url } });
  expect((await lectern("list")).stdout).not.toContain("nowhere");
  expect((await lectern("list", "--state", "unserved")).stdout).toContain("/npm/nowhere");
  expect(await lectern("delete")).toMatchObject({ code: 2, stderr: expect.stringContaining("--unserved") as string });
  expect(await lectern("delete", "--unserved", "--yes")).toMatchObject({ code: 0, stdout: "1 library deleted.\n" });
  expect((await lectern("list", "--state", "unserved")).stdout).not.toContain("nowhere");
});

it("answers for one package, and for a list of them", async () => {
  const one = await server.call("GET", "/v2/resolve?name=kit&version=2.0.0");
  expect(one).toMatchObject({ status: 200, body: { libraryId: "/npm/kit", found: "exact" } });
  const packages = [{ registry: "pypi", name: "Foo_Bar", version: "1.0" }];
  const list = await server.call("POST", "/v2/resolve", { packages });
  expect(list).toMatchObject({ status: 200, body: { packages: [{ libraryId: "/pypi/foo-bar", found: "none" }] } });
});

it("says why the teamspace's policy excludes a package, and offers no way to get it", async () => {
  const quality = (change: object) => ({ libraryFilters: { mode: "quality", quality: { blockedLibraries: change } } });
  await server.call("PATCH", "/v2/policies", quality({ add: ["/npm/kit"] }));
  expect(await server.call("GET", "/v2/resolve?name=kit&version=2.0.0")).toMatchObject({
    body: { found: "none", ask: null, get: null, excluded: "it is blocked" },
  });
  await server.call("PATCH", "/v2/policies", quality({ remove: ["/npm/kit"] }));
  expect(await server.call("GET", "/v2/resolve?name=kit&version=2.0.0")).toMatchObject({ body: { found: "exact" } });
});

it("refuses files that are not lockfiles", async () => {
  expect(await resolve("{", "package-lock.json")).toMatchObject({ status: 400 });
  expect(await resolve("hello", "notes.doc")).toMatchObject({ status: 400 });
});
