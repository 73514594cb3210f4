import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { endOf, spawnSmall } from "./spawner.ts";

/** What to write at a path: a file, a symbolic link, a submodule; null deletes it. */
export type FileContent = string | Uint8Array | { readonly symlink: string } | { readonly submodule: string } | null;

export interface RepositoryOptions {
  /** False: no partial clones. */
  readonly filter?: boolean;
  /** "main" by default. */
  readonly defaultBranch?: string;
  /** "sha1" by default. */
  readonly objectFormat?: "sha1" | "sha256";
}

/** An entry of a tree: a file, or a folder by the id of its existing tree. `mode`: octal, in place of the usual one. */
type TreeItem = { readonly name: string | Uint8Array; readonly mode?: string } & (
  | { readonly content: string }
  | { readonly tree: string }
);

/** A bare repository on disk. */
export interface GitRepository {
  readonly path: string;
  /** Commits changes to a branch (by default the default branch) and resolves to the commit. */
  commit(files: Readonly<Record<string, FileContent>>, branch?: string): Promise<string>;
  /** Commits a tree of exactly these entries, even with invalid names, to the default branch. */
  commitEntries(entries: readonly TreeItem[]): Promise<string>;
  /** Tags the default branch's commit. */
  tag(name: string, options?: { readonly annotated?: boolean }): Promise<void>;
  /** Sets a branch to a commit. */
  branch(name: string, commit: string): Promise<void>;
  /** Runs git in the repository and resolves to what it prints, trimmed. */
  git(...args: string[]): Promise<string>;
}

/** Makes a bare repository; `files` become its first commit. */
export async function createGitRepository(
  path: string,
  files: Readonly<Record<string, FileContent>>,
  { filter = true, defaultBranch = "main", objectFormat = "sha1" }: RepositoryOptions = {},
): Promise<GitRepository> {
  const git = (...args: string[]): Promise<string> => runGit(path, args);
  // As `git init --bare` would.
  let isEmpty = (await mkdir(join(path, "objects"), { recursive: true })) !== undefined;
  await mkdir(join(path, "refs", "heads"), { recursive: true });
  await writeFile(join(path, "HEAD"), `ref: refs/heads/${defaultBranch}\n`);
  await writeFile(
    join(path, "config"),
    `[core]
	repositoryformatversion = ${objectFormat === "sha1" ? 0 : 1}
	bare = true
${objectFormat === "sha1" ? "" : `[extensions]\n\tobjectformat = ${objectFormat}\n`}[gc]
	auto = 0
[uploadpack]
	allowFilter = ${filter}
`,
  );

  async function commit(changes: Readonly<Record<string, FileContent>>, branch = defaultBranch): Promise<string> {
    const ref = `refs/heads/${branch}`;
    const exists = !isEmpty && (await readRef(ref)) !== "";
    isEmpty = false;
    await runGit(path, ["fast-import", "--quiet"], toImportStream(ref, exists, changes));
    return readRef(ref);
  }

  /** The commit of a ref; "" if there is none. Reads the file first, as starting git takes ten times as long. */
  const readRef = async (ref: string): Promise<string> =>
    (await readFile(join(path, ref), "utf8").catch(() => git("for-each-ref", "--format=%(objectname)", ref))).trim();

  if (Object.keys(files).length > 0) await commit(files);
  return {
    path,
    git,
    commit,
    async commitEntries(entries) {
      const parts: Buffer[] = [];
      for (const entry of entries) {
        const isFolder = "tree" in entry;
        const oid = isFolder
          ? entry.tree
          : await runGit(path, ["hash-object", "-w", "--stdin"], [Buffer.from(entry.content)]);
        const mode = Buffer.from(`${entry.mode ?? (isFolder ? "40000" : "100644")} `);
        parts.push(mode, Buffer.from(entry.name as Uint8Array), Buffer.from([0]), Buffer.from(oid, "hex"));
      }
      const tree = await runGit(path, ["hash-object", "-t", "tree", "--literally", "-w", "--stdin"], parts);
      const made = await git("commit-tree", "-m", "Entries", tree);
      await git("update-ref", `refs/heads/${defaultBranch}`, made);
      return made;
    },
    async tag(name, { annotated = false } = {}) {
      await git("tag", ...(annotated ? ["-a", "-m", "Release"] : []), name, defaultBranch);
    },
    async branch(name, at) {
      await git("update-ref", `refs/heads/${name}`, at);
    },
  };
}

/** Input of `git fast-import`, which takes about a second for 100,000 files. */
function toImportStream(ref: string, exists: boolean, files: Readonly<Record<string, FileContent>>): Buffer[] {
  const parts = [
    Buffer.from(`commit ${ref}\ncommitter Test <test@example.com> 1700000000 +0000\ndata 4\nTest\n`),
    Buffer.from(exists ? `from ${ref}^0\n` : ""),
  ];
  for (const [path, content] of Object.entries(files)) {
    const quoted = `"${path.replace(/["\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"`;
    if (content === null) parts.push(Buffer.from(`D ${quoted}\n`));
    else if (typeof content === "object" && "submodule" in content)
      parts.push(Buffer.from(`M 160000 ${content.submodule} ${quoted}\n`));
    else {
      const isLink = typeof content === "object" && "symlink" in content;
      const bytes = Buffer.from(isLink ? content.symlink : (content as string | Uint8Array as Uint8Array));
      parts.push(
        Buffer.from(`M ${isLink ? "120000" : "100644"} inline ${quoted}\ndata ${bytes.length}\n`),
        bytes,
        Buffer.from("\n"),
      );
    }
  }
  parts.push(Buffer.from("\ndone\n"));
  return parts;
}

async function runGit(path: string, args: readonly string[], input: readonly Buffer[] = []): Promise<string> {
  const git = await spawnSmall({
    command: "git",
    args,
    env: {
      PATH: process.env["PATH"],
      GIT_DIR: path,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "Test",
      GIT_AUTHOR_EMAIL: "test@example.com",
      GIT_AUTHOR_DATE: "1700000000 +0000",
      GIT_COMMITTER_NAME: "Test",
      GIT_COMMITTER_EMAIL: "test@example.com",
      GIT_COMMITTER_DATE: "1700000000 +0000",
    },
  });
  git.end(Buffer.concat(input));
  const [response] = (await once(git, "response")) as [IncomingMessage];
  const output = await text(response);
  const { code, errors } = endOf(response);
  if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${errors}`);
  return output.trim();
}
