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
    meaning: "Days after which the sweep removes an unused version of a package; the default version stays. 0: never.",
    schema: format.whole(0, 36_500),
  }),
  unservedDays: setting({
    env: "UNSERVED_DAYS",
    default: "7",
    meaning:
      "Days after which the sweep removes a library whose first run failed, so that nothing of it was ever served, and that is not tried again any more. 0: never.",
    schema: format.whole(0, 36_500),
  }),
  confluenceGateway: setting({
    env: "CONFLUENCE_GATEWAY_URL",
    default: "https://api.atlassian.com",
    meaning:
      "Where Confluence Cloud is asked with scoped tokens and those of service accounts. Another address is for a proxy of your own.",
    schema: webUrl,
  }),
  notionApi: setting({
    env: "NOTION_API_URL",
    default: "https://api.notion.com",
    meaning: "Address of Notion's API, or of a proxy in front of it.",
    schema: webUrl,
  }),
  hostMetadata: setting({
    env: "HOST_METADATA",
    default: "on",
    meaning:
      "Whether the APIs of Git hosts and the registries of packages are asked for stars, owners, downloads and the like of public libraries, from which trust scores follow: on or off.",
    schema: format.onOff,
  }),
  githubApiToken: setting({
    env: "GITHUB_API_TOKEN",
    default: "",
    meaning: "Token for api.github.com, without any scope: with one it answers 5,000 requests an hour in place of 60.",
    schema: format.orNull(z.string().regex(/^[\w-]{20,300}$/, "must be 20 to 300 of A-Z a-z 0-9 _ -")),
    secret: true,
  }),
  ...registrySettings,
  githubHosts: setting({
    env: "GITHUB_HOSTS",
    default: "",
    meaning: "Hosts of GitHub Enterprise servers, beside github.com, comma-separated.",
    schema: format.hosts,
  }),
  gitlabHosts: setting({
    env: "GITLAB_HOSTS",
    default: "",
    meaning: "Hosts of self-managed GitLab servers, beside gitlab.com, comma-separated.",
    schema: format.hosts,
  }),
  bitbucketHosts: setting({
    env: "BITBUCKET_HOSTS",
    default: "",
    meaning: "Hosts of Bitbucket servers, beside bitbucket.org, comma-separated.",
    schema: format.hosts,
  }),
  giteaHosts: setting({
    env: "GITEA_HOSTS",
    default: "codeberg.org,gitea.com",
    meaning: "Hosts that run Gitea or Forgejo, comma-separated: their links have a form of their own.",
    schema: format.hosts,
  }),
};
