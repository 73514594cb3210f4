const repository = (name: string) => ({
  html_url: `https://git.example.com/${name}`,
  full_name: name,
  default_branch: "main",
});
const commit = (number: string): string => number.padStart(40, "a");
const gone = "0".repeat(40);

/** The body of GitHub's event `push`, by its documentation (https://docs.github.com/en/webhooks/webhook-events-and-payloads#push). */
export const githubPush = (ref: string, after = "1", name = "acme/widgets") => ({
  ref,
  before: commit("0"),
  after: commit(after),
  deleted: false,
  repository: repository(name),
});

/** The body of GitLab's event `push` (https://docs.gitlab.com/user/project/integrations/webhook_events/). */
export const gitlabPush = (ref: string, standard: string | null = "main", after = commit("1")) => ({
  object_kind: ref.startsWith("refs/tags/") ? "tag_push" : "push",
  event_name: ref.startsWith("refs/tags/") ? "tag_push" : "push",
  ref,
  after,
  project: {
    web_url: "https://git.example.com/acme/widgets",
    git_http_url: "https://git.example.com/acme/widgets.git",
    default_branch: standard,
  },
});

const refreshed = "/acme/widgets";
const nothing = "changed nothing";
const bitbucketLinks = { html: { href: "https://git.example.com/acme/widgets" } };
const azure = (name: string, newObjectId = commit("1")) => ({
  id: "03c164c2-8912-4d5e-8009-3707d5f83734",
  eventType: "git.push",
  resource: {
    refUpdates: [{ name, oldObjectId: commit("0"), newObjectId }],
    repository: { remoteUrl: "https://acme@git.example.com/acme/widgets", defaultBranch: "refs/heads/main" },
  },
});

/** Deliveries of each host with their headers, in which HMAC, SECRET and BASIC stand for the signature, and a part of the answer. */
export const bodies: readonly {
  readonly sender: string;
  readonly about: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly message: string;
}[] = [
  ...(
    [
      ["a tag", "create", { ref: "v2.0", ref_type: "tag", repository: repository("acme/widgets") }, refreshed],
      ["a removed branch", "push", { ...githubPush("refs/heads/main"), deleted: true }, nothing],
      [
        "a rename",
        "repository",
        {
          action: "renamed",
          changes: { repository: { name: { from: "widgets" } } },
          repository: repository("acme/gadgets"),
        },
        refreshed,
      ],
      [
        "a transfer",
        "repository",
        {
          action: "transferred",
          changes: { owner: { from: { organization: { login: "acme" } } } },
          repository: repository("corp/widgets"),
        },
        refreshed,
      ],
      ["a deletion", "repository", { action: "deleted", repository: repository("acme/widgets") }, refreshed],
    ] as const
  ).map(([about, event, body, message]) => ({
    sender: "github",
    about,
    headers: { "x-github-event": event, "x-github-delivery": "d", "x-hub-signature-256": "sha256=HMAC" },
    body,
    message,
  })),
  ...(
    [
      ["a push", gitlabPush("refs/heads/main"), refreshed],
      ["a tag", gitlabPush("refs/tags/v2.0"), refreshed],
      ["a removed branch", gitlabPush("refs/heads/main", "main", gone), nothing],
      [
        "a rename",
        { event_name: "project_rename", path_with_namespace: "acme/gadgets", old_path_with_namespace: "acme/widgets" },
        refreshed,
      ],
      ["a deletion", { event_name: "project_destroy", path_with_namespace: "acme/widgets" }, refreshed],
      [
        "a change of visibility",
        { event_name: "project_update", path_with_namespace: "acme/widgets", project_visibility: "private" },
        "is private now",
      ],
    ] as const
  ).map(([about, body, message]) => ({
    sender: "gitlab",
    about,
    headers: { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "d", "x-gitlab-token": "SECRET" },
    body,
    message,
  })),
  ...(
    [
      [
        "a push",
        "repo:push",
        { push: { changes: [{ new: { name: "main", type: "branch" } }] }, repository: { links: bitbucketLinks } },
        refreshed,
      ],
      [
        "a removed branch",
        "repo:push",
        { push: { changes: [{ new: null }] }, repository: { links: bitbucketLinks } },
        nothing,
      ],
      [
        "a rename",
        "repo:updated",
        { changes: { full_name: { old: "acme/widgets", new: "acme/gadgets" } }, repository: { links: bitbucketLinks } },
        refreshed,
      ],
      [
        "a push to Data Center",
        "repo:refs_changed",
        {
          changes: [{ type: "UPDATE", ref: { displayId: "main", type: "BRANCH" } }],
          repository: {
            links: {
              clone: [
                { href: "ssh://git@x/y", name: "ssh" },
                { href: "https://git.example.com/acme/widgets.git", name: "http" },
              ],
            },
          },
        },
        refreshed,
      ],
    ] as const
  ).map(([about, event, body, message]) => ({
    sender: "bitbucket",
    about,
    headers: { "x-event-key": event, "x-request-uuid": "d", "x-hub-signature": "sha256=HMAC" },
    body,
    message,
  })),
  {
    sender: "gitea",
    about: "a push",
    headers: { "x-gitea-event": "push", "x-gitea-delivery": "d", "x-gitea-signature": "HMAC" },
    body: githubPush("refs/heads/main"),
    message: refreshed,
  },
  {
    sender: "gitea",
    about: "a tag of Forgejo",
    headers: { "x-forgejo-event": "create", "x-forgejo-delivery": "d", "x-forgejo-signature": "HMAC" },
    body: { ref: "v2.0", ref_type: "tag", repository: repository("acme/widgets") },
    message: refreshed,
  },
  {
    sender: "azure",
    about: "a push",
    headers: { authorization: "Basic BASIC" },
    body: azure("refs/heads/main"),
    message: refreshed,
  },
  {
    sender: "azure",
    about: "a removed branch",
    headers: { authorization: "Basic BASIC" },
    body: azure("refs/heads/main", gone),
    message: nothing,
  },
];
