import { execFile, spawn } from "node:child_process";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { files } from "../e2e/setup.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

/** Runs the commands of "Back up" in docs/guides/back-up-and-upgrade.md in a folder. */
async function backUp(folder: string): Promise<void> {
  const page = await readFile(join(root, "docs", "guides", "back-up-and-upgrade.md"), "utf8");
  const [, commands = ""] = /## Back up\n.*?```sh\n(.*?)```/s.exec(page) ?? [];
  for (const command of commands.trim().split("\n")) {
    const [, file, statement] = /^sqlite3 (\S+) "(.*)"$/.exec(command) ?? [];
    // The program sqlite3 may be missing, so this uses Node's SQLite.
    if (file === undefined || statement === undefined) await run("sh", ["-ec", command], { cwd: folder });
    else {
      const database = new DatabaseSync(join(folder, file), { readOnly: true });
      database.exec(statement.replace("INTO '", `INTO '${folder}/`));
      database.close();
    }
  }
}

describe("a backup made as documented while the server runs", () => {
  const auth = { user: "robot", password: "s3cret" };
  const token = "robot:s3cret";
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let git: GitServer;
  let url = "";
  const settings = () => ({ FETCH_ALLOW: new URL(url).host });
  beforeAll(async () => {
    folder = await temporaryFolder();
    git = await startGitServer();
    ({ url } = await git.repository("acme/private.git", files, { auth }));
    const server = await startLectern(join(folder.path, "data"), settings());
    const added = await server.call("POST", "/v2/add/repo/git", {
      docsRepoUrl: url,
      gitToken: token,
      libraryName: "/acme/private",
    });
    if (added.status !== 200) throw new Error(`The library was not added: ${JSON.stringify(added.body)}`);
    await server.settled("/acme/private");
    await backUp(folder.path);
    await server.kill("SIGTERM");
    await rm(join(folder.path, "data"), { recursive: true });
  });
  afterAll(async () => {
    await git.close();
    await folder[Symbol.asyncDispose]();
  });
  const restored = async (name: string, without?: string): Promise<string> => {
    const place = join(folder.path, name);
    await run("cp", ["-a", join(folder.path, "backup"), place]);
    if (without !== undefined) await rm(join(place, without), { recursive: true });
    return place;
  };
  const refreshed = async (server: Awaited<ReturnType<typeof startLectern>>): Promise<unknown> => {
    await server.call("POST", "/v1/refresh", { libraryName: "/acme/private" });
    const { runs } = (await server.settled("/acme/private")) as { runs: object[] };
    return runs[0];
  };

  it("serves the same in another folder, and refreshes with the credentials", async () => {
    const server = await startLectern(await restored("elsewhere"), settings());
    const { status, body } = await server.call("GET", "/v2/context?libraryId=/acme/private&query=make+widget");
    expect({ status, hasCode: String(body).includes('from "widgets"') }).toEqual({ status: 200, hasCode: true });
    expect(await refreshed(server)).toMatchObject({ outcome: "unchanged", failure: null });
    expect(server.stderr()).not.toContain("encryption key");
    await server.kill("SIGTERM");
  });

  it("is refused without its encryption key, names the sealed credentials, and gets no new key", async () => {
    const place = await restored("without-key", "encryption.key");
    const child = spawn(process.execPath, [join(root, "cli", "lectern.mjs"), "serve"], {
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: place },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stderr = await text(child.stderr);
    expect(stderr.slice(stderr.indexOf("\n") + 1)).toBe(
      `The encryption key is missing, and one stored credential (that of /acme/private) cannot be read without it. Copy it from a backup to ${place}/encryption.key, or set ENCRYPTION_KEYS to it. If it is lost, set ENCRYPTION_KEYS to a new one (openssl rand -base64 32), start, and submit these credentials again.\n`,
    );
    expect(await readdir(place)).not.toContain("encryption.key");
  });

  it("starts with another key, says what it cannot decrypt, and accepts the credential again", async () => {
    const place = await restored("other-key", "encryption.key");
    const server = await startLectern(place, {
      ...settings(),
      ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString("base64"),
    });
    expect(server.stderr()).toContain("No encryption key opens one stored credential (that of /acme/private)");
    expect(await refreshed(server)).toMatchObject({ outcome: "failed", failure: { error: "internal_error" } });
    await server.call("POST", "/v1/refresh", { libraryName: "/acme/private", gitToken: token });
    expect(await server.settled("/acme/private")).toMatchObject({ runs: [{ outcome: "unchanged" }, {}, {}] });
    await server.kill("SIGTERM");
    await expect(stat(join(place, "encryption.key"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
