import type { HttpClient } from "isomorphic-git";
import { Failure } from "../../../domain/failures.ts";
import type { FetchClient, FetchResponse } from "../../fetch/client.ts";
import { notARepository, repositoryName, statusFailure } from "./failures.ts";

/** Git's smart HTTP over the guarded client, in the form isomorphic-git takes. */
export interface GitHttp extends HttpClient {
  /** The repository's address after redirects, known once something was asked. */
  location(): URL;
  /** Asks `git-upload-pack`; the answer comes as it is read. @throws Failure where the server answers with another status */
  uploadPack(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<AsyncIterable<Uint8Array>>;
  /** isomorphic-git takes a broken stream for an ended one. @throws Failure source_invalid where that happened */
  assertWhole(): void;
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

/**
 * Makes the transport for one repository. What `info/refs` answers is asked for once, and where that question was
 * redirected to, the others go too. Statuses other than 200 are thrown as the failures they mean.
 */
export function createGitHttp(options: GitHttpOptions): GitHttp {
  const { client, repository, authorization, signal, maxBytes, idleTimeout } = options;
  const caps = { signal, maxBytes, ...(idleTimeout !== undefined && { idleTimeout }) };
  let base = repository;
  let discovered: Promise<{ response: FetchResponse; bytes: Uint8Array }> | undefined;
  const bodies: object[] = [];

  function credentials(): Record<string, string> {
    return authorization !== null && base.origin === repository.origin ? { authorization } : {};
  }

  function expectOk(response: FetchResponse): FetchResponse {
    if (response.status === 200) return response;
    response.discard();
    throw statusFailure(response.status, repository, authorization !== null);
  }

  async function post(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<FetchResponse> {
    const url = new URL(base);
    url.pathname += "/git-upload-pack";
    const sent = { ...headers, ...credentials() };
    return expectOk(await client.request(url, { method: "POST", headers: sent, body, ...caps, maxRedirects: 0 }));
  }

  async function read(response: FetchResponse): Promise<{ response: FetchResponse; bytes: Uint8Array }> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return { response, bytes: Buffer.concat(chunks) };
  }

  async function discover(headers: Record<string, string>): Promise<{ response: FetchResponse; bytes: Uint8Array }> {
    const url = new URL(repository);
    url.pathname += discovery;
    url.search = "?service=git-upload-pack";
    const found = await read(
      expectOk(await client.request(url, { headers: { ...headers, ...credentials() }, ...caps })),
    );
    if (Buffer.from(found.bytes).includes("object-format=sha256"))
      throw new Failure(
        "source_invalid",
        `${repositoryName(repository)} names its objects by SHA-256, and only SHA-1 is supported.`,
      );
    const final = new URL(found.response.url);
    if (!final.pathname.endsWith(discovery)) throw notARepository(repository, "it redirects to another kind of page");
    final.pathname = final.pathname.slice(0, -discovery.length);
    final.search = "";
    base = final;
    return found;
  }

  return {
    location: () => base,
    uploadPack: async (body, headers) => (await post(body, headers)).body,
    assertWhole() {
      for (const body of bodies)
        if ("error" in body) throw notARepository(repository, "its answer is broken", body.error);
    },
    async request({ method = "GET", headers = {}, body, url }) {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      let answer: { response: FetchResponse; bytes: Uint8Array };
      if (method === "GET") answer = await (discovered ??= discover(lower));
      else {
        const sent: Uint8Array[] = [];
        for await (const chunk of body ?? []) sent.push(chunk);
        answer = await read(await post(Buffer.concat(sent), lower));
      }
      const stream = yieldOnce(answer.bytes);
      bodies.push(stream);
      return {
        url,
        method,
        headers: { ...answer.response.headers },
        body: stream,
        statusCode: 200,
        statusMessage: "OK",
      };
    },
  };
}

async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
