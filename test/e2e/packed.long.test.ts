import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import about from "../../package.json" with { type: "json" };
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { installPacked, pack } from "../support/packed.ts";
import { startSite } from "../support/site.ts";

const root = join(import.meta.dirname, "../..");
const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const tarball = pack(folder.path);
const installed = installPacked(tarball, join(folder.path, "project"), { peers: false });
const program = join(installed, "cli", "lectern.mjs");

describe("the packed program", () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));

  it("has all of the program as JavaScript with the source's line numbers, and nothing else", () => {
    const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...about.files], {
      cwd: root,
      encoding: "utf8",
    });
    const expected = sources
      .trim()
      .split("\n")
      .map((name) => name.replace(/\.ts$/, ".js"));
    expect(files.toSorted()).toEqual([...expected, "npm-shrinkwrap.json", "package.json"].toSorted());
    expect(files.filter((name) => /\.test\.|^(test|bench|dev)\//.test(name))).toEqual([]);
    const linesOf = (path: string): number => readFileSync(path, "utf8").split("\n").length;
    for (const name of files.filter((path) => path.endsWith(".js") && !path.includes("/static/")))
      expect(linesOf(join(installed, name)), name).toBe(linesOf(join(root, name.replace(/\.js$/, ".ts"))));
    const bytes = files.reduce((total, name) => total + statSync(join(installed, name)).size, 0);
    expect(bytes).toBeLessThan(11_000_000);
  });

  it("pins all packages that it needs, and has those of a cluster as optional", () => {
    const read = (name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(installed, name), "utf8")) as Record<string, unknown>;
    const { packages } = read("npm-shrinkwrap.json") as {
      packages: Record<string, { version: string; resolved?: string }>;
    };
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: typeof packages };
    const { dependencies, optionalDependencies, peerDependencies } = read("package.json") as Record<
      string,
      Record<string, string>
    >;
    expect(dependencies).toEqual(about.dependencies);
    expect({ optionalDependencies, peerDependencies }).toEqual({
      optionalDependencies: about.optionalDependencies,
      peerDependencies: about.peerDependencies,
    });
    expect(Object.keys(peerDependencies ?? {})).toContain("@temporalio/worker");
    for (const name of Object.keys(dependencies ?? {})) expect(packages).toHaveProperty([`node_modules/${name}`]);
    for (const [path, { version, resolved }] of Object.entries(packages)) {
      expect(lock.packages[path]?.version, path).toBe(version);
      expect(resolved).toBeUndefined();
      expect(path).not.toMatch(/temporalio|vitest/);
    }
  });

  it("serves repositories and websites without the packages of a cluster", async () => {
    const data = await temporaryFolder();
    const git = await startGitServer();
    const repository = await git.repository("acme/widgets.git", {
      "README.md": "# Widgets\n\nHow to make widgets:\n\n```js\nmakeWidget();\n```\n",
    });
    const site = await startSite({
      "/": "<title>Gadgets</title><main><h1>Gadgets</h1><p>How to turn a gadget on.</p><pre><code>turnOn();</code></pre></main>",
    });
    const server = await startLectern(data.path, { FETCH_ALLOW: "127.0.0.1" }, program);
    onTestFinished(async () => {
      await server.kill("SIGTERM");
      await Promise.all([git.close(), site.close()]);
      await data[Symbol.asyncDispose]();
    });
    await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName: "/acme/widgets" });
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName: "/websites/gadgets" });
    for (const [id, query, code] of [
      ["/acme/widgets", "make widgets", "makeWidget();"],
      ["/websites/gadgets", "turn gadget on", "turnOn();"],
    ] as const) {
      expect(await server.settled(id)).toMatchObject({ state: "finalized" });
      const path = `/v2/context?libraryId=${id}&query=${encodeURIComponent(query)}`;
      expect(String((await server.call("GET", path)).body)).toContain(code);
    }
    expect(server.stderr()).not.toMatch(/"level":[56]0/);
  });

  it("says what to install if a command needs packages of a cluster", () => {
    const { stderr, status } = spawnSync(process.execPath, [program, "worker", "--bundle"], { encoding: "utf8" });
    const version = about.peerDependencies["@temporalio/worker"];
    expect(stderr).toMatch(
      /^This needs packages that only a cluster uses\. Install them next to Lectern: npm install .*\n$/,
    );
    expect(stderr).toContain(` @temporalio/worker@${version} `);
    expect(status).toBe(1);
  });
});
