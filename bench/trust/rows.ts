import { Failure } from "../../domain/failures.ts";
import { judgePackage } from "../../domain/package-trust.ts";
import type { PackageFacts } from "../../domain/package-trust.ts";
import { day } from "../../domain/days.ts";
import { judgeRepository, nothingKnown, unknown } from "../../domain/trust.ts";
import type { HostFacts, Reputation } from "../../domain/trust.ts";
import { askHost } from "../../sources/reputation/index.ts";
import { unsaidOfPackage } from "../../sources/reputation/package-facts.ts";
import { madeHost } from "./hosts.ts";
import type { Package } from "./packages.ts";
import type { Repository } from "./repositories.ts";

/** The service of each kind of host. */
const services = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  gitea: "codeberg.org",
} as const;

/** What the reader of the host's API makes of the answer, and the address of the repository. */
async function factsOf(
  repository: Pick<Repository, "host" | "name" | "figures" | "isSilent">,
  now: number,
): Promise<{ readonly address: string; readonly said: HostFacts | undefined }> {
  const address = `https://${services[repository.host]}/${repository.name}`;
  const client = madeHost({ what: "", ...repository }, now);
  const said = await askHost({ client, tokenOf: () => undefined }, { host: repository.host, url: address });
  return { address, said };
}

/** The score of a repository, by the same formula as that of libraries; null: absent. */
export async function scoreRepository(
  one: Repository,
  now: number,
): Promise<{ readonly score: number | null; readonly reputation: Reputation }> {
  if (one.isPrivate === true) return { score: one.set ?? null, reputation: nothingKnown(now) };
  try {
    const { said } = await factsOf(one, now);
    const reputation = said ? judgeRepository(said, one.original ?? null, now) : nothingKnown(now);
    return { score: reputation.score, reputation };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { score: null, reputation: unknown(undefined, error.message, now) };
  }
}

/** The score of a package, of what its registry says and what is made of its repository. */
export async function scorePackage(
  { repository, original }: Pick<Package, "repository" | "original">,
  facts: PackageFacts,
  now: number,
): Promise<Reputation> {
  const found = repository && (await factsOf(repository, now));
  return judgePackage(facts, found ? { url: found.address, facts: found.said ?? null } : null, original ?? null, now);
}

/** The facts of a package that is made. */
export function madeFacts({ days, changed, ...facts }: NonNullable<Package["made"]>, now: number): PackageFacts {
  return { ...unsaidOfPackage, since: now - days * day, activeAt: now - changed * day, ...facts };
}

/** A row of the table: caps before the factors, each with its share of ten points. */
export function rowOf(
  name: string,
  what: string,
  score: number | null,
  { factors, caps, problem }: Reputation,
  origin: string,
): string {
  const known = factors.reduce((sum, { weight }) => sum + weight, 0);
  const points = factors.map(
    ({ weight, value, reason }) => `${reason.replace(/\.$/, "")} (${((10 * weight * value) / known).toFixed(1)})`,
  );
  const reasons = [
    ...caps,
    ...points.map((one) => `${one}.`),
    ...(problem === null ? [] : [problem.replace(/: .*/s, ".")]),
  ];
  return `| ${name} (${origin}) | ${what} | ${score ?? "absent"} | ${reasons.join(" ")} |`;
}
