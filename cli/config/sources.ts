import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";
import { registrySettings } from "./registries.ts";

const { webUrl } = format;

/** Settings of sources and their hosts. */
export const sourceSettings = {
  unusedVersionDays: setting({
    env: "UNUSED_VERSION_DAYS",
    default: "60",
    meaning: "Days after which an unused version of a package is removed. 0: never.",
    schema: format.whole(0, 36_500),
  }),
  unservedDays: setting({
    env: "UNSERVED_DAYS",
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
    env: "HOST_METADATA",
    default: "on",
    meaning: "Asks Git hosts and package registries for the facts of trust scores.",
    schema: format.onOff,
  }),
  githubApiToken: setting({
    env: "GITHUB_API_TOKEN",
    default: "",
    meaning: "Token for api.github.com, without scopes: 5,000 requests an hour instead of 60.",
    schema: format.orNull(z.string().regex(/^[\w-]{20,300}$/, "must be 20 to 300 of A-Z a-z 0-9 _ -")),
    secret: true,
  }),
  ...registrySettings,
  githubHosts: setting({
    env: "GITHUB_HOSTS",
    default: "",
    meaning: "GitHub Enterprise servers.",
    schema: format.hosts,
  }),
  gitlabHosts: setting({
    env: "GITLAB_HOSTS",
    default: "",
    meaning: "Self-managed GitLab servers.",
    schema: format.hosts,
  }),
  bitbucketHosts: setting({
    env: "BITBUCKET_HOSTS",
    default: "",
    meaning: "Bitbucket servers.",
    schema: format.hosts,
  }),
  giteaHosts: setting({
    env: "GITEA_HOSTS",
    default: "codeberg.org,gitea.com",
    meaning: "Gitea and Forgejo servers.",
    schema: format.hosts,
  }),
};
