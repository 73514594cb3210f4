import { Failure } from "../failures.ts";
import { deriveRepositoryId, foldId } from "../library.ts";
import { repositoryLinesUrl, wikiRepository, repositoryAddress, sshAddress, webAddress } from "../addresses.ts";
import { ownFolder, type FileSelection, type GitHost } from "../source.ts";
import type { MovedSource, SourceKind } from "./kind.ts";

/** A Git repository over http, https or SSH. `url` holds no credentials; that of SSH has a user name (`sshAddress`). */
export interface GitSourceSpec {
  readonly kind: "git";
  readonly host: GitHost;
  readonly url: string;
  /** Branch or tag that the default version follows; null: the repository's default branch. */
  readonly branch: string | null;
  readonly selection: FileSelection;
  /** Do not leave out folders of older versions. */
  readonly skipVersionFiltering: boolean;
}

/** A token, which is sent with the user name of the kind of host, or `user:password`. */
export interface GitToken {
  readonly token: string;
}

/** A GitHub App, which makes its tokens itself. */
export interface GitHubApp {
  /** Its ID or client ID. */
  readonly appId: string;
  /** An RSA key in PEM. */
  readonly privateKey: string;
  /** Absent: that of the repository's owner. */
  readonly installationId?: string | undefined;
}

/** A key for SSH. */
export interface SshKey {
  /** In the format of OpenSSH or PEM, without a passphrase. */
  readonly privateKey: string;
  /** The lines of a known_hosts file that say which keys the host has. */
  readonly knownHosts: string;
  /** The account on the host; absent: that of the address. */
  readonly user?: string | undefined;
}

/** The data of a credential for Git. */
export type GitCredential = GitToken | GitHubApp | SshKey;

export const gitKind: SourceKind<GitSourceSpec> = {
  kind: "git",
  sourceType: () => "public_repos",
  idPrefix: () => null,
  deriveId: ({ host, url }) => deriveRepositoryId(new URL(webAddress(host, url))),
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  reputation: ({ host, url }) => ({ from: "host", repository: { host, url: webAddress(host, url) } }),
  hasPaths: true,
  order: "source",
  host: ({ url }) => new URL(url).host,
  credential: {
    field: "gitToken",
    audience: ({ url }) => ({ host: credentialHost(url) }),
    ids({ host, url }) {
      const id = derivedId(new URL(webAddress(host, url)));
      return id === null ? null : [id];
    },
    needed({ host, url }) {
      if (sshAddress(url) === undefined) return undefined;
      const advice = `docs/guides/add-a-repository.md says how to make the key. A public repository is read without one at ${webAddress(host, url)}.`;
      return { host: credentialHost(url), data: { privateKey: "…", knownHosts: "…" }, advice };
    },
    secrets: (data) =>
      Object.entries(data).flatMap(([name, text]) => (/^(?:token|privateKey)$/.test(name) ? [text] : [])),
  },
  ref: ({ branch }) => branch,
  // A moved repository is the same one: its commits keep their hashes.
  hashed: (spec) => ({ ...spec, url: "" }),
  address: ({ host, url }, pageUrl, { lines }) =>
    lines ? repositoryLinesUrl(host, webAddress(host, url), pageUrl, lines) : pageUrl,
  ownFolder: ({ selection }) => ownFolder(selection),
  repository: ({ host, url }) => repositoryAddress(webAddress(host, url)),
  elsewhere({ host, url: address }) {
    const url = webAddress(host, address);
    const wiki = wikiRepository(host, url);
    return wiki && `If its documentation is in its wiki, submit ${wiki}.`;
  },
  moved,
  duplicate: "duplicate_repo",
};

/** The host that a credential is for. A key for SSH is for another one than a token for http. */
function credentialHost(url: string): string {
  const { protocol, host } = new URL(url);
  return protocol === "ssh:" ? `ssh://${host}` : host;
}

/** Only the host itself can rename a repository: another host is a mirror, and never gets the credentials. */
function moved(ids: readonly string[], spec: GitSourceSpec, location: string): MovedSource | null {
  if (!URL.canParse(location)) return null;
  const [known, found] = [new URL(spec.url), new URL(location)];
  const bare = ({ pathname }: URL): string => withoutGit(pathname.replace(/(?<!\/)\/+$/, ""));
  const secured = known.protocol === "http:" && found.protocol === "https:";
  if (found.host !== known.host || (found.protocol !== known.protocol && !secured)) return null;
  if (bare(found) === bare(known) && !secured) return null;
  found.pathname = `${bare(found)}${/\.git$/i.exec(known.pathname)?.[0] ?? ""}`;
  found.search = found.hash = found.username = found.password = "";
  const derived = ids.map(foldId).includes(foldId(derivedId(known) ?? ""));
  return { from: spec.url, to: found.href, id: derived ? derivedId(found) : null };
}

/** The ID that derives from an address; null: none. */
function derivedId(url: URL): string | null {
  try {
    return deriveRepositoryId(url);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function withoutGit(url: string): string {
  return url.replace(/\.git$/i, "");
}
