import * as z from "zod";
import type { GitCredential, GitSourceSpec } from "../../domain/kinds/index.ts";
import { repositoryPlace, sshAddress, webAddress } from "../../domain/addresses.ts";
import { Failure } from "../../domain/failures.ts";
import type { GitHost } from "../../domain/source.ts";
import type { Submission } from "../../domain/submitting.ts";
import { jsonBody } from "../body.ts";
import { truth } from "../parameters.ts";
import {
  changeSelection,
  parseRepositoryUrl,
  refName,
  selectionFields,
  toSelection,
  tokenText,
  addressText,
  type RepositoryRoute,
} from "./fields.ts";
import { gitCredential } from "./git-credential.ts";
import type { Call } from "../route.ts";
import {
  checked,
  commonFields,
  credentialId,
  form,
  oneCredential,
  optionsForm,
  placeIn,
  submissionOf,
  type KindForms,
  type SourceForm,
} from "./form.ts";

const options = {
  skipVersionFiltering: truth().default(false).describe("Keep folders that document older versions."),
  branch: refName.optional().describe("Branch or tag; default: the repository's default branch."),
  ...selectionFields,
};

const repositoryBody = z
  .object({
    docsRepoUrl: addressText.describe(
      "Absolute http or https address, without credentials, or one of SSH, `ssh://git@host/path` or `git@host:path`, on a host of the route.",
    ),
    ...commonFields,
    gitToken: tokenText
      .optional()
      .describe("Token for the repository's host. Kept encrypted, never shown.")
      .meta({ writeOnly: true }),
    credential: credentialId
      .optional()
      .describe("ID of a shared credential, in place of a gitToken. Private libraries only."),
    private: truth()
      .optional()
      .describe(
        "Belongs to the key's teamspace. Default: true with a token, a credential or an address of SSH, else false.",
      ),
    ...options,
  })
  .meta({ id: "Repository" });

/** The routes of the hosted services. */
const hostRoutes: ReadonlyMap<string, RepositoryRoute> = new Map([
  ["github.com", "github"],
  ["gitlab.com", "gitlab"],
  ["bitbucket.org", "bitbucket"],
]);

function repository(route: RepositoryRoute, operationId: string, host: string, description: string): SourceForm {
  return form({
    path: pathOf(route),
    // The only route for repositories of all hosts.
    ...(route === "git" && { address: "docsRepoUrl" }),
    scope: "submit",
    about: { operationId, summary: `Submit a repository of ${host}`, description },
    body: jsonBody(repositoryBody),
    failures: ["duplicate_repo", "address_not_allowed", "credential_not_found"],
    toSubmission: (call) => toSubmission(call, route),
  });
}

/** Repositories of any Git host. */
export const gitForms: KindForms<GitCredential> = {
  noun: "Git repository",
  plural: "repositories",
  forms: [
    repository("github", "addGithubRepository", "GitHub", "github.com, and configured GitHub Enterprise hosts."),
    repository("gitlab", "addGitlabRepository", "GitLab", "gitlab.com, and configured self-managed hosts."),
    repository("bitbucket", "addBitbucketRepository", "Bitbucket", "bitbucket.org, and configured Bitbucket hosts."),
    repository("git", "addGitRepository", "any Git host", "Any host over http, https or SSH."),
  ],
  credential: {
    data: gitCredential,
    host(typed, data) {
      if (!("knownHosts" in data)) return undefined;
      const ssh = sshAddress(typed) ?? sshAddress(`ssh://${typed.replace(/^(?:https?|ssh):\/\//i, "")}/-`);
      if (ssh) return `ssh://${ssh.host}`;
      throw new Failure("validation_error", "host must be a host such as git.example.com:7999, or an address of SSH.");
    },
    own: tokenText
      .transform((token): GitCredential => ({ token }))
      .describe("Of a repository: the library's new own token."),
    toSource(address, { gitHosts }) {
      const { url, host } = parseRepositoryUrl(address, "git", gitHosts, "address");
      return toSpec(url, host);
    },
  },
  options: optionsForm(
    options,
    (spec: GitSourceSpec, given) => ({
      ...spec,
      ...("branch" in given && { branch: given.branch ?? null }),
      ...("skipVersionFiltering" in given && { skipVersionFiltering: given.skipVersionFiltering === true }),
      selection: changeSelection(spec.selection, given),
    }),
    ({ branch, skipVersionFiltering, selection }) => ({ branch, skipVersionFiltering, ...selection }),
  ),
  typed(address) {
    const web = webAddress("git", address);
    if (!/^https?:\/\//i.test(web)) return null;
    const route = hostRoutes.get(URL.parse(web)?.hostname ?? "") ?? "git";
    const { url, ...place } = placeOf(address);
    return { path: pathOf(route), body: { docsRepoUrl: url, ...place } };
  },
  place: (source) => placeIn<GitSourceSpec>(source, ({ url }) => ({ docsRepoUrl: url })),
  fields: { token: "gitToken", credential: "credential" },
};

/** First labels of the names of Git hosts. */
const gitHost = /^(?:bitbucket|code|codeberg|forge|forgejo|ghe|git|gitea|github|gitlab|scm|src)(?:[.-]|$)/;

/** Whether an address looks like a repository, by its host and its ending. */
export function isGitAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (
    /\/(?:-\/(?:tree|blob)|src\/(?:branch|tag|commit)|_git)\/|^\/(?:projects|users)\/[^/]+\/repos\//.test(url.pathname)
  )
    return true;
  return gitHost.test(url.hostname) || hostRoutes.has(url.hostname) || /\.git\/?$/i.test(url.pathname);
}

/** The repository, branch and folder of an address: pages of Git hosts have all three in theirs. */
function placeOf(address: string): { readonly url: string; readonly branch?: string; readonly folders?: string[] } {
  const url = URL.parse(address);
  const place = url === null ? undefined : repositoryPlace(url);
  if (url === null || url.protocol === "ssh:" || place === undefined) return { url: address };
  const { path, branch, folder } = place;
  url.pathname = path;
  url.search = url.hash = "";
  // A name alone would be that of folders at any depth.
  const own = folder.includes("/") ? folder : `./${folder}`;
  return { url: url.href, ...(branch !== null && { branch }), ...(folder !== "" && { folders: [own] }) };
}

function pathOf(route: RepositoryRoute): string {
  return `/v2/add/repo/${route}`;
}

async function toSubmission(
  { body, options }: Call<unknown, z.infer<typeof repositoryBody>>,
  route: RepositoryRoute,
): Promise<Submission> {
  const { url: docsRepoUrl, ...place } = placeOf(body.docsRepoUrl);
  const fields = { ...place, ...body, docsRepoUrl };
  const { url: given, host } = parseRepositoryUrl(fields.docsRepoUrl, route, options.settings.gitHosts);
  const own: GitCredential | undefined = fields.gitToken === undefined ? undefined : { token: fields.gitToken };
  // A token is for http.
  const url = own === undefined ? given : new URL(webAddress(host, given.href));
  const source = toSpec(url, host, fields);
  const credential = oneCredential("gitToken", own, fields.credential);
  const isSsh = url.protocol === "ssh:";
  const isPrivate = fields.private ?? (credential !== undefined || isSsh);
  if (isSsh && !isPrivate)
    throw new Failure(
      "validation_error",
      `A repository that is read by SSH makes a private library. Leave out private, or give the address ${webAddress(host, url.href)}.`,
    );
  return checked(submissionOf(source, fields, { private: isPrivate, credential }), url, options);
}

function toSpec(url: URL, host: GitHost, fields: Partial<z.infer<typeof repositoryBody>> = {}): GitSourceSpec {
  const { branch = null, skipVersionFiltering = false } = fields;
  return { kind: "git", host, url: url.href, branch, selection: toSelection(fields), skipVersionFiltering };
}
