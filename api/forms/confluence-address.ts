import { isCloudHost } from "../../domain/kinds/confluence.ts";

/** The fields of a submission, from the address of a space or page. */
export interface ConfluenceAddress {
  readonly siteUrl: string;
  readonly spaceKey: string;
  readonly pageIds?: readonly string[];
}

/**
 * Parses the address of a space or page of Confluence: in the cloud by its host, in a data center by a specific path. Undefined for
 * any other address, and for short links. The address of a page by its number alone has no space: "".
 */
export function parseAddress(address: string): ConfluenceAddress | undefined {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  const byNumber = url.searchParams.get("pageId");
  const viewed = /^(?<context>(?:\/[\w.-]+)*?)\/pages\/viewpage\.action$/.exec(url.pathname)?.groups;
  const isCloud = isCloudHost(url.hostname);
  const site = (context = ""): string => `${url.origin}${isCloud ? "" : context}`;
  if (viewed) {
    const spaceKey = url.searchParams.get("spaceKey") ?? "";
    const pageIds = /^[1-9]\d*$/.test(byNumber ?? "") ? { pageIds: [byNumber ?? ""] } : {};
    return "pageIds" in pageIds || spaceKey !== ""
      ? { siteUrl: site(viewed["context"]), spaceKey, ...pageIds }
      : undefined;
  }
  const found = (isCloud ? inCloud : inDataCenter).exec(url.pathname)?.groups;
  if (!found) return undefined;
  const { context, key = "", id } = found;
  const spaceKey = /%[0-9a-f]{2}/i.test(key) && URL.canParse(address) ? decoded(key) : key;
  return { siteUrl: site(context), spaceKey, ...(id !== undefined && { pageIds: [id] }) };
}

/** `/wiki/spaces/ENG/pages/123/Title`, `/wiki/spaces/ENG/overview`, `/wiki/display/ENG`. */
const inCloud = /^\/wiki\/(?:spaces|display)\/(?<key>[^/]+)(?:\/pages\/(?<id>[1-9]\d*))?(?:\/|$)/;

/** `/confluence/display/ENG/Title`, `/spaces/ENG/pages/123/Title`: keys of spaces are upper-case there, or begin with a tilde. */
const inDataCenter =
  /^(?<context>(?:\/[\w.-]+)*?)\/(?:display\/(?=[A-Z~]|%7E)|spaces\/(?=[^/]+\/(?:pages\/\d|overview)))(?<key>[^/]+)(?:\/pages\/(?<id>[1-9]\d*))?(?:\/|$)/;

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (error instanceof URIError) return key;
    throw error;
  }
}
