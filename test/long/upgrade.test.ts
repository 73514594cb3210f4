import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { globSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyInstallation } from "../support/installation.ts";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";

const started: LecternProcess[] = [];

/** Starts a server that is killed after the test. */
async function start(...options: Parameters<typeof startLectern>): Promise<LecternProcess> {
  const server = await startLectern(...options);
  started.push(server);
  onTestFinished(async () => {
    for (const each of started.splice(0)) await each.kill("SIGKILL");
  });
  return server;
}

describe("an upgrade", () => {
  it("reads Lectern's own documentation from the running installation", async () => {
    const folder = await folderOfTest();
    const [before, after] = ["before", "after"].map((name) => join(folder, name));
    const programs: string[] = [];
    for (const [at, installation] of [before, after].entries()) {
      await mkdir(installation ?? "");
      programs.push(
        await copyInstallation(installation ?? "", {
          "asking.md": `# Asking\n\nThe zebra of release ${at} answers.\n`,
          // Internal notes were public pages in the older release.
          [at === 0 ? "notes.md" : "internals/notes.md"]: "# Notes\n\nThe okapi of maintainers was measured.\n",
        }),
      );
    }
    const data = join(folder, "data");
    const ask = async (server: LecternProcess) =>
      String((await server.call("GET", "/v2/context?libraryId=/docs/lectern&query=zebra+of+release")).body);
    const first = await start(data, { INDEX_OWN_DOCS: "on" }, programs[0]);
    await first.settled("/docs/lectern");
    const okapis = async (server: LecternProcess) =>
      String((await server.call("GET", "/v2/context?libraryId=/docs/lectern&query=okapi+of+maintainers")).body);
    expect(await okapis(first)).toContain("okapi");
    expect(await ask(first)).toContain("release 0 answers");
    await first.kill("SIGTERM");

    // With an outdated index too: the old generation is loaded first, then the documentation is read.
    outdate(data);
    await rm(before ?? "", { recursive: true });
    const second = await start(data, { INDEX_OWN_DOCS: "on" }, programs[1]);
    await expect.poll(() => ask(second)).toContain("release 1 answers");
    expect(await ask(second)).toContain(join(after ?? "", "docs", "asking.md"));
    expect(await okapis(second)).not.toContain("The okapi");
    expect(second.stderr()).toContain("moved with the installation");
  });

  it("that changes the index format answers 503 meanwhile, logs it, and loads every library", async () => {
    const folder = await folderOfTest();
    const data = join(folder, "data");
    const names = ["one", "two", "three"];
    const first = await start(data, { FOLDER_ROOTS: folder });
    for (const name of names) {
      const path = join(folder, name);
      await mkdir(path);
      await writeFile(
        join(path, "guide.md"),
        `# Guide to ${name}\n\nHow ${name} is used:\n\n\`\`\`js\nuse("${name}");\n\`\`\`\n`,
      );
      await first.call("POST", "/v2/add/folder", { path, libraryName: `/docs/${name}` });
    }
    for (const name of names) await first.settled(`/docs/${name}`);
    await first.kill("SIGTERM");

    outdate(data);
    const second = await start(data, { FOLDER_ROOTS: folder });
    for (const name of names) {
      const ask = async () => {
        const answer = await second.call("GET", `/v2/context?libraryId=/docs/${name}&query=${name}`);
        if (answer.status === 200) return 200;
        expect(answer).toMatchObject({ status: 503, body: { error: "index_rebuilding" } });
        expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
        return 503;
      };
      await expect.poll(ask).toBe(200);
    }
    await expect.poll(() => second.stderr()).toContain("The index is rebuilt.");
    expect(second.stderr()).toMatch(/The index is being rebuilt: \d of 3 libraries are done\./);
  });

  it("has the version of package.json in the command line, the health check and the log", async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, "..", "..", "package.json"), "utf8")) as {
      version: string;
    };
    const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");
    expect((await promisify(execFile)(process.execPath, [program, "--version"])).stdout).toBe(`${version}\n`);
    const server = await start(join(await folderOfTest(), "data"));
    expect((await server.call("GET", "/health")).body).toEqual({ status: "ok", version });
    expect(server.stderr()).toContain(`lectern serve ${version} starts`);
  });
});

/** Marks the index as written by an earlier version. */
function outdate(data: string): void {
  const files = globSync("index/*/*.sqlite", { cwd: data });
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const db = new DatabaseSync(join(data, file));
    db.exec("UPDATE meta SET value = '0.0' WHERE name = 'format'");
    db.close();
  }
}
