import { Failure } from "../failures.ts";
import { deriveRepositoryId, foldId } from "../library.ts";
import { repositoryLinesUrl, wikiRepository, repositoryAddress } from "../addresses.ts";
import { ownFolder, type FileSelection, type GitHost } from "../source.ts";
import type { MovedSource, SourceKind } from "./kind.ts";

/** A Git repository over http or https. `url` holds no credentials. */
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

/** The data of a credential for Git. */
export interface GitCredential {
  /** A token, which is sent with the user name of the kind of host, or `user:password`. */
  readonly token: string;
}

export const gitKind: SourceKind<GitSourceSpec> = {
  kind: "git",
  sourceType: () => "public_repos",
  idPrefix: () => null,
  deriveId: ({ url }) => deriveRepositoryId(new URL(url)),
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  reputation: ({ host, url }) => ({ from: "host", repository: { host, url } }),
  hasPaths: true,
  order: "source",
  host: ({ url }) => new URL(url).host,
  credential: {
    field: "gitToken",
    audience: ({ url }) => ({ host: new URL(url).host }),
    ids({ url }) {
      const id = derivedId(new URL(url));
      return id === null ? null : [id];
    },
  },
  ref: ({ branch }) => branch,
  // A moved repository is the same one: its commits keep their hashes.
  hashed: (spec) => ({ ...spec, url: "" }),
  address: ({ host, url }, pageUrl, { lines }) => (lines ? repositoryLinesUrl(host, url, pageUrl, lines) : pageUrl),
  ownFolder: ({ selection }) => ownFolder(selection),
  repository: ({ url }) => repositoryAddress(url),
  elsewhere({ host, url }) {
    const wiki = wikiRepository(host, url);
    return wiki && `If its documentation is in its wiki, submit ${wiki}.`;
  },
  moved,
  duplicate: "duplicate_repo",
};

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
