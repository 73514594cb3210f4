import { Failure } from "../../../domain/failures.ts";
import { repositoryPageUrl } from "../../../domain/links.ts";
import type { ReadContext, Source, SourceState } from "../../../domain/ports.ts";
import type { GitHost, GitSourceSpec } from "../../../domain/source.ts";
import type { FetchClient } from "../../fetch/client.ts";
import type { Guard } from "../../fetch/guard.ts";
import { createDocumentTest, createFileSelector } from "../select-files.ts";
import { openWithIsomorphicGit } from "./isomorphic.ts";
import { isOid, isRefName, resolveRef } from "./refs.ts";
import type { Remote } from "./remote.ts";
import { openWithSystemGit } from "./system.ts";
import { readPages, type PageToRead } from "./read-pages.ts";
import { createTreeFiles } from "./tree-files.ts";
import { planPages, type Checkout } from "./tree.ts";
import { isUsableGit } from "./version.ts";

/** What the Git source is made of. Times are in milliseconds. */
export interface GitSourceOptions {
  readonly client: FetchClient;
  readonly guard: Guard;
  /** The git program, by name or path; null for none. One that is missing or older than 2.37 counts as none. */
  readonly gitBinary: string | null;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** The user name that goes with a token on hosts of kind `git`. */
  readonly tokenUser?: string;
  /** Longest time a fetch may make no progress. */
  readonly idleTimeout?: number;
  /** Cap on what is downloaded for one commit, in bytes. */
  readonly maxDownload?: number;
}

/** Cap on a pack that is held in memory, in bytes. */
const maxInMemory = 500_000_000;

/**
 * Reads documents out of Git repositories over http and https: first the tree, then the chosen blobs, with the
 * system's git, or with isomorphic-git and whole packs where there is none.
 */
export function createGitSource(options: GitSourceOptions): Source<GitSourceSpec> {
  const {
    client,
    guard,
    gitBinary,
    extensions,
    tokenUser = "git",
    idleTimeout = 90_000,
    maxDownload = 2_000_000_000,
  } = options;
  const isDocument = createDocumentTest(extensions);
  /** Asked once: the program to run, null where there is none that can be used. */
  let found: Promise<string | null> | undefined;

  async function findBinary(): Promise<string | null> {
    try {
      return gitBinary !== null && (await isUsableGit(gitBinary)) ? gitBinary : null;
    } catch (error) {
      found = undefined;
      throw error;
    }
  }

  async function open(remote: Remote, { scratch, signal }: ReadContext): Promise<Checkout> {
    const binary = await (found ??= findBinary());
    return binary === null
      ? openWithIsomorphicGit(remote, { client, scratch, signal, maxDownload: Math.min(maxDownload, maxInMemory) })
      : openWithSystemGit(remote, { binary, scratch, signal, idleTimeout, maxDownload });
  }

  async function toRemote(
    spec: GitSourceSpec,
    state: Pick<SourceState, "revision" | "ref" | "location">,
    { secret, signal }: ReadContext,
  ): Promise<Remote> {
    const url = parseRepositoryUrl(state.location);
    guard.checkUrl(url);
    const proxy = client.proxyFor(url);
    const addresses = proxy === undefined ? await guard.resolve(url, signal) : [];
    // Where the host redirected to another one, the token stays behind.
    const isOwnHost = url.origin === parseRepositoryUrl(spec.url).origin;
    const token = isOwnHost ? toCredentials(spec.host, secret, tokenUser) : noCredentials;
    const { revision, ref } = state;
    if (!isOid(revision)) throw new Failure("source_invalid", `"${revision.slice(0, 80)}" is not the id of a commit.`);
    return {
      url,
      revision,
      ref: ref !== null && isRefName(ref) ? ref : null,
      addresses: addresses.map(({ address }) => address),
      proxy,
      ...token,
    };
  }

  return {
    kind: "git",

    async resolve(spec, ref, { secret, signal }) {
      const repository = parseRepositoryUrl(spec.url);
      guard.checkUrl(repository);
      const { authorization } = toCredentials(spec.host, secret, tokenUser);
      return resolveRef({ client, repository, authorization, signal }, ref ?? spec.branch);
    },

    async *read(spec, state, context) {
      const { limits, known } = context;
      const select = createFileSelector(spec.selection, {
        skipVersionFiltering: spec.skipVersionFiltering,
        extensions,
      });
      const toUrl = (path: string): string =>
        path === "" ? spec.url : repositoryPageUrl(spec.host, spec.url, state.revision, path);
      const checkout = await open(await toRemote(spec, state, context), context);
      const files = createTreeFiles();
      const planned = await planPages(files.through(checkout.entries()), { isDocument, select, toUrl, limits });
      context.pages(planned.length);
      const pages = planned.map((plan): PageToRead => {
        const kept = plan.skip === undefined ? known(plan.page) : undefined;
        const holds = kept?.every(({ path, fingerprint }) => (files.find(path)?.fingerprint ?? "") === fingerprint);
        return holds === true && kept !== undefined ? { ...plan, known: kept } : plan;
      });
      yield* readPages(pages, { checkout, files, limits, toUrl });
    },
  };
}

interface Credentials {
  readonly authorization: string | null;
  readonly secrets: readonly string[];
}

const noCredentials: Credentials = { authorization: null, secrets: [] };

/** User names that go with tokens (isomorphic-git's docs/onAuth.md). A secret with a colon is user and password. */
function toCredentials(host: GitHost, secret: string | null, tokenUser: string): Credentials {
  if (secret === null || secret === "") return noCredentials;
  const users = { github: "x-access-token", gitlab: "oauth2", bitbucket: "x-token-auth", git: tokenUser };
  const pair = secret.includes(":") ? secret : `${users[host]}:${secret}`;
  const encoded = Buffer.from(pair).toString("base64");
  return { authorization: `Basic ${encoded}`, secrets: [encoded, secret, pair.slice(pair.indexOf(":") + 1)] };
}

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
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}
