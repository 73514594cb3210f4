import { mayReach, type Caller } from "./access.ts";
import { repositoryAddress } from "./addresses.ts";
import { may } from "./authorizing.ts";
import { audienceText, credentialNotFound, isCredentialFor, openCredential, type SealingPorts } from "./credentials.ts";
import { Failure } from "./failures.ts";
import { gitKind, type GitSourceSpec } from "./kinds/git.ts";
import type { GitHost } from "./source.ts";

/** The owner of repositories on a host: a user, an organization, a group, a workspace or a project. */
export interface RepositoryOwner {
  /** `azure` is Azure DevOps, whose repositories are of the host `git`. */
  readonly host: Exclude<GitHost, "git"> | "azure";
  /** Its address, without a slash at its end. */
  readonly url: string;
}

/** A repository as the API of its host describes it; null: the API does not say. */
export interface HostRepository {
  readonly address: string;
  /** On one line. */
  readonly description: string;
  readonly defaultBranch: string | null;
  /** Size on the host, with all of its history. */
  readonly bytes: number | null;
  /** SPDX identifier. */
  readonly licence: string | null;
  readonly archived: boolean | null;
  readonly fork: boolean | null;
  readonly private: boolean | null;
  /** Time of the last push or change, in milliseconds since 1970. */
  readonly pushedAt: number | null;
}

/** The repositories of an owner. */
export interface OwnerListing<Repository = HostRepository> {
  readonly repositories: readonly Repository[];
  /** False if the host has more than are read. */
  readonly isComplete: boolean;
}

/** A listed repository, with the ID that it would get, and that of the library that reads it; null: none that the caller sees. */
export interface ListedRepository extends HostRepository {
  readonly libraryName: string;
  readonly library: string | null;
}

/** The ports that listing repositories needs. */
export interface ListingPorts extends SealingPorts {
  /** Asks the API of a host, with the data of a credential of the kind `git`. @throws Failure */
  readonly repositoriesOf: (
    owner: RepositoryOwner,
    credential: object | null,
    signal: AbortSignal,
  ) => Promise<OwnerListing>;
}

/** Time for all requests to a host, in milliseconds. */
const timeout = 30_000;

/**
 * The repositories of an owner that the patterns of the caller's key allow to add; `credential` is the ID of a shared one.
 * @throws Failure credential_not_found, validation_error for a credential of another host, and what `repositoriesOf` throws
 */
export async function listRepositories(
  ports: ListingPorts,
  caller: Caller,
  owner: RepositoryOwner,
  credential: string | undefined,
): Promise<OwnerListing<ListedRepository>> {
  const data = credential === undefined ? null : await dataOf(ports, caller, specOf(owner, owner.url), credential);
  const signal = AbortSignal.timeout(timeout);
  const listing = await ports.repositoriesOf(owner, data, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new Failure(
      "source_unreachable",
      `${new URL(owner.url).host} did not answer within ${timeout / 1000} s. Try again later.`,
    );
  });
  const listed = listing.repositories.map(async (repository) => {
    const [id] = gitKind.credential?.ids(specOf(owner, repository.address)) ?? [];
    if (id === undefined || !mayReach(caller, id)) return [];
    const libraries = await ports.catalog.libraries.at(repositoryAddress(repository.address) ?? "");
    const library = libraries.find((one) => may(caller, "library.read", one));
    return [{ ...repository, libraryName: id, library: library?.id ?? null }];
  });
  return { repositories: (await Promise.all(listed)).flat(), isComplete: listing.isComplete };
}

async function dataOf(ports: ListingPorts, caller: Caller, source: GitSourceSpec, id: string): Promise<object> {
  const credential = await ports.catalog.credentials.get(id);
  if (!credential || credential.name === "" || !may(caller, "credential.use", { teamspace: credential.teamspace }))
    throw credentialNotFound();
  await ports.checkToken(new URL(source.url));
  if (isCredentialFor(credential, source)) return openCredential(ports.secrets, credential);
  const message = `The credential "${credential.name}" is for ${credential.kind ?? "git"} on ${audienceText(credential)}. Use one for ${new URL(source.url).host}.`;
  throw new Failure("validation_error", message);
}

function specOf({ host }: RepositoryOwner, url: string): GitSourceSpec {
  const selection = { folders: [], excludeFolders: null, excludeFiles: null };
  return {
    kind: "git",
    host: host === "azure" ? "git" : host,
    url,
    branch: null,
    selection,
    skipVersionFiltering: false,
  };
}
