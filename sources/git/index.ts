import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { repositoryPageUrl, webAddress, wikiOwner } from "../../domain/addresses.ts";
import type { ReadContext, Source, SourceItem, SourceState } from "../../domain/ports.ts";
import type { GitCredential, GitSourceSpec } from "../../domain/kinds/index.ts";
import { selectionSchema, type SourceReader, type VerifyCommit } from "../source-reader.ts";
import type { FetchClient } from "../lib/fetch/client.ts";
import type { ThreadPool } from "../lib/threads/thread-pool.ts";
import type { Guard } from "../lib/fetch/guard.ts";
import { context7Path, maxContext7Bytes, parseContext7File, type Context7File } from "../lib/tree/context7-file.ts";
import { maxManifestBytes } from "../lib/tree/manifests.ts";
import { readTree, type FileTree } from "../lib/tree/read-tree.ts";
import { createDocumentTest } from "../lib/tree/select-files.ts";
import { openCheckout, type CheckoutOptions, type Remote } from "./checkout.ts";
import { belowBranch, isOid, isRefName, longerNames, resolveRef } from "./refs.ts";
import { findGit, type GitProgram } from "./program.ts";
import { readPages, createTreeFiles, type PageToRead, type TreeFiles } from "./read-pages.ts";
import { listTree, planPages, type Checkout, type PlannedPage, type Tree } from "./tree.ts";
import { createGitHubApps } from "../lib/hosts/github-app.ts";
import { basic, gitPair } from "../lib/hosts/tokens.ts";
import { keyMissing } from "./failures.ts";
import { createGitHttp, type GitHttpOptions } from "./protocol.ts";
import { createGitSsh } from "./ssh.ts";

/** How a repository is connected to, and what must not be quoted of the credential. */
type Access = Pick<Remote, "connect" | "secrets">;

/** The address to ask: no query, no fragment, no slash at its end. @throws Failure validation_error */
function parseRepositoryUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new Failure(
      "validation_error",
      `"${text.slice(0, 80)}" is not the address of a repository. Give one such as https://git.example.com/owner/name.`,
    );
  const url = new URL(text);
  url.hash = "";
  url.search = "";
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, "");
  return url;
}

/** Dependencies and settings of the Git source. Times are in milliseconds. */
export interface GitSourceOptions {
  readonly client: FetchClient;
  readonly guard: Guard;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Chooses files and reads API descriptions. */
  readonly pool: ThreadPool;
  /** The user name that goes with a token on hosts of kind `git`. */
  readonly tokenUser?: string;
  /** Longest silence of a server that prepares a pack. */
  readonly idleTimeout?: number;
  /** Cap on what is downloaded for one commit, in bytes. */
  readonly maxDownload?: number;
  /** The program that reads repositories; by default that of `findGit`, for each reading. */
  readonly program?: GitProgram;
  /** Verifies a commit before its files are read. */
  readonly verify?: VerifyCommit;
  /** Limits of each git process. */
  readonly processLimits?: CheckoutOptions["limits"];
}

/**
 * Indexing the packs of the largest repositories takes a minute and less than half a gigabyte. With this limit the server and one git
 * process stay below one gigabyte.
 */
const defaultLimits = { cpuSeconds: 300, memory: 700_000_000 };

/** Documents may unpack to this many times the bytes that are indexed: some are too large, and included ones are read twice. */
const unpackedTimes = 10;

type OpenContext = Pick<ReadContext, "scratch" | "signal" | "limits">;
type ReadState = Pick<SourceState, "revision" | "ref" | "location">;

/** The commit of a library, its tree, and its own configuration file. */
interface OpenLibrary {
  readonly checkout: Checkout;
  readonly tree: Tree;
  /** All its files, for includes. */
  readonly files: TreeFiles;
  readonly file: Context7File | undefined;
  readonly read: Pick<SourceState, "revision" | "ref">;
}

/** Reads single files of repositories. */
export interface GitFiles {
  /** A file at a resolved commit. @throws Failure source_not_found if the commit has no such file, or it is larger than a page */
  file(
    spec: GitSourceSpec,
    state: ReadState,
    path: string,
    context: OpenContext & { readonly credential: GitCredential | null },
  ): Promise<Uint8Array>;
}

/** Reads documents out of Git repositories over http and https: first the tree, then the chosen blobs. */
export function createGitSource(options: GitSourceOptions): Source<GitSourceSpec, GitCredential> & GitFiles {
  const {
    client,
    guard,
    extensions,
    pool,
    tokenUser = "git",
    idleTimeout = 90_000,
    maxDownload = 2_000_000_000,
  } = options;
  const { processLimits: limits = defaultLimits } = options;
  const isDocument = createDocumentTest(extensions);
  const open = (remote: Remote, { scratch, signal, limits: { bytes } }: OpenContext): Promise<Checkout> => {
    const maxUnpacked = unpackedTimes * bytes;
    const program = options.program ?? findGit();
    return openCheckout(remote, { scratch, signal, idleTimeout, maxDownload, maxUnpacked, limits, program });
  };

  const apps = createGitHubApps(client);

  /** The access to a repository. The credential is sent to the host of the spec only. */
  function accessTo({ host, url }: GitSourceSpec, repository: URL, credential: GitCredential | null): Access {
    if (repository.protocol === "ssh:") {
      if (credential === null || !("knownHosts" in credential)) throw keyMissing(repository);
      return { connect: createGitSsh.bind(undefined, { guard, repository, key: credential }), secrets: [] };
    }
    const secrets: string[] = [];
    const toHeader = (secret: string): string => {
      const pair = gitPair(host, secret, tokenUser);
      const header = basic(pair);
      secrets.push(header.slice("Basic ".length), secret, pair.slice(pair.indexOf(":") + 1));
      return header;
    };
    const isOwnHost = repository.origin === parseRepositoryUrl(url).origin;
    let authorization: GitHttpOptions["authorization"] = null;
    if (isOwnHost && credential !== null && "appId" in credential)
      authorization = async (signal) => toHeader(await apps.tokenFor(credential, repository, signal));
    else if (isOwnHost && credential !== null && "token" in credential && credential.token !== "") {
      const header = toHeader(credential.token);
      authorization = () => Promise.resolve(header);
    }
    return { connect: createGitHttp.bind(undefined, { client, repository, authorization }), secrets };
  }

  function toRemote(spec: GitSourceSpec, state: ReadState, credential: GitCredential | null): Remote {
    const url = parseRepositoryUrl(state.location);
    const { revision, ref } = state;
    if (!isOid(revision)) throw new Failure("source_invalid", `"${revision.slice(0, 80)}" is not the id of a commit.`);
    return { url, revision, ref: ref !== null && isRefName(ref) ? ref : null, ...accessTo(spec, url, credential) };
  }

  /** Opens the resolved commit, or that of the branch that the library's own file names. */
  async function openLibrary(
    spec: GitSourceSpec,
    state: ReadState,
    context: ReadContext<GitCredential>,
  ): Promise<OpenLibrary> {
    const checkout = await open(toRemote(spec, state, context.credential), context);
    const files = createTreeFiles();
    const tree = await listTree(files.through(checkout.entries()), isDocument);
    const file = await readContext7(checkout, tree);
    const owner = wikiOwner(spec.host, webAddress(spec.host, spec.url));
    // The title of a wiki's first page is a name like "Home".
    const named = owner === undefined ? {} : { title: `${owner.slice(owner.lastIndexOf("/") + 1)} wiki` };
    const settings = { ...named, ...file?.settings };
    const ownSettings = Object.keys(settings).length > 0 ? { settings } : undefined;
    const other = await findBranch(spec, state, file?.branch ?? null, context);
    if (other === null || "problem" in other) {
      if (ownSettings) context.account?.(ownSettings);
      const problems = [...(file?.problems ?? []), ...(other === null ? [] : [other.problem])];
      return { checkout, tree, files, file: file && { ...file, problems }, read: state };
    }
    context.account?.({ ...ownSettings, instead: other });
    const scratch = join(context.scratch, "branch");
    await mkdir(scratch);
    const remote = toRemote(spec, { ...other, location: state.location }, context.credential);
    const branch = await open(remote, { ...context, scratch });
    const branchFiles = createTreeFiles();
    const branchTree = await listTree(branchFiles.through(branch.entries()), isDocument);
    return { checkout: branch, tree: branchTree, files: branchFiles, file, read: other };
  }

  /** The commit of the branch that a library's own file names; null if the resolved commit is read. */
  async function findBranch(
    spec: GitSourceSpec,
    { ref }: ReadState,
    branch: string | null,
    { branchIsOpen, signal, credential }: ReadContext<GitCredential>,
  ): Promise<Pick<SourceState, "revision" | "ref"> | { readonly problem: string } | null> {
    if (branch === null || branch === ref || spec.branch !== null || branchIsOpen !== true) return null;
    try {
      const repository = parseRepositoryUrl(spec.url);
      const { connect } = accessTo(spec, repository, credential);
      const { revision, ref: name } = await resolveRef({ repository, connect, signal }, branch);
      return { revision, ref: name };
    } catch (error) {
      if (error instanceof Failure && error.code === "branch_not_found") return { problem: error.message };
      throw error;
    }
  }

  return {
    kind: "git",

    async resolve(spec, ref, { credential, signal, named = [] }) {
      const repository = parseRepositoryUrl(spec.url);
      guard.checkAddress(repository);
      const { connect } = accessTo(spec, repository, credential);
      const wanted = ref ?? spec.branch;
      const longer = ref === null && spec.branch !== null ? longerNames(spec.branch, spec.selection) : [];
      return resolveRef({ repository, connect, signal, named, longer }, wanted);
    },

    async file(spec, state, path, context) {
      const checkout = await open(toRemote(spec, state, context.credential), context);
      let oid: string | undefined;
      for await (const batch of checkout.entries())
        oid ??= batch.find((entry) => entry.path === path && entry.mode.startsWith("100"))?.oid;
      const [blob] = oid === undefined ? [] : await Array.fromAsync(checkout.blobs([oid], context.limits.pageBytes));
      if (blob?.bytes) return blob.bytes;
      const reason = blob ? "is larger than a page may be" : "is not a file of it";
      throw new Failure(
        "source_not_found",
        `${spec.url} was read at ${state.revision.slice(0, 10)}, and ${path} ${reason}.`,
      );
    },

    async *read(spec, state, context) {
      const library = await openLibrary(spec, state, context);
      const folder = await options.verify?.((path) => readManifest(library, path));
      const { skipVersionFiltering } = spec;
      const chosen = belowBranch(spec, state.ref);
      const selection = folder === undefined || folder === "" ? chosen : { ...chosen, folders: [folder] };
      const rules = { selection, skipVersionFiltering, extensions, within: basename(spec.url, ".git") };
      yield* readTree(toFileTree(library, spec, state.revision, context), rules, pool, context);
    },
  };
}

/** A commit as a tree of files; `resolved` is the revision that has the library's own file. */
function toFileTree(
  { checkout, tree, files, file, read }: OpenLibrary,
  spec: GitSourceSpec,
  resolved: string,
  { limits, known }: ReadContext,
): FileTree {
  const url = webAddress(spec.host, spec.url);
  const toUrl = (path: string): string => (path === "" ? url : repositoryPageUrl(spec.host, url, read.revision, path));
  const isWiki = wikiOwner(spec.host, url) !== undefined;
  const documents = [...tree.documents.keys()];
  const readPlanned = (planned: readonly PlannedPage[]): AsyncGenerator<SourceItem> => {
    const pages = planned.map((plan): PageToRead => {
      const kept = plan.skip === undefined ? known(plan.page) : undefined;
      const isSame = kept?.every(({ path, fingerprint }) => (files.find(path)?.fingerprint ?? "") === fingerprint);
      return isSame === true && kept !== undefined ? { ...plan, known: kept } : plan;
    });
    return readPages(pages, { checkout, files, limits, toUrl });
  };
  return {
    noun: "repository",
    names: {
      documents: isWiki ? documents.filter(isWikiPage) : documents,
      unreadable: tree.unsafe.length,
      elsewhere: tree.elsewhere.map(({ path }) => path),
      unread: tree.unread.paths,
      sources: [...tree.sources.keys()],
      codeFiles: tree.unread.codeFiles(),
      descriptions: [...tree.descriptions.keys()],
      manifests: [...tree.manifests.keys()],
    },
    file,
    fileUrl: repositoryPageUrl(spec.host, url, resolved, context7Path),
    toUrl,
    async read(path) {
      const oid = tree.descriptions.get(path)?.oid;
      if (oid === undefined) return undefined;
      const [blob] = await Array.fromAsync(checkout.blobs([oid], limits.pageBytes));
      return blob?.bytes;
    },
    async *readBeginnings(paths) {
      const files = paths.flatMap((path) => tree.descriptions.get(path) ?? []);
      let at = 0;
      for await (const { bytes } of checkout.blobs(
        files.map(({ oid }) => oid),
        limits.pageBytes,
      )) {
        const path = files[at++]?.path;
        if (bytes !== null && path !== undefined) yield { path, bytes };
      }
    },
    async prepare(paths) {
      await checkout.fetch(paths.flatMap((path) => tree.descriptions.get(path)?.oid ?? []));
    },
    async readManifests(paths) {
      const oids = paths.flatMap((path) => tree.manifests.get(path)?.oid ?? []);
      const blobs = oids.length === 0 ? [] : await Array.fromAsync(checkout.blobs(oids, maxManifestBytes));
      return paths.flatMap((path, at) => {
        const bytes = blobs[at]?.bytes ?? null;
        return bytes === null ? [] : [{ path, bytes }];
      });
    },
    readChosen: (chosen) => readPlanned(planPages(tree, { chosen, toUrl })),
    readSources: (documents) =>
      readPlanned(planPages({ ...tree, unsafe: [] }, { chosen: { documents, elsewhere: [] }, toUrl })),
  };
}

/** How Git repositories are read. */
export const gitReader: SourceReader<GitSourceSpec, GitCredential> = {
  spec: z.object({
    kind: z.literal("git"),
    host: z.enum(["github", "gitlab", "bitbucket", "gitea", "git"]),
    url: z.url({ protocol: /^(?:https?|ssh)$/ }),
    branch: z.string().nullable(),
    selection: selectionSchema,
    skipVersionFiltering: z.boolean(),
  }),
  create: (tools) => createGitSource(tools),
};

/** False for the sidebar, footer and header of a wiki, which are part of every page. */
function isWikiPage(path: string): boolean {
  return !/(?:^|\/)_(?:sidebar|footer|header)\.[^./]+$/i.test(path);
}

async function readManifest({ checkout, tree }: OpenLibrary, path: string): Promise<string | undefined> {
  const oid = tree.manifests.get(path)?.oid;
  if (oid === undefined) return undefined;
  const [blob] = await Array.fromAsync(checkout.blobs([oid], maxManifestBytes));
  return blob?.bytes ? Buffer.from(blob.bytes).toString("utf8") : undefined;
}

/** The library's own file; undefined without one. */
async function readContext7(checkout: Checkout, { settings }: Tree): Promise<Context7File | undefined> {
  if (settings === undefined) return undefined;
  const [blob] = await Array.fromAsync(checkout.blobs([settings.oid], maxContext7Bytes));
  return parseContext7File(blob?.bytes ?? null);
}
