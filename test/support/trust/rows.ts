import { Failure } from "../../../domain/failures.ts";
import { judgePackage, type PackageFacts } from "../../../domain/package-trust.ts";
import { day } from "../../../domain/days.ts";
import { judgeRepository, nothingKnown, withProblem, type HostFacts, type Reputation } from "../../../domain/trust.ts";
import { askHost } from "../../../sources/reputation/index.ts";
import { unknownPackageFacts } from "../../../sources/reputation/package-facts.ts";
import { inventedHost } from "./hosts.ts";
import type { Package } from "./packages.ts";
import type { Repository } from "./repositories.ts";

/** Public service of each kind of host. */
const services = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  gitea: "codeberg.org",
} as const;

/** The repository's address, and the facts from its host. */
async function factsOf(
  repository: Pick<Repository, "host" | "name" | "figures" | "isSilent">,
  now: number,
): Promise<{ readonly address: string; readonly facts: HostFacts | undefined }> {
  const address = `https://${services[repository.host]}/${repository.name}`;
  const client = inventedHost({ what: "", ...repository }, now);
  const facts = await askHost({ client, tokenOf: () => undefined }, { host: repository.host, url: address });
  return { address, facts };
}

/** The score that a library of this repository gets; null for none. */
export async function scoreRepository(
  one: Repository,
  now: number,
): Promise<{ readonly score: number | null; readonly reputation: Reputation }> {
  if (one.isPrivate === true) return { score: one.set ?? null, reputation: nothingKnown(now) };
  try {
    const { facts } = await factsOf(one, now);
    const reputation = facts ? judgeRepository(facts, one.original ?? null, now) : nothingKnown(now);
    return { score: reputation.score, reputation };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { score: null, reputation: withProblem(undefined, error.message, now) };
  }
}

/** The reputation of a package, from the facts of its registry and repository. */
export async function scorePackage(
  { repository, original }: Pick<Package, "repository" | "original">,
  facts: PackageFacts,
  now: number,
): Promise<Reputation> {
  const host = repository && (await factsOf(repository, now));
  return judgePackage(facts, host ? { url: host.address, facts: host.facts ?? null } : null, original ?? null, now);
}

/** The facts of an invented package. */
export function madeFacts({ days, changed, ...facts }: NonNullable<Package["made"]>, now: number): PackageFacts {
  return { ...unknownPackageFacts, since: now - days * day, activeAt: now - changed * day, ...facts };
}
