import { randomBytes } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { findGit, standIn, systemGit } from "../../../sources/git/program.ts";
import { amount } from "../../support/endurance.ts";
import { startGitServer } from "../../support/git-server.ts";
import { startLectern, temporaryFolder } from "../../support/lectern-process.ts";
import { openGitTestbed, outline } from "./setup.ts";

describe("Without git on the PATH", () => {
  it("the stand-in is used, and git again once it is there", async () => {
    await using folder = await temporaryFolder();
    expect(findGit(`${folder.path}:${join(folder.path, "none")}:`)).toBe(standIn);
    symlinkSync(execPath, join(folder.path, "git"));
    expect(findGit(`${join(folder.path, "none")}:${folder.path}`)).toBe(systemGit);
    expect(findGit()).toBe(systemGit);
  });

  it("a server reads repositories, and logs the size limit", async () => {
    const folder = await temporaryFolder();
    const git = await startGitServer();
    const repository = await git.repository("acme/widgets.git", {
      "README.md": "# Widgets\n\nHow to make widgets:\n\n```js\nmakeWidget();\n```\n",
    });
    const bin = join(folder.path, "bin");
    const server = await startLectern(folder.path, { PATH: bin, FETCH_ALLOW: git.host });
    onTestFinished(async () => {
      await server.kill("SIGTERM");
      await git.close();
      await folder[Symbol.asyncDispose]();
    });
    expect(server.stdout() + server.stderr()).toContain("Repositories of up to 100 MB are read without it");
    const libraryName = "/acme/widgets";
    await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { code: 1 } } });
    await repository.commit({ "README.md": "# Widgets\n\n```js\nmakeOther();\n```\n\n```js\nmakeThird();\n```\n" });
    await server.call("POST", "/v1/refresh", { libraryName });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { code: 2 } } });
  });

  it("a repository too large for the stand-in fails with the advice to install git", async () => {
    const bed = await openGitTestbed({ program: { ...standIn, maxDownload: 4_000_000 } });
    const repository = await bed.server.repository("acme/heavy", { "blob.md": randomBytes(6_000_000) });
    await expect(bed.readAll(bed.spec(repository.url))).rejects.toMatchObject({
      code: "library_too_large",
      message: expect.stringMatching(/more than 4000000 bytes.*The program git, which is not installed/),
    });
  });

  it("documents that unpack to many times the limit fail as the source's fault, whether memory holds them or not", async () => {
    const bed = await openGitTestbed({ program: { ...standIn, memory: 1_800_000_000 } });
    const small = await bed.server.repository("acme/small", { "a.md": "a" });
    expect((await bed.readAll(bed.spec(small.url))).items).toHaveLength(1);
    const bytes = Buffer.alloc(amount({ short: 30_000_000, long: 400_000_000 }), "a");
    const bomb = await bed.server.repository("acme/bomb", { "a.md": bytes, "b.md": "b" });
    const reading = bed.readAll(bed.spec(bomb.url), { limits: { bytes: 1_000_000 } });
    await expect(reading).rejects.toMatchObject({ code: "library_too_large" });
  });

  it("links and names in any order are read as git reads them", async () => {
    const bed = await openGitTestbed({ program: standIn });
    const files = {
      "a.md": "a",
      "a/b.md": "b",
      "a0.md": "c",
      "é.md": "d",
      "a/z/é.md": "e",
      "x.md": { symlink: "a.md" },
    };
    const repository = await bed.server.repository("acme/order", files);
    const spec = bed.spec(repository.url);
    const withGit = await openGitTestbed();
    const other = await withGit.server.repository("acme/order", files);
    const [one, two] = [await bed.readAll(spec), await withGit.readAll(withGit.spec(other.url))];
    expect(outline(one.items)).toEqual(outline(two.items));
    expect(one.items.map(({ page }) => page.key)).toEqual(two.items.map(({ page }) => page.key));
  });
});
