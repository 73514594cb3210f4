import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { folderOfTest } from "../support/of-test.ts";

const module = JSON.stringify(new URL("../../sources/lib/threads/temporary-folders.ts", import.meta.url));

/** Runs code in a process with a folder of temporary files of its own, until it prints a line. */
async function start(tmp: string, code: string) {
  const script = `const { removeLeftFolders, temporaryFolder } = await import(${module}); ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH: process.env["PATH"], TMPDIR: tmp },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const line = String(((await once(child.stdout, "data")) as [Buffer])[0]).trim();
  return { line, ended, child };
}

const hold =
  "console.log(await temporaryFolder()); await new Promise((resolve) => process.stdin.once('end', resolve).resume());";
const clean =
  "const problems = []; await removeLeftFolders((error) => problems.push(error)); console.log(problems.length);";

it("a temporary folder goes with its process, and what a killed process left with the next start", async () => {
  const tmp = await folderOfTest();
  const [first, second, third] = await Promise.all([start(tmp, hold), start(tmp, hold), start(tmp, hold)]);
  await writeFile(join(first.line, "file"), "");
  first.child.kill("SIGKILL");
  await first.ended;
  third.child.stdin.end();
  await third.ended;
  expect(await readdir(tmp)).toHaveLength(2);
  expect((await start(tmp, clean)).line).toBe("0");
  // Another process lives, and whether it is seen does not matter.
  expect(await readdir(tmp)).toEqual([second.line.slice(tmp.length + 1).split("/")[0]]);
  expect(await readdir(second.line)).toEqual([]);
});

it("nothing is removed that is not of a dead process of ours, and no link is followed", async () => {
  const tmp = await folderOfTest();
  const kept = join(tmp, "kept");
  await mkdir(kept, { mode: 0o700 });
  await writeFile(join(kept, "owner.lock"), "");
  await symlink(kept, join(tmp, "lectern-process-linked"));
  await writeFile(join(tmp, "lectern-process-afile0"), "");
  const made = async (name: string, { mode = 0o700, age = 0, lock = false }) => {
    await mkdir(join(tmp, name), { mode });
    if (lock) await writeFile(join(tmp, name, "owner.lock"), "");
    const at = Date.now() / 1000 - age;
    await utimes(join(tmp, name), at, at);
  };
  // One is about to be locked; others may enter one; another has a name that we do not give; an old one was never locked.
  await made("lectern-process-fresh0", {});
  await made("lectern-process-shared", { mode: 0o755, lock: true });
  await made("lectern-process-longer-name", { lock: true });
  await made("lectern-process-older0", { age: 3600 });
  await made("lectern-process-killed", { lock: true });
  await symlink(kept, join(tmp, "lectern-process-killed", "linked"));
  expect((await start(tmp, clean)).line).toBe("0");
  expect((await readdir(tmp)).toSorted()).toEqual([
    "kept",
    "lectern-process-afile0",
    "lectern-process-fresh0",
    "lectern-process-linked",
    "lectern-process-longer-name",
    "lectern-process-shared",
  ]);
  expect(await readdir(kept)).toEqual(["owner.lock"]);
});
