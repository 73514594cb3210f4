import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { sshAddress, webAddress, wikiOwner } from "../../domain/addresses.ts";
import type { RepositoryOwner } from "../../domain/owner-repositories.ts";
import type { FileSelection, GitHost } from "../../domain/source.ts";
import type { ApiSettings } from "../options.ts";
import { list, text, truth } from "../parameters.ts";

/** The routes of repositories; `git` takes any host. */
export type RepositoryRoute = Exclude<GitHost, "gitea">;

/** The hosted service of each kind. Those of Gitea come from settings. */
const publicHosts: Readonly<Record<keyof ApiSettings["gitHosts"], readonly string[]>> = {
  github: ["github.com"],
  gitlab: ["gitlab.com"],
  bitbucket: ["bitbucket.org"],
  gitea: [],
};

/** A list of names of 1 to 255 characters. */
function names(most: number): z.ZodType<string[]> {
  const name = text(1, 255).refine((value) => !/\p{Cc}/u.test(value), { error: "must have no control characters" });
  return list(name, most);
}

// The limits of these fields are those of the published service's dashboard.

/** Fields for selecting files. */
export const selectionFields = {
  folders: names(50).optional().describe("Folders to read; empty: the whole tree."),
  excludeFolders: names(50).optional().describe("Folders to leave out, instead of the defaults."),
  excludeFiles: names(100).optional().describe("File names to leave out, instead of the defaults."),
  openapi: truth().optional().describe("Also read the API descriptions (OpenAPI, Swagger) in these folders."),
  generateDocs: truth()
    .optional()
    .describe("Read source files as documentation: always or never. Default: with fewer than five documents."),
};

/** The title of a library. */
export const libraryTitle = text(1, 100);

/** The description of a library. */
export const libraryDescription = text(0, 500);

/** The rules of a library, a line each. */
export const libraryRules: z.ZodType<string[]> = list(
  text(1, 255).refine(isLine, { error: "must be one line" }).describe("One line."),
  50,
);

/** A branch or tag in a body: a valid Git ref name (git-check-ref-format) of 250 characters at most. */
export const refName = text(1, 250).refine(isRefName, { error: "must be a valid name of a branch or tag" });

/** A token in a body: visible ASCII, as it is sent in a header. */
export const tokenText = z
  .string({ error: "must be text" })
  .regex(/^[\x21-\x7e]{1,1000}$/, { error: "must be a token of 1 to 1000 visible ASCII characters" })
  .meta({ minLength: 1, maxLength: 1000 });

/** The file selection of a body. */
export function toSelection(fields: z.infer<z.ZodObject<typeof selectionFields>>): FileSelection {
  return {
    folders: fields.folders ?? [],
    excludeFolders: fields.excludeFolders ?? null,
    excludeFiles: fields.excludeFiles ?? null,
    ...(fields.openapi === true && { openapi: true }),
    ...(fields.generateDocs !== undefined && { generateDocs: fields.generateDocs }),
  };
}

/** A file selection after a change. Undefined and null members are reset to their defaults; absent ones do not change. */
export function changeSelection(before: FileSelection, given: Parameters<typeof toSelection>[0]): FileSelection {
  const { folders, excludeFolders, excludeFiles, openapi, generateDocs } = given;
  return {
    ...before,
    ...("folders" in given && { folders: folders ?? [] }),
    ...("excludeFolders" in given && { excludeFolders: excludeFolders ?? null }),
    ...("excludeFiles" in given && { excludeFiles: excludeFiles ?? null }),
    ...("openapi" in given && { openapi: openapi === true ? true : null }),
    ...("generateDocs" in given && { generateDocs: generateDocs ?? null }),
  };
}

/**
 * Parses the address of a repository on a host of the route, and normalises it: no query, fragment or trailing slash. The
 * address of a wiki, or of one of its pages, becomes that of the wiki's repository. Whether the server may fetch it is not
 * checked. @throws Failure validation_error, which names the field
 */
export function parseRepositoryUrl(
  raw: string,
  route: RepositoryRoute,
  hosts: ApiSettings["gitHosts"],
  field = "docsRepoUrl",
): { readonly url: URL; readonly host: GitHost } {
  const ssh = sshAddress(raw);
  const url = ssh ?? httpAddress(withoutAccount(raw), field, "; send a token as gitToken");
  // The port of SSH is none of those in settings.
  const place = ssh ? new URL(webAddress("git", ssh.href)).hostname : url.host;
  const isOn = (kind: keyof ApiSettings["gitHosts"]): boolean =>
    hostsOf(kind, hosts).some((one) => (ssh ? one.replace(/:\d+$/, "") : one) === place);
  const host = route === "git" ? (hostKinds.find(isOn) ?? "git") : route;
  if (route !== "git" && !isOn(route)) {
    const fitting = hostsOf(route, hosts).join(" or ");
    throw invalid(
      field,
      `must be on ${fitting} for this route; send other hosts' repositories to /api/v2/add/repo/git`,
    );
  }
  url.search = "";
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = ssh ? path : toWiki(path, host);
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const isWiki = wikiOwner(host, webAddress(host, url.href)) !== undefined;
  const ownerAndName = host === "github" || publicHosts.bitbucket.includes(place);
  const expected = isWiki && host === "bitbucket" ? 3 : 2;
  if ((ownerAndName && segments.length !== expected) || segments.includes("-")) {
    throw invalid(field, "must be the repository itself, such as https://github.com/owner/name, not a page of it");
  }
  return { url, host };
}

/** The owner of repositories at an address of a host whose API is known. @throws Failure validation_error */
export function parseOwner(raw: string, hosts: ApiSettings["gitHosts"]): RepositoryOwner {
  const url = httpAddress(raw, "owner", "; give a credential");
  const isAzure = url.host === "dev.azure.com";
  const host = isAzure ? "azure" : hostKinds.find((kind) => hostsOf(kind, hosts).includes(url.host));
  if (host === undefined) {
    const advice =
      "on GitHub, GitLab, Bitbucket or Azure DevOps, or on a host in GITHUB_HOSTS, GITLAB_HOSTS, BITBUCKET_HOSTS or GITEA_HOSTS";
    throw invalid("owner", `must be ${advice}: repositories are listed by the API of their host`);
  }
  url.search = "";
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/^\/(?:orgs|groups)\/(?=[^/])/, "/");
  const count = url.pathname.split("/").filter((part) => part !== "").length;
  const most = { github: 1, gitea: 1, gitlab: 20, bitbucket: 2, azure: 2 }[host];
  if (count === 0 || count > most)
    throw invalid(
      "owner",
      "must be the address of a user, organization, group, workspace or project, such as https://github.com/acme",
    );
  return { host, url: url.href };
}

const hostKinds = ["github", "gitlab", "bitbucket", "gitea"] as const;

function hostsOf(kind: keyof ApiSettings["gitHosts"], hosts: ApiSettings["gitHosts"]): readonly string[] {
  return [...publicHosts[kind], ...hosts[kind]];
}

/** An address as Azure DevOps and Bitbucket offer it for cloning, without the name of the account in it. */
function withoutAccount(raw: string): string {
  return raw.replace(/^(https:\/\/)[\w.-]{1,100}@(?=(?:dev\.azure\.com|bitbucket\.org)\/)/i, "$1");
}

/** The path of a wiki's repository, for the path of the wiki or one of its pages; else the path itself. */
function toWiki(path: string, host: GitHost): string {
  if (host === "git") return path;
  const page = host === "gitlab" ? /^(\/[^/]+\/.+?)\/-\/wikis(?:\/.*)?$/ : /^(\/[^/]+\/[^/]+)\/wiki(?:\/.*)?$/;
  const [, owner] = page.exec(path) ?? [];
  if (owner === undefined) return path;
  const name = owner.replace(/\.git$/, "");
  return host === "bitbucket" ? `${name}.git/wiki` : `${name}.wiki.git`;
}

function isLine(value: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) && value.trim() !== "";
}

function isRefName(name: string): boolean {
  return (
    // oxlint-disable-next-line no-control-regex -- Git refuses control characters
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) &&
    name !== "@" &&
    name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

function invalid(field: string, problem: string): Failure {
  return new Failure("validation_error", `${field} ${problem}.`);
}

/** A field with an address, which `httpAddress` checks. */
export const addressText = text(1, 1000).meta({ format: "uri" });

/** Parses the address in a field of a body, and removes its fragment. @throws Failure validation_error */
export function httpAddress(raw: string, field: string, credentialAdvice = ""): URL {
  const url = /^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(raw) ? URL.parse(raw) : null;
  if (url === null) throw invalid(field, "must be an absolute URL that begins with https:// or http://");
  if (url.username !== "" || url.password !== "")
    throw invalid(field, `must not contain credentials${credentialAdvice}`);
  url.hash = "";
  return url;
}

/** The http or https address that a person typed; null for anything else. */
export function typedUrl(text: string): URL | null {
  return /^https?:\/\//i.test(text) ? URL.parse(text) : null;
}
