import { spawn } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { adminKey } from "../support/lectern-process.ts";
import { noSshServer, startSshServer } from "../support/ssh-server.ts";
import { files, startServers } from "./setup.ts";

const { git, server, folder } = await startServers(({ host }) => ({ GITEA_HOSTS: host }));
const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** Runs the command line. */
async function lectern(...args: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "", LECTERN_ADMIN_KEY: adminKey, PUBLIC_URL: server.url };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const rows = stdout.split("\n").filter((line) => line.startsWith("{"));
  return { code, stdout, stderr, rows: rows.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it("lists the repositories of an owner, and adds several by their names", async () => {
  const about = { description: "", default_branch: "main", size: 12, private: false, licenses: ["MIT"] };
  const names = ["docs-a", "docs-b", "docs-old", "widgets"];
  const listed: object[] = [];
  for (const name of names) {
    const { url } = await git.repository(`acme/${name}`, files);
    listed.push({ ...about, html_url: url, archived: name === "docs-old" });
  }
  git.answer("api/v1/orgs/acme/repos", (_request, response) => response.end(JSON.stringify(listed)));
  const owner = `${git.url}/acme`;
  const { rows } = await lectern("repositories", owner);
  expect(rows.map(({ libraryName, library }) => [libraryName, library])).toEqual(
    names.map((name) => [`/acme/${name}`, null]),
  );
  const added = await lectern("repositories", owner, "--add", "docs-*");
  expect(added.code).toBe(0);
  expect(added.rows).toMatchObject([
    { libraryName: "/acme/docs-a", state: "submitted" },
    { libraryName: "/acme/docs-b", state: "submitted" },
  ]);
  await server.settled("/acme/docs-a");
  expect((await lectern("repositories", owner)).rows[0]).toMatchObject({ library: "/acme/docs-a", bytes: 12_288 });
  // One that is named whole is added, though it is archived; those that are read already are not.
  expect((await lectern("repositories", owner, "--add", "docs-*", "--add", "docs-old")).rows).toMatchObject([
    { libraryName: "/acme/docs-old", state: "submitted" },
  ]);
});

it("says why a repository was not added, goes on, and leaves out those whose owner is a reserved name", async () => {
  const taken = await git.repository("else/where", files);
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: taken.url, libraryName: "/team/one" });
  for (const owner of ["team", "npm"]) {
    const addresses = await Promise.all(
      ["one", "two"].map(async (name) => (await git.repository(`${owner}/${name}`, files)).url),
    );
    const listed = JSON.stringify(addresses.map((address) => ({ html_url: address })));
    git.answer(`api/v1/orgs/${owner}/repos`, (_request, response) => response.end(listed));
  }
  const { code, rows } = await lectern("repositories", `${git.url}/team`, "--add", "*");
  expect(code).toBe(1);
  expect(rows).toMatchObject([
    { libraryName: "/team/one", state: "failed", message: expect.stringContaining("/team/one") },
    { libraryName: "/team/two", state: "submitted" },
  ]);
  expect(await lectern("repositories", `${git.url}/npm`)).toMatchObject({ code: 0, rows: [] });
});

it.skipIf(noSshServer !== undefined)("reads a repository by SSH with a credential of the command line", async () => {
  const ssh = await startSshServer();
  onTestFinished(() => ssh.close());
  const { path } = await ssh.repository("acme/closed.git", files);
  const [key, knownHosts] = [join(folder, "deploy"), join(folder, "known_hosts")];
  await writeFile(key, ssh.key, { mode: 0o600 });
  await writeFile(knownHosts, ssh.knownHosts("127.0.0.1"));
  const address = `ssh://${ssh.user}@127.0.0.1:${ssh.port}${path}`;
  const refused = await lectern("add", address, "--name", "/acme/closed");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/has no credential for ssh:\/\/127\.0\.0\.1:\d+\. .*POST \/api\/v2\/credentials/);
  const host = `127.0.0.1:${ssh.port}`;
  const made = await lectern("credentials", "create", "deploy", host, "--key", key, "--known-hosts", knownHosts);
  const { id } = made.rows[0] ?? {};
  expect(await lectern("credentials", "test", String(id), address)).toMatchObject({ code: 0 });
  const added = await lectern("add", address, "--name", "/acme/closed");
  expect(added.rows.at(-1)).toMatchObject({ event: "ended", outcome: "published", libraryId: "/acme/closed" });
  expect((await server.settled("/acme/closed"))["private"]).toBe(true);
  // The key is sealed: nothing that the server wrote has it, nor does a file remain.
  const secret = ssh.key.split("\n")[2] ?? "none";
  expect(added.stdout + added.stderr + server.stdout() + server.stderr()).not.toContain(secret);
  const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of kept.filter((entry) => entry.name !== "deploy"))
    expect((await readFile(join(parentPath, name), "latin1")).includes(secret), name).toBe(false);
});
