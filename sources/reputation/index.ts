import { Failure } from "../../domain/failures.ts";
import type { GitSourceSpec } from "../../domain/kinds/git.ts";
import type { HostFacts } from "../../domain/trust.ts";
import type { FetchClient } from "../fetch/client.ts";
import { hostApis } from "./hosts.ts";
import type { HostApi } from "./hosts.ts";
import type { Json } from "./json.ts";

/** Cap on an answer of a host's API, in bytes. */
const maxAnswer = 1_000_000;

/** Time for all that a host is asked, in milliseconds. */
const deadline = 10_000;

/** What a host is asked with. */
export interface ReputationPorts {
  readonly client: Pick<FetchClient, "request">;
  /** Token for the API of a host, if there is one: hosts allow more requests with one. It is sent to that API alone. */
  readonly tokenOf: (api: string) => string | undefined;
}

/**
 * What the host of a repository says of it; undefined where its kind of host has no API.
 * @throws Failure where the host does not answer, or says nothing of the repository
 */
export async function askHost(
  { client, tokenOf }: ReputationPorts,
  { host, url }: Pick<GitSourceSpec, "host" | "url">,
): Promise<HostFacts | undefined> {
  const api = hostApis[host];
  if (!api) return undefined;
  const signal = AbortSignal.timeout(deadline);
  const get = (address: URL): Promise<Json> => getJson(client, api, address, tokenOf(address.host), signal);
  const at = new URL(url);
  try {
    const repository = await get(api.repository(at));
    const owner = api.owner(at, repository);
    return api.facts(repository, owner === null ? {} : await get(owner));
  } catch (error) {
    if (!signal.aborted || error instanceof Failure) throw error;
    throw new Failure("timeout", `${at.host} did not answer within ${deadline / 1000} s.`, { cause: error });
  }
}

async function getJson(
  client: ReputationPorts["client"],
  api: HostApi,
  address: URL,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Json> {
  const headers = { accept: "application/json", ...(token !== undefined && api.authorization(token)) };
  const response = await client.request(address, { headers, signal, maxBytes: maxAnswer, maxRedirects: 2 });
  if (response.status !== 200) {
    response.discard();
    throw new Failure("source_refused", `${address.host} answered ${response.status}.`);
  }
  const text = await response.text();
  const answer: unknown = parse(text, address);
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Failure("source_invalid", `${address.host} answered what is no object.`);
  return answer as Json;
}

function parse(text: string, address: URL): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure("source_invalid", `${address.host} answered what is no JSON.`, { cause: error });
  }
}
