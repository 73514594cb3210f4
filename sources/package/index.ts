import { join } from "node:path";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { latest } from "../../domain/kinds/package.ts";
import type { PackageSourceSpec, GitSourceSpec } from "../../domain/kinds/index.ts";
import { registries, registryNames, gitHostOf } from "../../domain/packages.ts";
import type { ReadContext, Source, SourceItem, SourceState } from "../../domain/ports.ts";
import { sourceFileType } from "../../extract/formats.ts";
import { decodeText, encodeText, encodingNotes } from "../../extract/decode.ts";
import { isReadme } from "../../extract/finish.ts";
import { parseText } from "../lib/threads/thread-pool.ts";
import { readCapped, sha256Of } from "../lib/disk/read-file.ts";
import { readFolder, type OpenFolder } from "../lib/disk/open-folder.ts";
import type { ReadGit, SourceReader, SourceTools } from "../source-reader.ts";
import { claimedRepository, folderOf, tagsOf } from "./claimed-repository.ts";
import { findPackage, refuseAmbiguousPackage, type ListAt } from "./find-package.ts";
import { isPythonMetadata, pythonDescription } from "./documents.ts";
import { examplesOf, isShort } from "../lib/tree/source-files.ts";
import { manifestsOf, openArchive } from "./open-archive.ts";
import { registryReaders, type ApiFiles } from "./registries.ts";
import {
  chooseVersion,
  plainVersions,
  refsOf,
  revisionOf,
  type RegistryConnection,
  type ClaimedRepository,
} from "./registry.ts";
import { mkdir } from "node:fs/promises";

/** The documents of a package in its repository. */
interface RepositoryDocuments {
  /** A sentence that says where they are. */
  readonly note: string;
  readonly items: AsyncIterable<SourceItem>;
}

/** Thrown for a commit that is another package or version. */
class AnotherPackage extends Error {
  override readonly name = "AnotherPackage";
}

/**
 * Opens the documents of a version in the repository that it names, at the tag of the version; or returns a sentence that says why the archive
 * is read instead. The package only claims the repository, which has to confirm that by a manifest with the same name and version.
 */
async function openRepository(
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
    selection: { folders: [], excludeFolders: null, excludeFiles: null, generateDocs: false },
    skipVersionFiltering: false,
  };
  const instead = "so the archive of the package is read.";
  const names = tagsOf(spec, version);
  const scratch = join(context.scratch, "repository");
  await mkdir(scratch);
  try {
    const request = { signal: context.signal, credential: null, named: names };
    const plain = readGit();
    const { refs, location } = await plain.resolve(repository, null, request);
    const tags = new Map(
      refs.flatMap(({ name, kind, revision }) => (kind === "tag" ? [[name, revision] as const] : [])),
    );
    const tag = names.find((name) => tags.has(name));
    const revision = tag === undefined ? undefined : tags.get(tag);
    if (tag === undefined || revision === undefined) return `${url.href} has no tag of version ${version}, ${instead}`;
    let confirmed = "";
    const source = readGit(async (read) => {
      const verified = await folderOf(spec, version, { folder }, read);
      if (verified === undefined || (commit !== undefined && verified !== "" && folder !== "" && verified !== folder))
        throw new AnotherPackage();
      confirmed = verified;
      return isMain(spec, url) ? undefined : verified;
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

/** Whether a repository is named like the package, so that all of it documents the package. */
function isMain({ name }: PackageSourceSpec, { pathname }: URL): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\.git$/, "")
      .replace(/[^a-z\d]|js$/g, "");
  return plain(pathname.slice(pathname.lastIndexOf("/") + 1)) === plain(name.slice(name.lastIndexOf("/") + 1));
}

/** Reads packages as their registries publish them. */
function createPackageSource(
  { client, pool, extensions, registries: access }: SourceTools,
  readGit: ReadGit,
): Source<PackageSourceSpec> {
  const connectTo = (
    { registry, url, restricted }: Pick<PackageSourceSpec, "registry" | "url" | "restricted">,
    signal: AbortSignal,
  ): RegistryConnection => ({
    client,
    pool,
    signal,
    // Credentials that were configured later are not used for a package that was submitted as public.
    authorizationFor: (requested) => (restricted ? access.authorizationFor(registry, url, requested) : null),
    route: access.routeOf(registry),
  });

  return {
    kind: "package",

    async resolve(spec, ref, { signal, named = [] }) {
      const places = access.placesOf(spec.registry, spec.name);
      // The configuration may have changed since the submission.
      if (typeof places === "string") throw new Failure("source_refused", places);
      const listAt: ListAt = async (place) => {
        const at = { ...spec, ...place };
        return plainVersions(await registryReaders[spec.registry].list(at, connectTo(at, signal)));
      };
      const { url, listing } = await findPackage(spec, places, listAt);
      const version = chooseVersion(spec, listing, ref ?? latest);
      await refuseAmbiguousPackage(spec, places, version, listAt);
      const { refs, leftOut } = refsOf(spec, listing, new Set(named));
      const location = `${url}${spec.name}`;
      return { revision: revisionOf(version), ref: version.name, location, refs, refsLeftOut: leftOut };
    },

    async *read(submitted, state, context) {
      const spec = { ...submitted, url: registryOf(submitted, state) };
      const reader = registryReaders[spec.registry];
      const connection = connectTo(spec, context.signal);
      const version = state.ref ?? state.revision.split(" ")[0] ?? "";
      const release = await reader.release(spec, version, connection);
      const notes: string[] = [];
      // Later notes would replace earlier ones, and the repository may claim other packages too.
      const account: ReadContext["account"] = ({ claims, ...more }) => {
        notes.push(...(more.notes ?? []));
        context.account?.({
          ...more,
          ...(claims && { claims: claims.filter(({ name }) => registries[spec.registry].normal(name) === spec.name) }),
          ...(notes.length > 0 && { notes: [...notes] }),
        });
      };
      const ownContext = { ...context, account };
      if (spec.url !== submitted.url)
        account({ notes: [`Read from ${spec.url}, as ${submitted.url} has no such package.`] });
      const opened = await openArchive(spec, version, release.archive, connection, extensions, ownContext);
      const { paths } = opened;
      const claimed = release.repository ?? (await claimedRepository(spec, manifestsOf(opened)));
      const repository = claimed && (await openRepository(spec, version, claimed, readGit, ownContext));
      if (repository !== undefined) account({ notes: [typeof repository === "string" ? repository : repository.note] });
      const isArchive = repository === undefined || typeof repository === "string";
      let hasReadme = false;
      for await (const item of isArchive ? readFolder(opened, pool, ownContext) : repository.items) {
        hasReadme ||= !isArchive || isReadme(item.page.key);
        yield item;
      }
      if (!hasReadme) yield* readDescription(opened, ownContext);
      yield* readFiles(opened, examplesOf(paths), sourceFileType, isShort, ownContext);
      const declared = await apiFiles(opened, reader.api, ownContext);
      yield* readFiles(opened, declared, reader.api.mediaType, () => true, ownContext);
      // Last, as the reader of the repository accounts for itself.
      if (claimed) account({ repository: { url: claimed.url.href, isConfirmed: !isArchive } });
    },
  };

  /** The description in the metadata of a Python package, which is its README. */
  async function* readDescription(
    { root, tree, paths }: OpenFolder,
    { limits, known, account }: ReadContext,
  ): AsyncGenerator<SourceItem> {
    const path = paths.find(isPythonMetadata);
    const file = path === undefined ? undefined : (await readCapped(join(root, path), limits.pageBytes))?.bytes;
    const decoded = file ? decodeText(file) : undefined;
    const description = decoded ? pythonDescription(decoded.text) : undefined;
    if (path === undefined || decoded === undefined || description === undefined) return;
    if (decoded.guessed !== undefined) account?.({ notes: encodingNotes(path, decoded) });
    const { text, mediaType } = description;
    if (mediaType === "") account?.({ notes: [`The description in ${path} is in a format that is not read.`] });
    else yield toItem(tree, path, mediaType, encodeText({ text, damaged: decoded.damaged }), known);
  }

  /** The files that declare the API of a package. */
  function apiFiles({ root, paths }: OpenFolder, api: ApiFiles, { signal }: ReadContext): Promise<readonly string[]> {
    const input = { root, paths: paths.filter((path) => api.named.test(path)) };
    return parseText<typeof input, readonly string[]>({ pool, signal }, api.choosing, input, "The API");
  }
}

/** The files as pages, without those whose bytes are not wanted. */
async function* readFiles(
  { root, tree }: OpenFolder,
  files: readonly string[],
  mediaType: string,
  isWanted: (bytes: Uint8Array) => boolean,
  { limits, known, signal }: ReadContext,
): AsyncGenerator<SourceItem> {
  for (const path of files) {
    signal.throwIfAborted();
    const bytes = (await readCapped(join(root, path), limits.pageBytes))?.bytes;
    if (!bytes || !isWanted(bytes)) continue;
    yield toItem(tree, path, mediaType, bytes, known);
  }
}

function toItem(
  { toUrl }: OpenFolder["tree"],
  path: string,
  mediaType: string,
  bytes: Uint8Array,
  known: ReadContext["known"],
): SourceItem {
  const page = { key: path, url: toUrl(path), mediaType, fingerprint: sha256Of(bytes) };
  return known(page) === undefined ? { type: "page", page, bytes } : { type: "known", page };
}

const specSchema = z.object({
  kind: z.literal("package"),
  registry: z.enum(registryNames as [PackageSourceSpec["registry"]]),
  url: z.url({ protocol: /^https?$/ }),
  name: z.string().min(1).max(214),
  version: z.string().min(1).max(200).nullable(),
  restricted: z.boolean(),
  named: z.exactOptional(z.literal(true)),
});

/** How packages are read. Their repositories are read with `readGit`. */
export function packageReaderWith(
  readGit: (tools: SourceTools, ...given: Parameters<ReadGit>) => ReturnType<ReadGit>,
): SourceReader<PackageSourceSpec> {
  return {
    spec: specSchema,
    create: (tools) => createPackageSource(tools, (verify) => readGit(tools, verify)),
  };
}

/** The registry at which the package was found, by the location of its state. */
function registryOf({ url, name }: PackageSourceSpec, { location }: Pick<SourceState, "location">): string {
  return location.endsWith(name) ? location.slice(0, -name.length) : url;
}
