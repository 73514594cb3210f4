import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** What reads repositories: the program git, or isomorphic-git in its place where there is none. */
export interface GitProgram {
  readonly name: "git" | "isomorphic-git";
  /** Program and arguments that come before those for git. */
  readonly command: readonly string[];
  /** Cap on what is downloaded for one commit, in bytes. */
  readonly maxDownload: number;
  /** Address space that it is given at least, in bytes. */
  readonly memory: number;
}

export const systemGit: GitProgram = { name: "git", command: ["git"], maxDownload: 2_000_000_000, memory: 0 };

/** Packs are held in memory, and Node itself takes more than a gigabyte of address space. */
export const standIn: GitProgram = {
  name: "isomorphic-git",
  command: [process.execPath, "--max-old-space-size=512", join(import.meta.dirname, "stand-in.ts")],
  maxDownload: 100_000_000,
  memory: 3_000_000_000,
};

/** git where it is on the PATH by now, else its stand-in. */
export function findGit(path = process.env["PATH"] ?? ""): GitProgram {
  const isThere = path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, "git"), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
  return isThere ? systemGit : standIn;
}
