import { spawn } from "node:child_process";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inPipe, jsonLines } from "../support/command-line.ts";
import { formOf } from "../support/form.ts";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { files } from "../e2e/setup.ts";

const root = join(import.meta.dirname, "..", "..");

/** Runs a command on a data folder, and returns what it printed as JSON. */
async function lectern(dataDir: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await inPipe(args, { env: { DATA_DIR: dataDir } });
  if (code !== 0) throw new Error(`lectern ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return jsonLines(stdout)[0] ?? {};
}

describe("a backup made while the server runs", () => {
  const auth = { user: "robot", password: "s3cret" };
  const token = "robot:s3cret";
  const changing = Array.from({ length: 6 }, (_, number) => `/docs/changing-${number}`);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let git: GitServer;
  let url = "";
  let [readerKey, uploaded] = ["", ""];
  let refreshes = 0;
  let before: Readonly<Record<string, unknown>> = {};
  const settings = () => ({
    FETCH_ALLOW: new URL(url).host,
    FOLDER_ROOTS: folder.path,
    GRACE_SECONDS: "0",
    SWEEP_SECONDS: "1",
  });
  const place = () => join(folder.path, "backups");
  const withoutKeys = () => join(folder.path, "backups-without");

  /** Everything that has to be as before. */
  const stateOf = async (server: LecternProcess): Promise<Readonly<Record<string, unknown>>> => {
    const get = async (path: string, key?: string) => {
      const { status, body } = await server.call(
        "GET",
        path,
        undefined,
        key === undefined ? {} : { Authorization: `Bearer ${key}` },
      );
      return { status, body };
    };
    return {
      private: await get("/v2/context?libraryId=/acme/private&query=make+widget"),
      asReader: await get("/v2/context?libraryId=/docs/policed&query=gear", readerKey),
      excluded: await get("/v2/context?libraryId=/acme/private&query=make+widget", readerKey),
      upload: await get(`/v2/context?libraryId=${uploaded}&query=uploaded`),
      keys: await get("/v2/keys?teamspace=readers"),
      policy: await get("/v2/policies?teamspace=readers"),
      access: await get("/v2/access?teamspace=readers"),
      credentials: await get("/v2/credentials"),
      hooks: await get("/v2/hooks"),
    };
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    git = await startGitServer();
    ({ url } = await git.repository("acme/private.git", files, { auth }));
    const server = await startLectern(join(folder.path, "data"), settings());
    const post = async (path: string, body: unknown, method = "POST"): Promise<Record<string, unknown>> => {
      const added = await server.call(method, path, body);
      if (added.status >= 300) throw new Error(`${path}: ${JSON.stringify(added.body)}`);
      return added.body as Record<string, unknown>;
    };
    const write = async (name: string, words: string): Promise<string> => {
      const path = join(folder.path, "sources", name.slice(6));
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "guide.md"), `# Guide\n\nA gear: ${words}.\n\n\`\`\`js\nturn("${words}");\n\`\`\`\n`);
      return path;
    };
    await post("/v2/add/repo/git", { docsRepoUrl: url, gitToken: token, libraryName: "/acme/private" });
    for (const libraryName of ["/docs/policed", ...changing])
      await post("/v2/add/folder", { path: await write(libraryName, "turns first"), libraryName });
    const { bytes, type } = await formOf("file", {
      name: "page.md",
      text: "# Uploaded\n\nAn uploaded page about gears.\n",
    });
    const answer = await fetch(`${server.url}/api/v2/add/upload`, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": type },
      body: Buffer.from(bytes),
    });
    uploaded = ((await answer.json()) as { libraryName: string }).libraryName;
    await post("/v2/teamspaces", { id: "readers", title: "Readers" });
    readerKey = String((await post("/v2/keys", { name: "reader", scopes: ["read"], teamspace: "readers" }))["key"]);
    await post("/v2/policies?teamspace=readers", { sourceTypes: { disable: ["websites"] } }, "PATCH");
    await post("/v2/access", { teamspace: "readers", set: [{ library: "/docs/secret", users: ["ada"] }] }, "PATCH");
    const { host } = new URL(url);
    await post("/v2/credentials", { kind: "git", name: "shared", host, data: { token } });
    await post("/v2/hooks", { sender: "github", repositories: "https://git.example.com/acme" });
    for (const library of ["/acme/private", "/docs/policed", uploaded, ...changing]) await server.settled(library);
    before = await stateOf(server);

    // Libraries change, and are refreshed and read, while backups are made; the sweep removes what they replace at once.
    let isLoaded = true;
    const load = changing.map(async (libraryName) => {
      for (let round = 0; isLoaded; round += 1) {
        await write(libraryName, `turns in round ${round}`);
        await server.call("POST", "/v1/refresh", { libraryName });
        await server.settled(libraryName);
        refreshes += 1;
        const { status } = await server.call("GET", `/v2/context?libraryId=${libraryName}&query=gear`);
        if (status !== 200) throw new Error(`${libraryName} answered ${status} during a backup.`);
      }
    });
    for (let number = 0; number < 4; number += 1)
      await lectern(join(folder.path, "data"), "backup", place(), "--keep", "2");
    await lectern(join(folder.path, "data"), "backup", withoutKeys(), "--without-keys");
    isLoaded = false;
    await Promise.all(load);
    await server.kill("SIGTERM");
    await rm(join(folder.path, "data"), { recursive: true });
  });
  afterAll(async () => {
    await git.close();
    await folder[Symbol.asyncDispose]();
  });
  const restored = async (name: string, from = place()): Promise<string> => {
    const to = join(folder.path, name);
    await lectern(to, "restore", from);
    return to;
  };
  const refreshed = async (server: LecternProcess): Promise<unknown> => {
    await server.call("POST", "/v1/refresh", { libraryName: "/acme/private" });
    const { runs } = (await server.settled("/acme/private")) as { runs: object[] };
    return runs[0];
  };

  it("is complete, and only the last ones are kept", async () => {
    expect(before).toMatchObject({ private: { status: 200 }, asReader: { status: 200 }, upload: { status: 200 } });
    expect(refreshes).toBeGreaterThan(changing.length);
    const to = join(folder.path, "untouched");
    expect(await lectern(to, "restore", place(), "--check")).toMatchObject({
      checked: true,
      credentialsOpen: true,
      damaged: {},
    });
    await expect(stat(to)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readdir(join(place(), "backups"))).toHaveLength(2);
  });

  it("gives an empty machine every answer, key, credential, hook and policy as before", async () => {
    const server = await startLectern(await restored("elsewhere"), settings());
    // The index is rebuilt first.
    await expect.poll(() => stateOf(server), { interval: 500 }).toEqual(before);
    expect(await refreshed(server)).toMatchObject({ outcome: "unchanged", failure: null });
    // Runs that were open are tried again.
    for (const library of changing) expect(await server.settled(library)).toMatchObject({ state: "finalized" });
    expect(server.stderr()).not.toContain("encryption key");
    await server.kill("SIGTERM");
  });

  it("is not restored into a data folder in use, or with content", async () => {
    const to = await restored("full");
    const again = await inPipe(["restore", place()], { env: { DATA_DIR: to } });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("Restore into an empty one") });
    const server = await startLectern(to, settings());
    const used = await inPipe(["restore", place()], { env: { DATA_DIR: to } });
    expect(used.stderr).toContain("is in use by process");
    await server.kill("SIGTERM");
  });

  it("is refused without its encryption key, names the sealed credentials, and gets no new key", async () => {
    const place = await restored("without-key", withoutKeys());
    const child = spawn(process.execPath, [join(root, "cli", "lectern.mjs"), "serve"], {
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: place },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stderr = await text(child.stderr);
    expect(stderr.slice(stderr.indexOf("\n") + 1)).toBe(
      `The encryption key is missing, and 2 stored credentials ("shared" of the teamspace default, for ${new URL(url).host}; that of /acme/private) cannot be read without it. Copy it from a backup to ${place}/encryption.key, or set ENCRYPTION_KEYS to it. If it is lost, set ENCRYPTION_KEYS to a new one (openssl rand -base64 32), start, and submit these credentials again.\n`,
    );
    expect(await readdir(place)).not.toContain("encryption.key");
  });

  it("starts with another key, says what it cannot decrypt, and accepts the credential again", async () => {
    const place = await restored("other-key", withoutKeys());
    const server = await startLectern(place, {
      ...settings(),
      ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString("base64"),
    });
    expect(server.stderr()).toMatch(/No encryption key opens 2 stored credentials \(.*; that of \/acme\/private\)/);
    await server.settled("/acme/private");
    expect(await refreshed(server)).toMatchObject({ outcome: "failed", failure: { error: "internal_error" } });
    await server.call("POST", "/v1/refresh", { libraryName: "/acme/private", gitToken: token });
    const { runs } = (await server.settled("/acme/private")) as { runs: object[] };
    expect(runs[0]).toMatchObject({ outcome: "unchanged" });
    await server.kill("SIGTERM");
    await expect(stat(join(place, "encryption.key"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
