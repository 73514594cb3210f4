import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { standIn } from "./program.ts";

const run = promisify(execFile);

/** The oldest version that is supported. */
const oldest = [2, 31] as const;

/** Timeout of `git --version`, in milliseconds. */
const timeout = 10_000;

/** What is wrong with this machine's git, in a sentence that says what to do; undefined where nothing is. */
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
