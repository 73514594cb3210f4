import { Failure } from "../../domain/failures.ts";
import type { GitSourceSpec } from "../../domain/kinds/git.ts";
import type { HostFacts } from "../../domain/trust.ts";
import type { FetchClient } from "../lib/fetch/client.ts";
import { jsonOf } from "../lib/fetch/json.ts";
import type { Json } from "../lib/fetch/json.ts";
import { withDeadline } from "./deadline.ts";
import { hostApis, readFacts } from "./hosts.ts";
import type { HostApi } from "./hosts.ts";

/** Cap on an answer of a host's API, in bytes. */
const maxAnswer = 1_000_000;

/** Time for all requests to a host, in milliseconds. */
const deadline = 10_000;

/** What `askHost` needs. */
export interface ReputationPorts {
  readonly client: Pick<FetchClient, "request">;
  /** Token for the API of a host, if there is one: with it hosts permit more requests. It is sent to that API alone. */
  readonly tokenOf: (api: string) => string | undefined;
}

/**
 * The facts that the host of a repository has; undefined where its kind of host has no API.
 * @throws Failure where the host does not answer, or does not show the repository
 */
export async function askHost(
  { client, tokenOf }: ReputationPorts,
  { host, url }: Pick<GitSourceSpec, "host" | "url">,
): Promise<HostFacts | undefined> {
  const api = hostApis[host];
  if (!api) return undefined;
  const repository = new URL(url);
  return withDeadline(repository.host, deadline, async (signal) => {
    const get = (address: URL): Promise<Json> => getJson(client, api, address, tokenOf(address.host), signal);
    const answer = await get(api.repository(repository));
    return readFacts(api, answer, api.owner ? await get(api.owner(repository)) : {});
  });
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
  const answer = jsonOf(await response.text());
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Failure("source_invalid", `${address.host} answered something that is not a JSON object.`);
  return answer as Json;
}
