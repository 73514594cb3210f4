import { deriveTitleId } from "../library.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

/** Pages of a Notion workspace that are shared with an integration: all of them, or some with their descendants. */
export interface NotionSourceSpec {
  readonly kind: "notion";
  /** ID of the workspace; null: that of the credential. */
  readonly workspaceId: string | null;
  /** IDs of pages and databases, 32 digits; empty: all that are shared. */
  readonly pageIds: readonly string[];
}

/** The data of a credential for Notion. */
export interface NotionCredential {
  /** The secret of an integration. */
  readonly token: string;
}

/** The host that credentials are bound to, also with a proxy. */
const notionHost = "api.notion.com";

/** The address of a page or database; it stays when the title changes. */
export function notionAddress(id: string): string {
  return `https://www.notion.so/${id}`;
}

/** Hosts of pages: `notion.so`, `notion.com` and what is published below `notion.site`. */
const hosts = /(?:^|\.)notion\.(?:so|site|com)$/;

/** The ID in the address of a page or database, or a bare ID; null for anything else. */
export function notionIdOf(text: string): string | null {
  if (!text.includes("/")) return idIn(text.trim());
  const url = /^https?:\/\//i.test(text) ? URL.parse(text.trim()) : null;
  if (url === null || !hosts.test(url.hostname)) return null;
  // A page that is opened on top of another one is in the query.
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  return idIn(url.searchParams.get("p") ?? "") ?? idIn(segments.at(-1) ?? "");
}

/** The title before the ID in an address, for people; "" without one. */
export function notionTitleOf(address: string): string {
  const last = URL.parse(address)?.pathname.split("/").at(-1) ?? "";
  const words = /^(.+)-[\da-f]{32}$/i.exec(last)?.[1] ?? "";
  return words.replaceAll("-", " ").trim();
}

function idIn(text: string): string | null {
  const id = /(?:^|-)([\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.exec(text)?.[1];
  return id === undefined ? null : id.replaceAll("-", "").toLowerCase();
}

export const notionKind: SourceKind<NotionSourceSpec> = {
  kind: "notion",
  sourceType: () => "private_sources",
  idPrefix: () => "notion",
  deriveId: (_spec, title) => deriveTitleId("notion", title),
  location: ({ pageIds }) => (pageIds[0] === undefined ? "https://www.notion.so/" : notionAddress(pageIds[0])),
  teamspaceOnly: true,
  // Pages that move within Notion keep their ID.
  at: (spec) => spec,
  hasPaths: false,
  order: "key",
  host: () => notionHost,
  address: fragmentAddress,
  credential: {
    field: "notionToken",
    audience: ({ workspaceId }) => ({ host: notionHost, ...(workspaceId !== null && { tenant: workspaceId }) }),
    ids: () => null,
    needed: () => ({ host: notionHost, data: { token: "…" } }),
    checksTenant: true,
  },
  // Three requests a second, as Notion asks.
  work: { queue: "crawl", timeout: 240 * 60_000 },
};
