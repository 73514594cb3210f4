import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SshKey } from "../../../domain/kinds/git.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { noSshServer, startSshServer, type SshServer } from "../../support/ssh-server.ts";
import { folderOfTest } from "../../support/of-test.ts";
import { openGitTestbed, outline, startGitTestbed, stateOf } from "./setup.ts";

/** Two names that only this guard knows; one of them is at an address that is not public. */
const lookup = async (name: string): Promise<{ address: string; family: number }[]> => {
  if (name === "git.test") return [{ address: "127.0.0.1", family: 4 }];
  if (name === "inside.test") return [{ address: "127.0.0.1", family: 4 }];
  throw new Error("no such name");
};
const guard = createGuard({ allow: ["git.test"], lookup });
const bed = await openGitTestbed({ guard, idleTimeout: 20_000 });

describe.skipIf(noSshServer !== undefined)(`by SSH${noSshServer === undefined ? "" : `: ${noSshServer}`}`, () => {
  let server: SshServer;
  let old: SshServer;
  beforeAll(async () => {
    server = await startSshServer();
    old = await startSshServer({ protocolTwo: false });
  });
  afterAll(() => Promise.all([server.close(), old.close()]));

  const addressOf = ({ port, user }: SshServer, path: string, name = "git.test"): string =>
    `ssh://${user}@${name}:${port}${path}`;
  const keyOf = (one: SshServer, changes: Partial<SshKey> = {}): { readonly credential: SshKey } => ({
    credential: { privateKey: one.key, knownHosts: one.knownHosts("git.test"), ...changes },
  });

  it.each([
    ["protocol 2", () => server],
    ["the protocol before", () => old],
  ])("reads a repository over %s, in several requests", async (_title, of) => {
    const one = of();
    const pages = Array.from({ length: 700 }, (_, at) => [`docs/${at}.md`, `# Page ${at}`] as const);
    const repository = await one.repository("acme/widgets.git", { "README.md": "# One", ...Object.fromEntries(pages) });
    await repository.tag("v1.0.0", { annotated: true });
    const spec = bed.spec(addressOf(one, repository.path));
    const state = await bed.resolve(spec, null, keyOf(one));
    expect(state).toMatchObject({ ref: "main", location: spec.url });
    expect(state.refs.map(({ name }) => name)).toEqual(["main", "v1.0.0"]);
    const { items } = await bed.read(spec, state, keyOf(one));
    expect(items).toHaveLength(701);
    expect(outline(items)).toMatchObject({ "README.md": "# One", "docs/699.md": "# Page 699" });
    expect(items[0]?.page.url).toMatch(/^https:\/\/git\.test\//);
  });

  it("reads a repository whose name has signs of the shell", async () => {
    const name = `o'brien;touch$IFS${join(tmpdir(), "pwned")};!x`.replaceAll("/", "_");
    const { path } = await server.repository(name, { "README.md": "# One" });
    const spec = bed.spec(addressOf(server, encodeURI(path)));
    expect(await bed.resolve(spec, null, keyOf(server))).toMatchObject({ ref: "main" });
  });

  it("uses the account of the credential", async () => {
    const { path } = await server.repository("account", { "README.md": "# One" });
    const spec = bed.spec(addressOf({ ...server, user: "nobody-at-all" }, path));
    expect(await bed.resolve(spec, null, keyOf(server, { user: server.user }))).toMatchObject({ ref: "main" });
  });

  it.each([
    ["a host key that is not known", () => ({ knownHosts: old.knownHosts("git.test") }), /among the known hosts/],
    ["a host key of another name", () => ({ knownHosts: server.knownHosts("other.test") }), /among the known hosts/],
    ["a key that may not enter", () => ({ privateKey: server.otherKey }), /refuses the key.*deploy key/],
    [
      "a key that is none",
      () => ({ privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA" }),
      /cannot be read by ssh/,
    ],
  ])("refuses %s", async (title, changes, message) => {
    const { path } = await server.repository(`refused/${title.replaceAll(" ", "-")}`, { "README.md": "# One" });
    const resolving = bed.resolve(bed.spec(addressOf(server, path)), null, keyOf(server, changes()));
    await expect(resolving).rejects.toMatchObject({
      code: "source_refused",
      message: expect.stringMatching(message),
    });
  });

  it("does not find a repository that does not exist", async () => {
    const resolving = bed.resolve(bed.spec(addressOf(server, "/no/such")), null, keyOf(server));
    await expect(resolving).rejects.toMatchObject({ code: "source_not_found" });
  });

  it("connects to no address that the guard refuses", async () => {
    const resolving = bed.resolve(bed.spec(addressOf(server, "/a/b", "inside.test")), null, keyOf(server));
    await expect(resolving).rejects.toMatchObject({ code: "address_not_allowed" });
  });
});

it("says that a host is out of reach", async () => {
  const credential = { privateKey: "x", knownHosts: "x" };
  const resolving = bed.resolve(bed.spec("ssh://git@git.test:1/a/b"), null, { credential });
  await expect(resolving).rejects.toMatchObject({
    code: "source_unreachable",
    message: expect.stringContaining("git.test:1/a/b is out of reach by SSH"),
  });
});

/** Puts a program `ssh` in front of the others on the PATH. */
async function replaceSsh(script: string): Promise<string> {
  const folder = await folderOfTest();
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/ssh"), `#!/bin/sh\n${script.replaceAll("FOLDER", folder)}\n`);
  await chmod(join(folder, "bin/ssh"), 0o755);
  const before = process.env["PATH"];
  process.env["PATH"] = `${join(folder, "bin")}:${before}`;
  onTestFinished(() => void (process.env["PATH"] = before));
  return folder;
}

const credential: SshKey = { privateKey: "secret", knownHosts: "git.test ssh-ed25519 AAAA" };

it("gives ssh its key, the known hosts and the checked address only, and takes the files away", async () => {
  const folder = await replaceSsh(
    'printf "%s\\n" "$@" >FOLDER/args; env >FOLDER/env; for one in "$@"; do case $one in IdentityFile=*|UserKnownHostsFile=*) file=${one#*=\\"}; file=${file%\\"}; stat -c %a "$file" >>FOLDER/modes; cat "$file" >>FOLDER/contents;; esac; done; echo "Permission denied (publickey)." >&2; exit 255',
  );
  process.env["SSH_AUTH_SOCK"] = "/run/agent";
  onTestFinished(() => void delete process.env["SSH_AUTH_SOCK"]);
  await expect(bed.resolve(bed.spec("ssh://git@git.test/a/b.git"), null, { credential })).rejects.toThrow(/refuses/);
  const args = (await readFile(join(folder, "args"), "utf8")).trim().split("\n");
  expect(args.slice(0, 3)).toEqual(["-F", "none", "-T"]);
  for (const one of [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "GlobalKnownHostsFile=/dev/null",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "HostKeyAlias=git.test",
    "ProxyCommand=none",
  ])
    expect(args).toContain(one);
  expect(args.slice(-7)).toEqual(["-p", "22", "-l", "git", "--", "127.0.0.1", "git-upload-pack '/a/b.git'"]);
  expect(await readFile(join(folder, "env"), "utf8")).not.toMatch(/SSH_AUTH_SOCK|secret|KEY/);
  expect((await readFile(join(folder, "modes"), "utf8")).trim().split("\n")).toEqual(["600", "600"]);
  expect((await readFile(join(folder, "contents"), "utf8")).split("\n")).toEqual([
    "git.test ssh-ed25519 AAAA",
    "secret",
    "",
  ]);
  const file = args.find((one) => one.startsWith("IdentityFile="))?.slice('IdentityFile="'.length, -1) ?? "";
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
});

it.each([
  ["says nothing", "exec sleep 600", "source_unreachable"],
  ["speaks something else", "echo zzzz; exec sleep 600", "source_invalid"],
  ["breaks off", "printf 000eversion; exit 255", "source_unreachable"],
])("ends ssh if the server %s", async (_title, script, code) => {
  const folder = await replaceSsh(`echo $$ >FOLDER/pid; ${script}`);
  const impatient = await startGitTestbed({ guard, idleTimeout: 500 });
  onTestFinished(() => impatient.close());
  const spec = bed.spec("ssh://git@git.test/a/b");
  await expect(impatient.read(spec, stateOf(spec.url), { credential })).rejects.toMatchObject({ code });
  const pid = Number(await readFile(join(folder, "pid"), "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it("ends ssh when the reading is cancelled", async () => {
  const folder = await replaceSsh("echo $$ >FOLDER/pid; exec sleep 600");
  const controller = new AbortController();
  const spec = bed.spec("ssh://git@git.test/a/b");
  const reading = bed.read(spec, stateOf(spec.url), { credential, signal: controller.signal });
  reading.catch(() => undefined);
  await expect.poll(() => readdir(folder)).toContain("pid");
  controller.abort(new Error("cancelled"));
  await expect(reading).rejects.toThrow("cancelled");
  const pid = Number(await readFile(join(folder, "pid"), "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it("says that ssh is not installed", async () => {
  const folder = await replaceSsh("");
  await rm(join(folder, "bin/ssh"));
  process.env["PATH"] = join(folder, "bin");
  await expect(bed.resolve(bed.spec("ssh://git@git.test/a/b"), null, { credential })).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("Install OpenSSH's client"),
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
