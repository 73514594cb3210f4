import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { latest } from "../../domain/kinds/package.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries, registryNames } from "../../domain/packages.ts";
import type { ReadContext, Source, SourceItem, SourceState } from "../../domain/ports.ts";
import { chooseRefs } from "../../domain/refs.ts";
import type { SourceRef } from "../../domain/source.ts";
import { nearestNames, newestFirst } from "../../domain/versions.ts";
import { rstType, sourceFileType } from "../../extract/formats.ts";
import { isReadme } from "../../extract/finish.ts";
import { isIncludable } from "../../extract/includes.ts";
import { parseText } from "../../threads/parse-text.ts";
import { hashOf, readCapped } from "../disk/read-file.ts";
import { openFolder, readFolder } from "../disk/open.ts";
import type { OpenFolder } from "../disk/open.ts";
import type { ReadGit, SourceReader, SourceTools } from "../reader/reader.ts";
import { createDocumentTest } from "../tree/select-files.ts";
import { maxManifestBytes } from "../tree/manifests.ts";
import { manifestReader } from "../tree/manifest-formats.ts";
import { nameOf } from "../tree/places.ts";
import { claimedRepository } from "./claimed-repository.ts";
import type { ReadFile } from "./claimed-repository.ts";
import { download } from "./download.ts";
import { findPackage, plainVersions, refuseTwins } from "./finding.ts";
import type { ListAt } from "./finding.ts";
import { examplesOf, isExample, isShort } from "./examples.ts";
import { registryReaders } from "./registries.ts";
import type { RegistryReader } from "./registries.ts";
import type { Asking, Listing, Release } from "./registry.ts";
import { isRst, rstOf } from "./rst-files.ts";
import { isPythonMetadata, pythonDescription } from "./python-description.ts";
import { openRepository } from "./repository.ts";
import { unpack } from "./unpack.ts";
import type { Unpacked } from "./unpack.ts";

/** Multiple of what is indexed that an archive may unpack to. */
const unpackedTimes = 10;

/** What of a package is read: all of it. */
const everything = { folders: [], excludeFolders: null, excludeFiles: null };

/** Reads packages as their registries publish them. */
function createPackageSource(
  { client, pool, extensions, registries: access }: SourceTools,
  readGit: ReadGit,
): Source<PackageSourceSpec> {
  const asking = (
    { registry, url, restricted }: Pick<PackageSourceSpec, "registry" | "url" | "restricted">,
    signal: AbortSignal,
  ): Asking => ({
    client,
    pool,
    signal,
    // Credentials that the server got later do not open what everybody reads.
    authorizationFor: (asked) => (restricted ? access.authorizationFor(registry, url, asked) : null),
    route: access.routeOf(registry),
  });

  return {
    kind: "package",

    async resolve(spec, ref, { signal, named = [] }) {
      const places = access.placesOf(spec.registry, spec.name);
      // What is kept from the registries now was not when it was submitted.
      if (typeof places === "string") throw new Failure("source_refused", places);
      const listAt: ListAt = async (place) => {
        const at = { ...spec, ...place };
        return plainVersions(spec, await readerOf(spec).list(at, asking(at, signal)));
      };
      const { url, listing } = await findPackage(spec, places, listAt);
      const version = chooseVersion(spec, listing, ref ?? latest);
      await refuseTwins(spec, places, version, listAt);
      const { refs, leftOut } = refsOf(spec, listing, new Set(named));
      const revision = `${version.name} ${version.revision}`.trim();
      return { revision, ref: version.name, location: `${url}${spec.name}`, refs, refsLeftOut: leftOut };
    },

    async *read(submitted, state, context) {
      const spec = { ...submitted, url: registryOf(submitted, state) };
      const reader = readerOf(spec);
      const asked = asking(spec, context.signal);
      const version = state.ref ?? state.revision.split(" ")[0] ?? "";
      const release = await reader.release(spec, version, asked);
      const notes: string[] = [];
      // What is said later takes the place of what was said before.
      const account: ReadContext["account"] = (said) => {
        const { claims, ...more } = said;
        notes.push(...(said.notes ?? []));
        context.account?.({
          ...more,
          ...(claims && { claims: claims.filter(({ name }) => registries[spec.registry].normal(name) === spec.name) }),
          ...(notes.length > 0 && { notes: [...notes] }),
        });
      };
      const telling = { ...context, account };
      if (spec.url !== submitted.url)
        account({ notes: [`Read from ${spec.url}, as ${submitted.url} has no such package.`] });
      const opened = await openArchive(spec, release, reader, asked, telling);
      const { paths } = opened;
      const claimed = release.repository ?? (await claimedRepository(spec, fileOf(opened)));
      const repository = claimed && (await openRepository(spec, release.version, claimed, readGit, telling));
      if (repository !== undefined) account({ notes: [typeof repository === "string" ? repository : repository.note] });
      // Said last: what the repository's reader says of its own is no matter of the package.
      const named = claimed && { url: claimed.url.href, isConfirmed: typeof repository === "object" };
      const isArchive = repository === undefined || typeof repository === "string";
      let hasReadme = paths.some((path) => /^readme\.rst$/i.test(path));
      for await (const item of isArchive ? readFolder(opened, pool, telling) : repository.items) {
        hasReadme ||= !isArchive || isReadme(item.page.key);
        yield item;
      }
      if (!hasReadme) yield* readDescription(opened, telling);
      yield* readFiles(opened, rstOf(paths), rstType, () => true, telling);
      yield* readFiles(opened, examplesOf(paths), sourceFileType, isShort, telling);
      yield* readFiles(opened, await apiFiles(opened, reader, telling), reader.api.mediaType, () => true, telling);
      if (named) account({ repository: named });
    },
  };

  /** The unpacked archive of a version. */
  async function openArchive(
    spec: PackageSourceSpec,
    { version, archive }: Release,
    { api }: RegistryReader,
    asked: Asking,
    { scratch, limits, signal, account }: ReadContext,
  ): Promise<OpenFolder> {
    const path = join(scratch, "archive");
    const root = join(scratch, "package");
    await mkdir(root);
    await download(spec, archive, path, asked);
    const isDocument = createDocumentTest(extensions);
    const left = await unpack({ path, format: archive.format, name: `${spec.name} ${version}` }, root, {
      strip: archive.strip,
      wanted: (file) =>
        isDocument(file) ||
        api.named.test(file) ||
        isRst(file) ||
        isExample(file) ||
        isIncludable(file) ||
        manifestReader(nameOf(file)) !== undefined ||
        isPythonMetadata(file),
      fileBytes: limits.pageBytes,
      maxUnpacked: unpackedTimes * limits.bytes,
      signal,
    });
    const notes = notesOf(left);
    if (notes.length > 0) account?.({ notes });
    const toUrl = (file: string): string => `${archive.url.href}#/${file.split("/").map(encodeURIComponent).join("/")}`;
    const rules = { selection: everything, skipVersionFiltering: false, extensions, within: spec.name };
    const opened = await openFolder({ root, noun: "package", rules, toUrl }, signal);
    const { names } = opened;
    return { ...opened, names: { ...names, unread: names.unread.filter((file) => !isRst(file)) } };
  }

  /** What a Python package says in its metadata, which is what its README says. */
  async function* readDescription(
    { root, tree, paths }: OpenFolder,
    { limits, known, account }: ReadContext,
  ): AsyncGenerator<SourceItem> {
    const path = paths.find(isPythonMetadata);
    const file = path === undefined ? undefined : (await readCapped(join(root, path), limits.pageBytes))?.bytes;
    const description = file ? pythonDescription(Buffer.from(file).toString("utf8")) : undefined;
    if (path === undefined || description === undefined) return;
    const { text, mediaType } = description;
    if (mediaType === "") {
      account?.({ notes: [`The description in ${path} is not read: its format is not one that is.`] });
      return;
    }
    const bytes = Buffer.from(text);
    const page = { key: path, url: tree.toUrl(path), mediaType, fingerprint: hashOf(bytes) };
    yield known(page) === undefined ? { type: "page", page, bytes } : { type: "known", page };
  }

  /** The files that say what a package offers: behind its documents, which were written to be read. */
  function apiFiles(
    { root, paths }: OpenFolder,
    { api }: RegistryReader,
    { signal }: ReadContext,
  ): Promise<readonly string[]> {
    const input = { root, paths: paths.filter((path) => api.named.test(path)) };
    return parseText<typeof input, readonly string[]>({ pool, signal }, api.choosing, input, "The API");
  }
}

/** Files as pages, behind those that a folder has, those of which the bytes are wanted. */
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
    const page = { key: path, url: tree.toUrl(path), mediaType, fingerprint: hashOf(bytes) };
    yield known(page) === undefined ? { type: "page", page, bytes } : { type: "known", page };
  }
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

/** The registry that has the package, by where it was found. */
function registryOf({ url, name }: PackageSourceSpec, { location }: Pick<SourceState, "location">): string {
  return location.endsWith(name) ? location.slice(0, -name.length) : url;
}

/** Reads files of an unpacked archive that say what it is. Metadata of Python has the name that it has in a source distribution. */
function fileOf({ root, paths }: OpenFolder): ReadFile {
  return async (named) => {
    const path = named === "PKG-INFO" ? (paths.find(isPythonMetadata) ?? named) : named;
    const bytes = (await readCapped(join(root, path), maxManifestBytes))?.bytes;
    return bytes ? Buffer.from(bytes).toString("utf8") : undefined;
  };
}

function readerOf({ registry }: PackageSourceSpec): RegistryReader {
  return registryReaders[registry];
}

/** The version that a name stands for: a tag, the name of one, or the newest release. @throws Failure branch_not_found */
function chooseVersion(
  spec: PackageSourceSpec,
  { versions, tags }: Listing,
  wanted: string,
): Listing["versions"][number] {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const exact = byName.get(tags[wanted] ?? wanted);
  if (exact) return exact;
  const names = versions.filter(({ withdrawn }) => withdrawn !== true).map(({ name }) => name);
  const newest = wanted === latest ? byName.get(newestFirst(names)[0] ?? "") : undefined;
  if (newest) return newest;
  const of = `${registries[spec.registry].label} package ${spec.name}`;
  if (names.length === 0) throw new Failure("no_snippets_found", `The ${of} has no version that can be read.`);
  throw new Failure(
    "branch_not_found",
    `The ${of} has no version "${wanted.slice(0, 100)}". Nearest to it: ${nearestNames(wanted, names, 3).join(", ")}.`,
  );
}

/** Versions as tags, and names that move from one to the next as branches. */
function refsOf(
  { registry, name }: PackageSourceSpec,
  { versions, tags }: Listing,
  named: ReadonlySet<string>,
): { readonly refs: SourceState["refs"]; readonly leftOut: number } {
  const chooser = chooseRefs(`/${registry}/${name}`, named);
  const revisions = new Map(versions.map((version) => [version.name, version.revision]));
  const refOf = (ref: string, kind: SourceRef["kind"], revision: string): SourceRef => ({ name: ref, kind, revision });
  for (const [tag, version] of Object.entries(tags)) {
    const revision = revisions.get(version);
    if (tag !== latest && revision !== undefined) chooser.add(refOf(tag, "branch", `${version} ${revision}`.trim()));
  }
  for (const version of versions)
    if (version.withdrawn !== true)
      chooser.add(refOf(version.name, "tag", `${version.name} ${version.revision}`.trim()));
  return chooser.chosen();
}

function notesOf({ links, tooLarge, twins }: Unpacked): readonly string[] {
  return [
    ...(links > 0 ? [`${links} links of the archive are left out.`] : []),
    ...(twins > 0 ? [`${twins} files whose names differ from others in case only are left out.`] : []),
    ...(tooLarge > 0 ? [`${tooLarge} files of the archive are larger than is read.`] : []),
  ];
}
