import { Failure } from "../failures.ts";
import { parseLibraryId } from "../library.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

/** A space of Confluence, or some of its pages: in the cloud or in a data center. */
export interface ConfluenceSourceSpec {
  readonly kind: "confluence";
  /** Base address of the site: `https://acme.atlassian.net`, `https://wiki.example.com/confluence`. */
  readonly siteUrl: string;
  /** Cloud ID; null: it is looked up, or it is a data center. */
  readonly cloudId: string | null;
  /** Key of the space; "" for none, to test a credential. */
  readonly spaceKey: string;
  /** IDs of the pages to read; empty: the whole space. */
  readonly pageIds: readonly string[];
  /** Their descendants are read too. */
  readonly includeSubPages: boolean;
  /** Pages with read restrictions are read too. */
  readonly includeRestricted: boolean;
}

/** The kinds of token: API tokens of an account (`personal`, `scoped`) or service account in the cloud; `pat` in a data center. */
export const confluenceTokens = ["personal", "scoped", "service", "pat"] as const;

/** The data of a credential for Confluence. */
export interface ConfluenceCredential {
  readonly type: (typeof confluenceTokens)[number];
  readonly token: string;
  /** Of the account, for `personal` and `scoped`. */
  readonly email?: string | undefined;
  /** Cloud ID; absent: that of its host. */
  readonly cloudId?: string | undefined;
  /** The day on which it expires, such as `2027-01-31`. */
  readonly expires?: string | undefined;
}

/** Whether a source is in Confluence Cloud, by its host or a cloud ID. */
export function isCloud({ siteUrl, cloudId }: Pick<ConfluenceSourceSpec, "siteUrl" | "cloudId">): boolean {
  return cloudId !== null || isCloudHost(new URL(siteUrl).hostname);
}

/** Whether a host belongs to Confluence Cloud. */
export function isCloudHost(host: string): boolean {
  return /(?:^|\.)atlassian\.net$/.test(host);
}

function location(spec: ConfluenceSourceSpec): string {
  if (spec.spaceKey === "") return spec.siteUrl;
  const path = isCloud(spec) ? "wiki/spaces" : "display";
  return `${spec.siteUrl}/${path}/${encodeURIComponent(spec.spaceKey)}`;
}

function deriveId({ spaceKey }: ConfluenceSourceSpec): string {
  const name = spaceKey.toLowerCase().replace(/[^\p{L}\p{N}._~-]+/gu, "-");
  if (name === "") throw new Failure("validation_error", "spaceKey must be the key of a space, such as ENG.");
  return parseLibraryId(`/confluence/${name}`).id;
}

export const confluenceKind: SourceKind<ConfluenceSourceSpec> = {
  kind: "confluence",
  sourceType: () => "confluence",
  idPrefix: () => "confluence",
  deriveId,
  location,
  at(spec, place) {
    const path = /\/(?:wiki\/spaces|display)\/[^/]+$/.exec(place)?.[0] ?? "";
    return { ...spec, siteUrl: place.slice(0, place.length - path.length) };
  },
  hasPaths: false,
  order: "source",
  host: ({ siteUrl }) => new URL(siteUrl).host,
  teamspaceOnly: true,
  credential: {
    field: "confluenceCredential",
    // The host of a site is its tenant: requests to the gateway, which serves all of them, derive from it.
    audience: ({ siteUrl }) => ({ host: new URL(siteUrl).host }),
    ids: (spec) => [deriveId(spec)],
    needed(spec) {
      const { siteUrl, cloudId } = spec;
      if (!isCloud(spec)) return { host: siteUrl, data: { type: "pat", token: "…" } };
      const data = { type: "scoped", email: "…", token: "…", ...(cloudId !== null && { cloudId }) };
      return { host: siteUrl, data };
    },
    secrets: (data) => {
      const { token, email = "" } = data as ConfluenceCredential;
      return [token, ...(email === "" ? [] : [email])];
    },
    expires(data) {
      const { expires } = data as ConfluenceCredential;
      return expires === undefined ? null : Date.parse(expires);
    },
  },
  address: fragmentAddress,
  // A host may ask for pauses of minutes.
  work: { queue: "crawl", timeout: 240 * 60_000 },
};
