import { Failure } from "../../domain/failures.ts";
import type { FetchClient, FetchResponse } from "../lib/fetch/client.ts";
import { notARepository, repositoryName, statusFailure } from "./failures.ts";

/** Git's smart HTTP over the guarded client, for one repository. */
export interface GitHttp {
  /**
   * What `info/refs` answers: what the server speaks, and before protocol 2 its refs. Asked once, in this version of the
   * protocol or, where it is 2, an earlier one that the server knows. @throws Failure
   */
  discover(version?: 1 | 2): Promise<Buffer>;
  /**
   * Asks `git-upload-pack`; the answer comes as it is read. `headers` are those of Git's that go along; `gone` gives this
   * request up.
   * @throws Failure where the status is not 200
   */
  uploadPack(body: Uint8Array, headers: GitHeaders, gone?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The repository's address after redirects, known once something was asked. */
  location(): URL;
}

/** The headers by which a Git client says what it speaks and how its request is compressed. */
export type GitHeaders = Readonly<Partial<Record<"git-protocol" | "content-encoding", string>>>;

/** What asking a repository needs. */
export interface GitHttpOptions {
  readonly client: FetchClient;
  /** Address without a slash at its end. */
  readonly repository: URL;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  readonly signal: AbortSignal;
  /** Cap on all answers together, in bytes. */
  readonly maxBytes: number;
  /** Longest silence of the server, in milliseconds, where it may be longer than the client's. */
  readonly idleTimeout?: number;
  /** Redirects of `info/refs` that are followed; the client's default, if not told otherwise. */
  readonly maxRedirects?: number;
}

const discovery = "/info/refs";
/** A server that does not know protocol 2 passes over this (gitprotocol-v2). */
export const protocolTwo = { "git-protocol": "version=2" };
const contentTypes = {
  "content-type": "application/x-git-upload-pack-request",
  accept: "application/x-git-upload-pack-result",
};

/**
 * Makes the transport for one repository. Where `info/refs` was redirected to, the other requests go too. Statuses other
 * than 200 are thrown as the failures they mean.
 */
export function createGitHttp(options: GitHttpOptions): GitHttp {
  const { client, repository, authorization, signal, maxBytes, idleTimeout, maxRedirects } = options;
  const timeouts = idleTimeout === undefined ? {} : { idleTimeout };
  let base = repository;
  let received = 0;
  let discovered: Promise<Buffer> | undefined;

  function credentials(): Record<string, string> {
    return authorization !== null && base.origin === repository.origin ? { authorization } : {};
  }

  function expectOk(response: FetchResponse): FetchResponse {
    if (response.status === 200) return response;
    response.discard();
    throw statusFailure(response.status, repository, authorization !== null);
  }

  async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      received += bytes.length;
      if (received > maxBytes)
        throw new Failure(
          "library_too_large",
          `${repositoryName(repository)} sent more than the ${maxBytes} bytes that are read of a repository at most.`,
        );
      yield bytes;
    }
  }

  async function discover(version: 1 | 2): Promise<Buffer> {
    const url = new URL(repository);
    url.pathname += discovery;
    url.search = "?service=git-upload-pack";
    const headers = { ...(version === 2 && protocolTwo), ...credentials() };
    const redirects = maxRedirects === undefined ? {} : { maxRedirects };
    const response = expectOk(await client.request(url, { headers, signal, maxBytes, ...timeouts, ...redirects }));
    const bytes = Buffer.concat(await Array.fromAsync(counted(response.body)));
    if (bytes.includes("object-format=sha256"))
      throw new Failure(
        "source_invalid",
        `${repositoryName(repository)} names its objects by SHA-256, and only SHA-1 is supported.`,
      );
    const final = new URL(response.url);
    if (!final.pathname.endsWith(discovery)) throw notARepository(repository, "it redirects to another kind of page");
    final.pathname = final.pathname.slice(0, -discovery.length);
    final.search = "";
    base = final;
    return bytes;
  }

  return {
    discover: (version = 2) => (discovered ??= discover(version)),
    async uploadPack(body, git, gone) {
      const url = new URL(base);
      url.pathname += "/git-upload-pack";
      const headers = { ...contentTypes, ...git, ...credentials() };
      const until = gone === undefined ? signal : AbortSignal.any([signal, gone]);
      const caps = { signal: until, maxBytes, ...timeouts, maxRedirects: 0 };
      return counted(expectOk(await client.request(url, { method: "POST", headers, body, ...caps })).body);
    },
    location: () => base,
  };
}
