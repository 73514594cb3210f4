import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { chainOfDeltas, inPieces, sendsPack } from "../../support/git-pack.ts";
import { isGroupAlive } from "../../support/process-groups.ts";
import { systemGit } from "../../../sources/git/program.ts";
import { outline, startGitTestbed, stateOf, type GitTestbed } from "./setup.ts";

let bed: GitTestbed;
let folder: string;
beforeEach(async () => {
  bed = await startGitTestbed();
  folder = await mkdtemp(join(tmpdir(), "lectern-git-process-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await bed.close();
  await rm(folder, { recursive: true, force: true });
});

/** Puts a script before git on the PATH that records arguments and environment; returns a reader of the records. */
async function watchGit(): Promise<() => Promise<readonly string[]>> {
  const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const notes = join(folder, "notes");
  await writeFile(join(folder, "git"), `#!/bin/sh\n{ echo "args: $*"; env; } > "${notes}.$$"\nexec "${real}" "$@"\n`);
  await chmod(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  return async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith("notes."));
    return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  };
}

it("git sees no token and no address of a host", async () => {
  const noted = await watchGit();
  const auth = { user: "git", password: "hunter2hunter2" };
  const repository = await bed.server.repository("acme/secret", { "README.md": "# Hi" }, { auth });
  await bed.readAll(bed.spec(repository.url), { secret: auth.password });
  const notes = await noted();
  expect(notes.length).toBeGreaterThan(2);
  const secrets = ["hunter2", Buffer.from("git:hunter2hunter2").toString("base64"), bed.server.host];
  for (const secret of secrets) expect(notes.filter((note) => note.includes(secret))).toEqual([]);
  for (const note of notes) expect(note.split("\n")[0]).not.toContain("127.0.0.1");
});

it("each blob is fetched once, and only when it is wanted; git can reach nothing", async () => {
  const noted = await watchGit();
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d/${at}.md`, `page ${at}`]));
  const repository = await bed.server.repository("acme/counted", { ...files, "code.c": "int main;" });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  bed.server.requests.length = 0;
  expect((await bed.read(spec, state)).items).toHaveLength(300);
  const objects = bed.server.requests.map((request) => request.objects).filter((count) => count > 0);
  // A commit and two trees, then the documents.
  expect(objects).toEqual([3, 300]);
  const notes = await noted();
  const commandOf = (note: string): string => /^args: (\S+)/.exec(note)?.[1] ?? "";
  // The server's gits are noted too.
  const own = notes.filter((note) => ["fetch", "index-pack", "ls-tree", "cat-file"].includes(commandOf(note)));
  expect(own.map(commandOf).toSorted()).toEqual(["cat-file", "index-pack", "index-pack", "ls-tree"]);
  for (const note of own) expect(note).toMatch(/^GIT_ALLOW_PROTOCOL=none$/m);
  for (const note of own) expect(note).not.toContain("remote.origin");
});

it("no configuration, hook or credential helper of the host is used", async () => {
  const marker = join(folder, "marker");
  const hook = join(folder, "reference-transaction");
  await writeFile(hook, `#!/bin/sh\ntouch "${marker}"\n`);
  await chmod(hook, 0o755);
  const config = `[core]\n\thooksPath = ${folder}\n[credential]\n\thelper = "!touch ${marker}; true"\n[http]\n\tproxy = http://127.0.0.1:9\n[url "file:///nowhere"]\n\tinsteadOf = http://\n`;
  await writeFile(join(folder, ".gitconfig"), config);
  vi.stubEnv("HOME", folder);
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder, ".gitconfig"));
  vi.stubEnv("GIT_ASKPASS", hook);
  vi.stubEnv("http_proxy", "http://127.0.0.1:9");
  const repository = await bed.server.repository("acme/plain", { "README.md": "# Hi" });
  const { items } = await bed.readAll(bed.spec(repository.url));
  expect(outline(items)).toEqual({ "README.md": "# Hi" });
  const guarded = await bed.server.repository("acme/guarded", {}, { auth: { user: "a", password: "b" } });
  await expect(bed.read(bed.spec(guarded.url), stateOf(guarded.url, { ref: null }))).rejects.toMatchObject({
    code: "source_refused",
  });
  expect(await readdir(folder)).not.toContain("marker");
});

it("a pack that takes too much processor time ends git", async () => {
  const strict = await startGitTestbed({ processLimits: { cpuSeconds: 1, memory: 1_000_000_000 } });
  onTestFinished(() => strict.close());
  const pack = chainOfDeltas(Buffer.alloc(4_000_000, "x"), 4000, 1);
  strict.server.answer(
    "odd/chain",
    sendsPack(() => inPieces(pack)),
  );
  await expect(strict.readAll(strict.spec(`${strict.server.url}/odd/chain`))).rejects.toMatchObject({
    code: "library_too_large",
  });
});

it("no process of git is left when the reading is aborted", async () => {
  await watchGit();
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.md`, randomBytes(2000)]));
  const repository = await bed.server.repository("acme/hangs", files, { hangAfter: 4000 });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  const controller = new AbortController();
  const reading = bed.read(spec, state, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("enough")), 500);
  await expect(reading).rejects.toThrow("enough");
  const groups = (await readdir(folder)).flatMap((name) => /^notes\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  expect(groups).not.toEqual([]);
  // Each git leads a process group, which is empty soon.
  for (const group of groups)
    await expect.poll(() => isGroupAlive(group), { message: `process group ${group}` }).toBe(false);
});

it("says what to do if git has been removed since it was found", async () => {
  const bed = await startGitTestbed({ program: systemGit });
  onTestFinished(() => bed.close());
  const repository = await bed.server.repository("acme/without", { "README.md": "# Hi" });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  vi.stubEnv("PATH", folder);
  await expect(bed.read(spec, state)).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("Install git"),
  });
});
