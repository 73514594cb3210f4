import * as z from "zod";
import { repositoryAddress } from "../../domain/addresses.ts";
import type { HookSender } from "../../domain/catalog-hooks.ts";
import type { Change } from "../../domain/hooks.ts";
import {
  anyOf,
  basicSecret,
  hexSignature,
  plainSecret,
  standardSignature,
  type DeliveryHeaders,
  type SignatureCheck,
} from "./signatures.ts";

/** How a host signs deliveries, and what their bodies tell. */
interface Sender {
  /** Display name. */
  readonly label: string;
  readonly isSigned: SignatureCheck;
  /** ID of a delivery; undefined: the host sends none. */
  idOf(headers: DeliveryHeaders, body: unknown): string | undefined;
  /** The changes that a body tells; empty: none that matters here, as of a ping. `host` is that of the hook's prefix. */
  changesIn(headers: DeliveryHeaders, body: unknown, host: string | null): readonly Change[];
}

const text = z.string().max(2000).catch("");
const noCommit = /^0+$/;

/** The branch or tag of a full ref name; undefined for other refs. */
function refName(ref: string): { readonly name: string; readonly isTag: boolean } | undefined {
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  return name === undefined ? undefined : { name, isTag: kind === "tags" };
}

/** The change of some refs. A tag may be the newest release, so that the default branch's refs are read again too. */
function changeOfRefs(
  address: string,
  defaultBranch: string,
  refs: readonly ({ readonly name: string; readonly isTag: boolean } | undefined)[],
): readonly Change[] {
  const known = refs.filter((ref) => ref !== undefined);
  const repository = repositoryAddress(address);
  if (repository === undefined || known.length === 0) return [];
  const names = known.flatMap(({ name, isTag }) => (isTag && defaultBranch !== "" ? [name, defaultBranch] : [name]));
  return [{ repository, defaultBranch: defaultBranch === "" ? null : defaultBranch, refs: names }];
}

/** A change of a repository as a whole: a rename, a transfer, a deletion, or who may read it. */
function changeOfAll(address: string, more: Pick<Change, "isPrivate"> = {}): readonly Change[] {
  const repository = repositoryAddress(address);
  return repository === undefined ? [] : [{ repository, defaultBranch: null, refs: null, ...more }];
}

const repositoryOfGitHub = z.object({ html_url: text, default_branch: text, full_name: text });
const names = z.object({ from: text }).optional().catch(undefined);
const gitHubBody = z.object({
  ref: text,
  ref_type: text,
  deleted: z.boolean().catch(false),
  after: text,
  action: text,
  repository: repositoryOfGitHub.optional().catch(undefined),
  changes: z
    .object({
      repository: z.object({ name: names }).optional().catch(undefined),
      owner: z
        .object({
          from: z.object({
            user: z.object({ login: text }).optional().catch(undefined),
            organization: z.object({ login: text }).optional().catch(undefined),
          }),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Events of GitHub, and of Gitea, whose bodies follow GitHub's. */
function gitHubChanges(event: string | undefined, given: unknown): readonly Change[] {
  const { data } = gitHubBody.safeParse(given);
  const { repository } = data ?? {};
  if (!data || !repository) return [];
  const { html_url: address, default_branch: standard } = repository;
  if (event === "push" && !data.deleted && !noCommit.test(data.after))
    return changeOfRefs(address, standard, [refName(data.ref)]);
  if (event === "create") return changeOfRefs(address, standard, [{ name: data.ref, isTag: data.ref_type === "tag" }]);
  if (event !== "repository") return [];
  const url = URL.parse(address);
  const [owner = "", name = ""] = repository.full_name.split("/");
  const formerName = data.changes?.repository?.name?.from;
  const { user, organization } = data.changes?.owner?.from ?? {};
  const former = `${url?.origin}/${organization?.login ?? user?.login ?? owner}/${formerName ?? name}`;
  if (data.action === "renamed" || data.action === "transferred") return changeOfAll(former);
  if (data.action === "deleted" || data.action === "publicized") return changeOfAll(address);
  return data.action === "privatized" ? changeOfAll(address, { isPrivate: true }) : [];
}

const gitLabBody = z.object({
  event_name: text,
  ref: text,
  after: text,
  project: z.object({ git_http_url: text, web_url: text, default_branch: text.nullable() }).optional().catch(undefined),
  path_with_namespace: text,
  old_path_with_namespace: text,
  project_visibility: text,
});

function gitLabChanges(given: unknown, host: string | null): readonly Change[] {
  const { data } = gitLabBody.safeParse(given);
  if (!data) return [];
  const { event_name: event, project, ref, after } = data;
  if ((event === "push" || event === "tag_push") && project)
    return noCommit.test(after) ? [] : changeOfRefs(project.web_url, project.default_branch ?? "", [refName(ref)]);
  const at = (path: string): string => `https://${host ?? "gitlab.com"}/${path}`;
  if (event === "project_rename" || event === "project_transfer") return changeOfAll(at(data.old_path_with_namespace));
  if (event === "project_destroy") return changeOfAll(at(data.path_with_namespace));
  if (event !== "project_update") return [];
  return changeOfAll(at(data.path_with_namespace), { isPrivate: data.project_visibility !== "public" });
}

const cloudRef = z.object({ name: text, type: text }).nullable().catch(null);
const bitbucketBody = z.object({
  push: z
    .object({ changes: z.array(z.object({ new: cloudRef })).max(10_000) })
    .optional()
    .catch(undefined),
  changes: z
    .union([
      z.array(z.object({ type: text, ref: z.object({ displayId: text, type: text }) })).max(10_000),
      z.object({ full_name: z.object({ old: text }).optional().catch(undefined) }),
    ])
    .optional()
    .catch(undefined),
  repository: z
    .object({
      links: z.object({
        html: z.object({ href: text }).optional().catch(undefined),
        clone: z
          .array(z.object({ href: text, name: text }))
          .max(10)
          .optional()
          .catch(undefined),
      }),
    })
    .optional()
    .catch(undefined),
});

function bitbucketChanges(event: string | undefined, given: unknown): readonly Change[] {
  const { data } = bitbucketBody.safeParse(given);
  const { html, clone = [] } = data?.repository?.links ?? {};
  if (!data) return [];
  if (event === "repo:push") {
    const refs = data.push?.changes.map((one) => one.new) ?? [];
    return changeOfRefs(
      html?.href ?? "",
      "",
      refs.map((ref) => ref ?? undefined).map((ref) => ref && { name: ref.name, isTag: ref.type === "tag" }),
    );
  }
  if (event === "repo:refs_changed" && Array.isArray(data.changes)) {
    const address = clone.find(({ name }) => /^https?$/.test(name))?.href ?? "";
    const kept = data.changes.filter(({ type }) => type !== "DELETE");
    return changeOfRefs(
      address,
      "",
      kept.map(({ ref }) => ({ name: ref.displayId, isTag: ref.type === "TAG" })),
    );
  }
  if (event !== "repo:updated" || data.changes === undefined || Array.isArray(data.changes)) return [];
  const { old } = data.changes.full_name ?? {};
  const origin = URL.parse(html?.href ?? "")?.origin;
  return old === undefined || origin === undefined ? [] : changeOfAll(`${origin}/${old}`);
}

const azureBody = z.object({
  id: text,
  eventType: text,
  resource: z
    .object({
      refUpdates: z
        .array(z.object({ name: text, newObjectId: text }))
        .max(10_000)
        .catch([]),
      repository: z.object({ remoteUrl: text, defaultBranch: text }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

function azureChanges(given: unknown): readonly Change[] {
  const { data } = azureBody.safeParse(given);
  const { refUpdates = [], repository } = data?.resource ?? {};
  if (data?.eventType !== "git.push" || !repository) return [];
  const kept = refUpdates.filter(({ newObjectId }) => !noCommit.test(newObjectId));
  return changeOfRefs(
    repository.remoteUrl,
    refName(repository.defaultBranch)?.name ?? "",
    kept.map(({ name }) => refName(name)),
  );
}

const idBody = z.object({ id: text, type: text });

/** All senders. */
export const senders: Readonly<Record<HookSender, Sender>> = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    label: "GitHub",
    isSigned: hexSignature("x-hub-signature-256", "sha256="),
    idOf: (headers) => headers["x-github-delivery"],
    changesIn: (headers, body) => gitHubChanges(headers["x-github-event"], body),
  },
  // https://docs.gitlab.com/user/project/integrations/webhooks/
  gitlab: {
    label: "GitLab",
    isSigned: anyOf(plainSecret("x-gitlab-token"), standardSignature),
    idOf: (headers) => headers["webhook-id"] ?? headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"],
    changesIn: (_headers, body, host) => gitLabChanges(body, host),
  },
  // https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/
  bitbucket: {
    label: "Bitbucket",
    isSigned: hexSignature("x-hub-signature", "sha256="),
    idOf: (headers) => headers["x-request-uuid"] ?? headers["x-request-id"],
    changesIn: (headers, body) => bitbucketChanges(headers["x-event-key"], body),
  },
  // https://docs.gitea.com/usage/webhooks, https://forgejo.org/docs/latest/user/webhooks/
  gitea: {
    label: "Gitea or Forgejo",
    isSigned: anyOf(hexSignature("x-forgejo-signature"), hexSignature("x-gitea-signature")),
    idOf: (headers) => headers["x-forgejo-delivery"] ?? headers["x-gitea-delivery"],
    changesIn: (headers, body) => gitHubChanges(headers["x-forgejo-event"] ?? headers["x-gitea-event"], body),
  },
  // https://learn.microsoft.com/azure/devops/service-hooks/services/webhooks
  azure: {
    label: "Azure DevOps",
    isSigned: basicSecret,
    idOf: (_headers, body) => idBody.safeParse(body).data?.id,
    changesIn: (_headers, body) => azureChanges(body),
  },
  // https://developers.notion.com/reference/webhooks
  notion: {
    label: "Notion",
    isSigned: hexSignature("x-notion-signature", "sha256="),
    idOf: (_headers, body) => idBody.safeParse(body).data?.id,
    changesIn: (_headers, body) => {
      const isChange = /^(?:page|database|data_source)\./.test(idBody.safeParse(body).data?.type ?? "");
      return isChange ? [{ repository: null, defaultBranch: null, refs: null }] : [];
    },
  },
};

const verification = z.object({ verification_token: z.string().regex(/^[\x21-\x7e]{10,500}$/) });

/** The token that Notion sends once, before it signs with it; undefined: the body is none. */
export function verificationToken(body: unknown): string | undefined {
  return verification.safeParse(body).data?.verification_token;
}
