import { Failure } from "../../../domain/failures.ts";
import type { FetchClient, FetchResponse } from "../../fetch/client.ts";
import { notARepository, repositoryName, statusFailure } from "./failures.ts";

/** Git's smart HTTP over the guarded client, for one repository. */
export interface GitHttp {
  /** What `info/refs` answers: what the server speaks, and before protocol 2 its refs. @throws Failure */
  discover(): Promise<Buffer>;
  /** Asks `git-upload-pack`, protocol 2 unless told; the answer comes as it is read. @throws Failure where the status is not 200 */
  uploadPack(body: string, protocol?: 1 | 2): Promise<AsyncIterable<Uint8Array>>;
  /** The repository's address after redirects, known once something was asked. */
  location(): URL;
}

/** What asking a repository needs. */
export interface GitHttpOptions {
  readonly client: FetchClient;
  /** Address without a slash at its end. */
  readonly repository: URL;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  readonly signal: AbortSignal;
  /** Cap on one answer, in bytes. */
  readonly maxBytes: number;
  /** Longest silence of the server, in milliseconds, where it may be longer than the client's. */
  readonly idleTimeout?: number;
}

const discovery = "/info/refs";
/** A server that does not know protocol 2 passes over this (gitprotocol-v2). */
const protocolTwo = { "git-protocol": "version=2" };
const contentTypes = {
  "content-type": "application/x-git-upload-pack-request",
  accept: "application/x-git-upload-pack-result",
};

/**
 * Makes the transport for one repository. Where `info/refs` was redirected to, the other requests go too. Statuses other
 * than 200 are thrown as the failures they mean.
 */
export function createGitHttp(options: GitHttpOptions): GitHttp {
  const { client, repository, authorization, signal, maxBytes, idleTimeout } = options;
  const caps = { signal, maxBytes, ...(idleTimeout !== undefined && { idleTimeout }) };
  let base = repository;

  function credentials(): Record<string, string> {
    return authorization !== null && base.origin === repository.origin ? { authorization } : {};
  }

  function expectOk(response: FetchResponse): FetchResponse {
    if (response.status === 200) return response;
    response.discard();
    throw statusFailure(response.status, repository, authorization !== null);
  }

  return {
    async discover() {
      const url = new URL(repository);
      url.pathname += discovery;
      url.search = "?service=git-upload-pack";
      const headers = { ...protocolTwo, ...credentials() };
      const response = expectOk(await client.request(url, { headers, ...caps }));
      const bytes = Buffer.concat(await Array.fromAsync(response.body));
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
    },
    async uploadPack(body, protocol = 2) {
      const url = new URL(base);
      url.pathname += "/git-upload-pack";
      const headers = { ...contentTypes, ...(protocol === 2 && protocolTwo), ...credentials() };
      const sent = { method: "POST", headers, body: Buffer.from(body), ...caps, maxRedirects: 0 } as const;
      return expectOk(await client.request(url, sent)).body;
    },
    location: () => base,
  };
}
