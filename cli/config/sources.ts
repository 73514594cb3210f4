import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";
import { homedir } from "node:os";
import { join } from "node:path";

const text = z.string().max(20_000);

/** Settings of package registries: the variables of npm, pip, cargo and go, with their meaning there. */
const registrySettings = {
  npmRegistry: setting({
    env: "NPM_CONFIG_REGISTRY",
    meaning: "Registry of npm packages. Not set: that of NPM_CONFIG_USERCONFIG, else npm's own.",
    schema: z.union([z.literal(""), format.webUrl.transform(({ href }) => href)]),
    lowerCaseToo: true,
  }),
  npmUserConfig: setting({
    env: "NPM_CONFIG_USERCONFIG",
    default: join(homedir(), ".npmrc"),
    defaultInDocs: ".npmrc in the home folder",
    meaning: "npm's configuration: registries of scopes, credentials. Packages read with credentials are never public.",
    schema: format.path,
    lowerCaseToo: true,
  }),
  pipIndexUrl: setting({
    meaning: "Index of Python packages. Not set: that of PIP_CONFIG_FILE, else PyPI.",
    schema: text,
    secret: true,
  }),
  pipExtraIndexUrl: setting({
    meaning: "Further indexes, separated by spaces, for packages that the first lacks.",
    schema: text,
    secret: true,
  }),
  pipConfigFile: setting({
    default: join(homedir(), ".config", "pip", "pip.conf"),
    defaultInDocs: ".config/pip/pip.conf in the home folder",
    meaning: "pip's configuration: indexes, proxy, cert.",
    schema: format.path,
  }),
  cargoHome: setting({
    default: join(homedir(), ".cargo"),
    defaultInDocs: ".cargo in the home folder",
    meaning:
      "Folder of cargo's config.toml and credentials.toml: registries, replaced sources, tokens, http.proxy, http.cainfo.",
    schema: format.path,
  }),
  goProxy: setting({
    env: "GOPROXY",
    meaning:
      "Proxies of Go modules, separated by commas or bars. Not set: those of GOENV, else the public one. Entries after direct or off are ignored.",
    schema: text,
    secret: true,
  }),
  goPrivate: setting({
    env: "GOPRIVATE",
    meaning: "Patterns of modules that are not requested from proxies.",
    schema: text,
  }),
  goNoProxy: setting({
    env: "GONOPROXY",
    meaning: "The same, instead of GOPRIVATE; none: every module is requested from proxies.",
    schema: text,
  }),
  goEnv: setting({
    env: "GOENV",
    default: join(homedir(), ".config", "go", "env"),
    defaultInDocs: ".config/go/env in the home folder",
    meaning: "File of go env -w, for GOPROXY, GOPRIVATE and GONOPROXY if they are not set.",
    schema: format.path,
  }),
  netrc: setting({
    default: join(homedir(), ".netrc"),
    defaultInDocs: ".netrc in the home folder",
    meaning: "User names and passwords by host, for Python indexes and Go proxies.",
    schema: format.path,
  }),
};

const { webUrl } = format;

/** Settings of sources and their hosts. */
export const sourceSettings = {
  unusedVersionDays: setting({
    default: "60",
    meaning: "Days after which an unused version of a package is removed. 0: never.",
    schema: format.whole(0, 36_500),
  }),
  unservedDays: setting({
    default: "7",
    meaning: "Days after which a library whose first run failed, and is not repeated, is removed. 0: never.",
    schema: format.whole(0, 36_500),
  }),
  confluenceGateway: setting({
    env: "CONFLUENCE_GATEWAY_URL",
    default: "https://api.atlassian.com",
    meaning: "Gateway of Confluence Cloud for scoped tokens and service accounts, or your proxy for it.",
    schema: webUrl,
  }),
  notionApi: setting({
    env: "NOTION_API_URL",
    default: "https://api.notion.com",
    meaning: "Address of Notion's API, or of your proxy for it.",
    schema: webUrl,
  }),
  hostMetadata: setting({
    default: "on",
    meaning: "Asks Git hosts and package registries for the facts of trust scores.",
    schema: format.onOff,
  }),
  githubApiToken: setting({
    meaning: "Token for api.github.com, without scopes: 5,000 requests an hour instead of 60.",
    schema: format.orNull(z.string().regex(/^[\w-]{20,300}$/, "must be 20 to 300 of A-Z a-z 0-9 _ -")),
    secret: true,
  }),
  ...registrySettings,
  githubHosts: setting({
    meaning: "GitHub Enterprise servers.",
    schema: format.hosts,
  }),
  gitlabHosts: setting({
    meaning: "Self-managed GitLab servers.",
    schema: format.hosts,
  }),
  bitbucketHosts: setting({
    meaning: "Bitbucket servers.",
    schema: format.hosts,
  }),
  giteaHosts: setting({
    default: "codeberg.org,gitea.com",
    meaning: "Gitea and Forgejo servers.",
    schema: format.hosts,
  }),
};

/** Settings of the library manifest that is watched. */
export const manifestSettings = {
  manifestUrl: setting({
    meaning:
      "Repository with a library manifest, which is applied at start, when it changes, and every hour. Not set: none.",
    schema: format.orNull(format.webUrl.transform(({ href }) => href)),
  }),
  manifestPath: setting({
    default: "libraries.yaml",
    meaning: "Path of the manifest in its repository.",
    schema: z.string().regex(/^[^/].{0,499}$/, "must be a path without a leading slash"),
  }),
  manifestBranch: setting({
    meaning: "Branch or tag of the manifest. Not set: the default branch.",
    schema: format.orNull(z.string().max(250)),
  }),
  manifestToken: setting({
    meaning: "Token for the repository of the manifest, or user:password.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,1000}$/, "must be visible ASCII")),
    secret: true,
  }),
  manifestPrune: setting({
    default: "off",
    meaning:
      "Removes libraries that the manifest added and does not declare any more; more than a tenth only once confirmed.",
    schema: format.onOff,
  }),
  manifestSeconds: setting({
    default: "60",
    meaning: "Interval at which the branch of the manifest is looked at, in seconds.",
    schema: format.whole(5, 86_400),
  }),
};
