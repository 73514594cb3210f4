import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { folderOfTest } from "../support/of-test.ts";

const module = JSON.stringify(new URL("../../sources/lib/threads/temporary-folders.ts", import.meta.url));

/** Runs code in a process with its own temporary folder; returns the first line that it prints. */
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

it("a temporary folder is removed when its process ends, or at the next start if the process was killed", async () => {
  const tmp = await folderOfTest();
  const [first, second, third] = await Promise.all([start(tmp, hold), start(tmp, hold), start(tmp, hold)]);
  await writeFile(join(first.line, "file"), "");
  first.child.kill("SIGKILL");
  await first.ended;
  third.child.stdin.end();
  await third.ended;
  expect(await readdir(tmp)).toHaveLength(2);
  expect((await start(tmp, clean)).line).toBe("0");
  // The second process still runs, so its folder stays.
  expect(await readdir(tmp)).toEqual([second.line.slice(tmp.length + 1).split("/")[0]]);
  expect(await readdir(second.line)).toEqual([]);
});

it("only folders of dead Lectern processes are removed, and no link is followed", async () => {
  const tmp = await folderOfTest();
  const kept = join(tmp, "kept");
  await mkdir(kept, { mode: 0o700 });
  await writeFile(join(kept, "owner.lock"), "");
  await symlink(kept, join(tmp, "lectern-process-linked"));
  await writeFile(join(tmp, "lectern-process-afile0"), "");
  const makeFolder = async (name: string, { mode = 0o700, age = 0, lock = false }) => {
    await mkdir(join(tmp, name), { mode });
    if (lock) await writeFile(join(tmp, name, "owner.lock"), "");
    const at = Date.now() / 1000 - age;
    await utimes(join(tmp, name), at, at);
  };
  // fresh0 is not locked yet, others may enter shared, longer-name is no name of ours, older0 was never locked.
  await makeFolder("lectern-process-fresh0", {});
  await makeFolder("lectern-process-shared", { mode: 0o755, lock: true });
  await makeFolder("lectern-process-longer-name", { lock: true });
  await makeFolder("lectern-process-older0", { age: 3600 });
  await makeFolder("lectern-process-killed", { lock: true });
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
