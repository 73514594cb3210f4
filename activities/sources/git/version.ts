import { GitExit, startGit } from "./process.ts";

/** The first version that knows `http.curloptResolve`, without which no connection is pinned. */
const oldestVersion = [2, 37] as const;

/** True where there is such a program, and it is new enough to be kept to the addresses that were checked. */
export async function isUsableGit(binary: string): Promise<boolean> {
  const git = startGit(binary, ["--version"], {
    env: { PATH: process.env["PATH"] ?? "" },
    signal: AbortSignal.timeout(versionTimeout),
  });
  let output = "";
  git.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await git.done();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(output) ?? [];
  const [wantedMajor, wantedMinor] = oldestVersion;
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}

function isMissing(error: unknown): boolean {
  if (error instanceof GitExit) return true;
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES");
}

/** Longest wait for `git --version`, in milliseconds. */
const versionTimeout = 10_000;
