import type { HttpClient, ServerRef } from "isomorphic-git";
import { Failure } from "../../../domain/failures.ts";
import { notARepository } from "./failures.ts";
import { createGitHttp, type GitHttp, type GitHttpOptions } from "./http.ts";

/** What a repository has under some prefixes, and where it answered, after redirects. */
export interface ListedRefs {
  readonly refs: readonly ServerRef[];
  readonly location: URL;
}

/** 32 MB of refs are about half a million. */
const maxBytes = 32_000_000;

/**
 * The refs of a repository whose names begin with one of the prefixes. isomorphic-git speaks the protocol, over the
 * guarded client; it takes one prefix a request, and discovers what the server speaks once.
 * @throws Failure
 */
export async function listRefs(
  options: Omit<GitHttpOptions, "maxBytes">,
  prefixes: readonly string[],
): Promise<ListedRefs> {
  // Loaded by the first run that needs it: a server that only answers does without.
  const { listServerRefs } = await import("isomorphic-git");
  const git = createGitHttp({ ...options, maxBytes });
  const http = toHttpClient(git);
  const refs: ServerRef[] = [];
  try {
    const advertised = await git.discover();
    // What isomorphic-git 1.44 takes for protocol 2: git before 2.41 says nothing at all of an empty repository.
    if (advertised.equals(emptyAdvertisement)) return { refs, location: git.location() };
    for (const prefix of prefixes) {
      const url = options.repository.href;
      refs.push(...(await listServerRefs({ http, url, prefix, symrefs: true, peelTags: true, protocolVersion: 2 })));
    }
  } catch (error) {
    if (error instanceof Failure || options.signal.aborted) throw error;
    throw notARepository(options.repository, "it does not speak Git's protocol", error);
  }
  return { refs, location: git.location() };
}

/** An answer is handed on whole: isomorphic-git takes one that breaks off for the end of the list. */
function toHttpClient(git: GitHttp): HttpClient {
  return {
    async request({ url, method = "GET", headers = {}, body }) {
      const request = Buffer.concat(await Array.fromAsync(body ?? []));
      const protocol = { "git-protocol": headers["Git-Protocol"] };
      const answer =
        method === "GET"
          ? await git.discover()
          : Buffer.concat(await Array.fromAsync(await git.uploadPack(request, protocol)));
      if (answer.toString("latin1", answer.length - 4) !== flush) throw new Error("The answer has no end.");
      return { url, method, statusCode: 200, statusMessage: "OK", headers: {}, body: once(answer) };
    },
  };
}

const emptyAdvertisement = Buffer.from("001e# service=git-upload-pack\n00000000");

/** The packet that an answer ends with (gitprotocol-common). */
const flush = "0000";

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
