import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../tools/dev/program.ts";
import { inPipe } from "../support/command-line.ts";
import { adminKey } from "../support/lectern-process.ts";
import { files, startServers } from "./setup.ts";

/** Runs the scripts of `lectern completion` in real shells, installed as docs/reference/cli.md says. Missing shells are skipped. */
const { git, server, folder, add } = await startServers();
const home = join(folder, "home");
const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");
const env = {
  HOME: home,
  PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
  PUBLIC_URL: server.url,
  LECTERN_ADMIN_KEY: adminKey,
  TERM: "dumb",
};

beforeAll(async () => {
  const { url } = await git.repository("acme/gears.git", files);
  await add(url, { libraryName: "/acme/gears" });
  await server.settled("/acme/gears");
  await mkdir(join(home, "bin"), { recursive: true });
  const lectern = join(home, "bin", "lectern");
  await writeFile(lectern, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(lectern, 0o755);
  for (const shell of ["bash", "zsh", "fish"])
    await writeFile(join(home, `lectern.${shell}`), (await inPipe(["completion", shell])).stdout);
});

/** What is typed before the tab key, and the completed line. */
const completions = [
  ["lectern refr", "lectern refresh "],
  ["lectern keys rev", "lectern keys revoke "],
  ["lectern add --max-d", "lectern add --max-depth "],
  ["lectern ask /acme/g", "lectern ask /acme/gears "],
] as const;

function has(shell: string): boolean {
  const isInstalled = findProgram(shell) !== undefined;
  if (!isInstalled) process.stdout.write(`skipped: completion in ${shell}, which is not on this machine\n`);
  return isInstalled;
}

/** Types a text and the tab key into a shell on a pseudo-terminal; waits for the completed line. */
async function typed(shell: readonly string[], ready: string, text: string, expected: string): Promise<string> {
  const child = spawn("script", ["-qefc", shell.join(" "), "/dev/null"], { env, cwd: home });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (shown += stripVTControlCharacters(more)));
  await expect.poll(() => shown, { timeout: 60_000 }).toContain(ready);
  child.stdin.write(`${text}\t`);
  await expect.poll(() => shown.replaceAll("\u0007", ""), { timeout: 60_000 }).toContain(expected);
  child.kill("SIGKILL");
  await ended;
  return shown.replaceAll("\u0007", "");
}

describe.skipIf(!has("bash"))("in bash", () => {
  it.each(completions)("completes %s", async (text, expected) => {
    await writeFile(join(home, ".bashrc"), `PS1='ready> '\nsource ${home}/lectern.bash\n`);
    expect(await typed(["bash", "-i"], "ready> ", text, expected)).toContain(expected);
  });
});

describe.skipIf(!has("zsh"))("in zsh", () => {
  it.each(completions)("completes %s", async (text, expected) => {
    await mkdir(join(home, ".zfunc"), { recursive: true });
    await writeFile(join(home, ".zfunc", "_lectern"), (await inPipe(["completion", "zsh"])).stdout);
    await writeFile(
      join(home, ".zshrc"),
      `fpath=(~/.zfunc $fpath)\nautoload -U compinit && compinit -u\nPS1='ready> '\n`,
    );
    expect(await typed(["zsh", "-i"], "ready> ", text, expected)).toContain(expected);
  });
});

describe.skipIf(!has("fish"))("in fish", () => {
  it.each(completions)("completes %s", async (text, expected) => {
    const script = `source ${home}/lectern.fish; complete --do-complete '${text}'`;
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile("fish", ["--no-config", "-c", script], { env }, (error, out) => (error ? reject(error) : resolve(out)));
    });
    expect(stdout.trim().split("\n")).toEqual([expected.trim().split(" ").at(-1)]);
  });
});
