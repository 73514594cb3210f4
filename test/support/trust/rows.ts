import { Failure } from "../../../domain/failures.ts";
import { judgePackage, type PackageFacts } from "../../../domain/package-trust.ts";
import { day } from "../../../domain/days.ts";
import { judgeRepository, nothingKnown, withProblem, type HostFacts, type Reputation } from "../../../domain/trust.ts";
import { askHost } from "../../../sources/reputation/index.ts";
import { unknownPackageFacts } from "../../../sources/reputation/package-facts.ts";
import { inventedHost } from "./hosts.ts";
import type { Package } from "./packages.ts";
import type { Repository } from "./repositories.ts";

/** The public service of each kind of host. */
const services = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  gitea: "codeberg.org",
} as const;

/** The facts that the host of a repository answers, and the repository's address. */
async function factsOf(
  repository: Pick<Repository, "host" | "name" | "figures" | "isSilent">,
  now: number,
): Promise<{ readonly address: string; readonly facts: HostFacts | undefined }> {
  const address = `https://${services[repository.host]}/${repository.name}`;
  const client = inventedHost({ what: "", ...repository }, now);
  const facts = await askHost({ client, tokenOf: () => undefined }, { host: repository.host, url: address });
  return { address, facts };
}

/** The score of a repository, as libraries get it; null: none. */
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

/** The score of a package, by the facts of its registry and those of its repository. */
export async function scorePackage(
  { repository, original }: Pick<Package, "repository" | "original">,
  facts: PackageFacts,
  now: number,
): Promise<Reputation> {
  const found = repository && (await factsOf(repository, now));
  return judgePackage(facts, found ? { url: found.address, facts: found.facts ?? null } : null, original ?? null, now);
}

/** The facts of an invented package. */
export function madeFacts({ days, changed, ...facts }: NonNullable<Package["made"]>, now: number): PackageFacts {
  return { ...unknownPackageFacts, since: now - days * day, activeAt: now - changed * day, ...facts };
}
