import type { GitHost } from "./source.ts";

/** The folder of a path on a site: the path itself if its name has no extension, else its parent. */
export function siteFolder(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" || /\.[a-z0-9]+$/i.test(name) ? path.slice(0, path.lastIndexOf("/") + 1) : `${path}/`;
}

const sourceCode = /\.(?:[cm]?[jt]sx?|pyi?|rs|go|java|cs|rb|php|c|cc|cpp|cxx|h|hh|hpp|hxx)$/i;

/** Whether a path of a tree is that of a source file, by its ending. */
export function isSourceCode(path: string): boolean {
  return sourceCode.test(path);
}

/** Whether an address is that of a source file of a commit or of a folder; pages of websites may have its ending too. */
export function isSourceAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !isSourceCode(url.pathname)) return false;
  return url.protocol === "file:" || /[/=][\da-f]{40}(?:\/|$)/.test(url.pathname + url.search);
}

/** The address of a file at a commit on its Git host (unknown: `<repository>/blob/<commit>/<path>`), or of a wiki page. */
export function repositoryPageUrl(host: GitHost, repositoryUrl: string, commit: string, path: string): string {
  const owner = wikiOwner(host, repositoryUrl);
  if (owner !== undefined) return wikiPageUrl(host, owner, path);
  const encoded = encodePath(path);
  const browse = host === "bitbucket" ? dataCenterBrowse(repositoryUrl) : undefined;
  if (browse !== undefined) return `${browse}/${encoded}?at=${commit}`;
  if (isAzure(repositoryUrl)) return `${repositoryUrl}?path=/${encoded}&version=GC${commit}`;
  const segment = { github: "blob", gitlab: "-/blob", bitbucket: "src", gitea: "src/commit", git: "blob" }[host];
  return `${withoutGit(repositoryUrl)}/${segment}/${commit}/${encoded}`;
}

/** The address of lines of a file, from 1, inclusive, with the line anchor of its host. Wiki pages have no such anchors. */
export function repositoryLinesUrl(
  host: GitHost,
  url: string,
  pageUrl: string,
  [first, last]: readonly [number, number],
): string {
  if (wikiOwner(host, url) !== undefined) return pageUrl;
  if (host === "bitbucket" && dataCenterBrowse(url) !== undefined) return `${pageUrl}#${first}-${last}`;
  if (isAzure(url)) return `${pageUrl}&line=${first}&lineEnd=${last + 1}&lineStartColumn=1&lineEndColumn=1`;
  const anchor = {
    github: `L${first}-L${last}`,
    gitlab: `L${first}-${last}`,
    bitbucket: `lines-${first}:${last}`,
    gitea: `L${first}-L${last}`,
    git: `L${first}-L${last}`,
  }[host];
  return `${pageUrl}#${anchor}`;
}

/**
 * The address of the repository that a wiki belongs to; undefined for other repositories and unknown hosts.
 * Hosts keep a wiki in a Git repository of its own: `<repository>.wiki.git`, on Bitbucket `<repository>.git/wiki`.
 */
export function wikiOwner(host: GitHost, repositoryUrl: string): string | undefined {
  if (host === "git") return undefined;
  const [, owner] = (host === "bitbucket" ? /^(.+)\.git\/wiki$/ : /^(.+)\.wiki$/).exec(withoutGit(repositoryUrl)) ?? [];
  return owner;
}

/** The Git repository of a repository's wiki; undefined for a wiki, and for hosts without wikis. */
export function wikiRepository(host: GitHost, repositoryUrl: string): string | undefined {
  if (host === "git" || wikiOwner(host, repositoryUrl) !== undefined) return undefined;
  if (host !== "bitbucket") return `${withoutGit(repositoryUrl)}.wiki.git`;
  return dataCenterBrowse(repositoryUrl) === undefined ? `${withoutGit(repositoryUrl)}.git/wiki` : undefined;
}

/** GitHub addresses the pages of a wiki by name alone, without folders. */
function wikiPageUrl(host: GitHost, owner: string, path: string): string {
  const name = path.replace(/\.[^./]*$/, "");
  if (host === "gitlab") return `${owner}/-/wikis/${encodePath(name)}`;
  return `${owner}/wiki/${encodePath(host === "github" ? name.slice(name.lastIndexOf("/") + 1) : name)}`;
}

/** The file browser of a repository on Bitbucket Data Center, which is cloned from `/scm/<project>/<name>`. */
function dataCenterBrowse(repositoryUrl: string): string | undefined {
  const [, server, user, project, name] = /^(.+)\/scm\/(~?)([^/]+)\/([^/]+)$/.exec(withoutGit(repositoryUrl)) ?? [];
  return name && `${server}/${user === "" ? "projects" : "users"}/${project}/repos/${name}/browse`;
}

/** Whether a repository is on Azure DevOps, by its path. */
function isAzure(repositoryUrl: string): boolean {
  return /\/_git\/[^/]+$/.test(repositoryUrl);
}

function withoutGit(repositoryUrl: string): string {
  return repositoryUrl.replace(/(?<!\/)\/+$/, "").replace(/\.git$/, "");
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** A folder of a repository at a branch or tag, as a page of its Git host has them in its address. */
interface RepositoryPlace {
  /** Path of the repository on its host. */
  readonly path: string;
  /** The first segment of the branch's name if it may have several; null: the page is of a commit. */
  readonly branch: string | null;
  /** "" for the root. */
  readonly folder: string;
}

/** Addresses of folders and files: repository, whether it is a file, then ref and path. */
const pagePatterns: readonly RegExp[] = [
  // GitLab
  /^(?<path>\/[^/]+\/.+?)\/-\/(?:tree|(?<file>blob|raw|blame|edit))\/(?<rest>.+)$/,
  // Gitea, Forgejo; as they do not say whether it is a file, its ending does.
  /^(?<path>\/[^/]+\/[^/]+)\/(?:src|raw)\/(?:branch|tag|commit)\/(?<rest>.+)$/,
  // Bitbucket
  /^(?<path>\/[^/]+\/[^/]+)\/(?:src|raw)\/(?<rest>.+)$/,
  // GitHub
  /^(?<path>\/[^/]+\/[^/]+)\/(?:tree|(?<file>blob|raw|blame|edit))\/(?<rest>.+)$/,
];

/** The place in a repository of an address that was copied from a browser; undefined for that of the repository itself. */
export function repositoryPlace(url: URL): RepositoryPlace | undefined {
  const pathname = url.pathname.replace(/(?<!\/)\/+$/, "");
  const { searchParams } = url;
  // Azure DevOps
  if (/\/_git\/[^/]+$/.test(pathname) && (searchParams.has("path") || searchParams.has("version"))) {
    const [, kind = "", branch = ""] = /^G([BTC])(.+)$/.exec(searchParams.get("version") ?? "") ?? [];
    return {
      path: pathname,
      branch: kind === "C" ? null : branch || null,
      folder: folderOf(searchParams.get("path") ?? ""),
    };
  }
  // Bitbucket Data Center
  const [, kind, project = "", name = "", file = ""] =
    /^\/(projects|users)\/([^/]+)\/repos\/([^/]+)(?:\/browse(?:\/(.+))?)?$/.exec(pathname) ?? [];
  if (kind !== undefined) {
    const branch = (searchParams.get("at") ?? "").replace(/^refs\/(?:heads|tags)\//, "");
    const path = `/scm/${kind === "users" ? "~" : ""}${project}/${name}`;
    return { path, branch: toBranch(branch), folder: folderOf(decode(file)) };
  }
  for (const pattern of pagePatterns) {
    const { path, rest = "", file: isFile } = pattern.exec(pathname)?.groups ?? {};
    if (path === undefined) continue;
    const [ref = "", ...folders] = decode(rest).split("/");
    const folder = (isFile === undefined ? folders : folders.slice(0, -1)).join("/");
    return { path, branch: toBranch(ref), folder: folderOf(folder) };
  }
  return undefined;
}

/** A commit is no branch: it is not followed. */
function toBranch(ref: string): string | null {
  return ref === "" || /^[\da-f]{40}$/.test(ref) ? null : ref;
}

/** The folder of a path; of a document the one that it is in. */
function folderOf(path: string): string {
  const bare = path.replace(/^\/+/, "").replace(/(?<!\/)\/+$/, "");
  return /\.(?:mdx?|rst|adoc|txt|html?|ipynb)$/i.test(bare) ? bare.slice(0, Math.max(0, bare.lastIndexOf("/"))) : bare;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const scpForm = /^(\w[\w.-]{0,63})@(\w[\w.-]{0,252}):(?!\d{1,5}\/)\/?([^\s:@\\]{1,500})$/;
const sshForm =
  /^(?:git\+)?ssh:\/\/(?:(\w[\w.-]{0,63})@)?(\w[\w.-]{0,252}|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?\/([^\s@\\]{1,500})$/i;

/**
 * The SSH address of a repository, `ssh://user@host:port/path` or `user@host:path`, as a URL with the host in lower case, `git` if
 * there is no user, and no port 22; undefined for other text.
 */
export function sshAddress(text: string): URL | undefined {
  const [, user, host, port, path] = sshForm.exec(text) ?? [];
  const [, scpUser, scpHost, scpPath] = scpForm.exec(text) ?? [];
  const name = (host ?? scpHost)?.toLowerCase();
  if (name === undefined) return undefined;
  const place = port === undefined || Number(port) === 22 ? name : `${name}:${port}`;
  return URL.parse(`ssh://${user ?? scpUser ?? "git"}@${place}/${path ?? scpPath}`) ?? undefined;
}

/** The names of services for SSH whose pages are on another host. */
const webHosts: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/** The https address of a repository that is read by SSH; other addresses are unchanged. */
export function webAddress(host: GitHost, address: string): string {
  const ssh = sshAddress(address);
  if (ssh === undefined) return address;
  const { hostname, pathname } = ssh;
  const [, organisation, project, name] =
    hostname === "ssh.dev.azure.com" ? (/^\/v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? []) : [];
  if (name !== undefined) return `https://dev.azure.com/${organisation}/${project}/_git/${name}`;
  const site = webHosts[hostname] ?? hostname;
  return `https://${site}${host === "bitbucket" && site !== "bitbucket.org" ? "/scm" : ""}${pathname}`;
}

/** The repository that a package names. It is an unverified claim. */
export interface NamedRepository {
  /** Absolute http or https URL without credentials. */
  readonly url: string;
  /** A manifest of the repository names the package, at the tag of its version. */
  readonly isConfirmed: boolean;
}

/** The canonical form of a repository address, by http or SSH: folded host and path; undefined for other text. */
export function repositoryAddress(text: string): string | undefined {
  const url = URL.parse(webAddress("git", text));
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .join("/")
    .normalize("NFC")
    .toLowerCase()
    .replace(/\.git$/, "");
  return path === "" ? undefined : `${url.host.replace(/^www\./, "")}/${path}`;
}
