import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The program that reads repositories: git, or isomorphic-git if git is not installed. */
export interface GitProgram {
  readonly name: "git" | "isomorphic-git";
  /** Program and its first arguments; those of git follow. */
  readonly command: readonly string[];
  /** Cap on what is downloaded for one commit, in bytes. */
  readonly maxDownload: number;
  /** Minimum limit on its address space, in bytes. */
  readonly memory: number;
}

export const systemGit: GitProgram = { name: "git", command: ["git"], maxDownload: 2_000_000_000, memory: 0 };

/** It holds packs in memory, and Node alone takes more than a gigabyte of address space. */
export const standIn: GitProgram = {
  name: "isomorphic-git",
  command: [process.execPath, "--max-old-space-size=512", join(import.meta.dirname, "stand-in.ts")],
  maxDownload: 100_000_000,
  memory: 3_000_000_000,
};

/** git if it is on the PATH now, else the stand-in. */
export function findGit(path?: string): GitProgram {
  return isOnPath("git", path) ? systemGit : standIn;
}

/** Whether a program is on the PATH now. */
export function isOnPath(name: string, path = process.env["PATH"] ?? ""): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

const run = promisify(execFile);

/** The oldest supported version. */
const oldest = [2, 31] as const;

/** Timeout of `git --version`, in milliseconds. */
const timeout = 10_000;

/** A sentence on what is wrong with this machine's git and how to fix it; undefined if nothing is. */
export async function gitProblem(): Promise<string | undefined> {
  const remedy = `Install git ${oldest.join(".")} or newer: repositories cannot be read until then.`;
  try {
    const { stdout } = await run("git", ["--version"], { timeout });
    const [, major = 0, minor = 0] = /(\d{1,9})\.(\d{1,9})/.exec(stdout)?.map(Number) ?? [];
    const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
    return isOld ? `The program git is too old (${stdout.trim()}). ${remedy}` : undefined;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing
      ? `The program git is not installed, or not on the PATH. Repositories of up to ${standIn.maxDownload / 1e6} MB are read without it; install git ${oldest.join(".")} or newer to read larger ones.`
      : `The program git does not start. ${remedy}`;
  }
}
