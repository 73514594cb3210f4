import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../domain/failures.ts";
import type { GitSourceSpec, PackageSourceSpec } from "../../domain/kinds/index.ts";
import { gitHostOf } from "../../domain/packages.ts";
import type { ReadContext, SourceItem } from "../../domain/ports.ts";
import type { ReadGit } from "../reader/reader.ts";
import { folderOf, tagsOf } from "./claimed-repository.ts";
import type { ClaimedRepository } from "./registry.ts";

/** The documents of a package in its repository. */
export interface RepositoryDocuments {
  /** A sentence that says where they are. */
  readonly note: string;
  readonly items: AsyncIterable<SourceItem>;
}

/** Thrown for a commit that is another package or version. */
class AnotherPackage extends Error {
  override readonly name = "AnotherPackage";
}

/**
 * Opens the documents of a version in the repository that it names, at the tag of the version; a sentence that says why the archive is
 * read instead. The repository is only a claim of the package: it has to confirm that by a manifest with the same name and version.
 */
export async function openRepository(
  spec: PackageSourceSpec,
  version: string,
  claimed: ClaimedRepository,
  readGit: ReadGit,
  context: ReadContext,
): Promise<RepositoryDocuments | string> {
  const { url, folder, commit } = claimed;
  const repository: GitSourceSpec = {
    kind: "git",
    host: gitHostOf(url.host),
    url: url.href,
    branch: null,
    selection: { folders: [], excludeFolders: null, excludeFiles: null },
    skipVersionFiltering: false,
  };
  const instead = "so the archive of the package is read.";
  const names = tagsOf(spec, version);
  const scratch = join(context.scratch, "repository");
  await mkdir(scratch);
  try {
    const asked = { signal: context.signal, credential: null, named: names };
    const plain = readGit();
    const { refs, location } = await plain.resolve(repository, null, asked);
    const tags = new Map(
      refs.flatMap(({ name, kind, revision }) => (kind === "tag" ? [[name, revision] as const] : [])),
    );
    const tag = names.find((name) => tags.has(name));
    const revision = tag === undefined ? undefined : tags.get(tag);
    if (tag === undefined || revision === undefined) return `${url.href} has no tag of version ${version}, ${instead}`;
    let confirmed = "";
    const source = readGit(async (read) => {
      const found = await folderOf(spec, version, { folder }, read);
      if (found === undefined || (commit !== undefined && found !== "" && folder !== "" && found !== folder))
        throw new AnotherPackage();
      confirmed = found;
      return isMain(spec, url) ? undefined : found;
    });
    const items = source.read(
      repository,
      { revision, ref: tag, location },
      // Kept pages have the revision of the package, not of its repository.
      { ...context, credential: null, scratch, known: () => undefined, branchIsOpen: false },
    );
    const iterator = items[Symbol.asyncIterator]();
    const first = await iterator.next();
    const where = confirmed === "" ? "" : `, folder ${confirmed}`;
    return {
      note: `Documents are those of ${url.href} at the tag ${tag}${where}, commit ${revision}; the API is that of the archive.`,
      items: itemsOf(first, iterator, revision),
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof AnotherPackage)
      return `The tag of ${version} in ${url.href} is another package or version, ${instead}`;
    if (!(error instanceof Failure)) throw error;
    return `${url.href} is not read (${error.message}), ${instead}`;
  }
}

async function* itemsOf(
  first: IteratorResult<SourceItem>,
  iterator: AsyncIterator<SourceItem>,
  revision: string,
): AsyncGenerator<SourceItem> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next())
      yield next.value.type === "page" ? { ...next.value, revision } : next.value;
  } finally {
    await iterator.return?.();
  }
}

/** Whether a repository is named like the package, so that all of it is about the package. */
function isMain({ name }: PackageSourceSpec, { pathname }: URL): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\.git$/, "")
      .replace(/[^a-z\d]|js$/g, "");
  return plain(pathname.slice(pathname.lastIndexOf("/") + 1)) === plain(name.slice(name.lastIndexOf("/") + 1));
}
