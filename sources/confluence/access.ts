import { Failure } from "../../domain/failures.ts";
import { isCloud } from "../../domain/kinds/confluence.ts";
import type { ConfluenceCredential, ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import type { ConfluenceApi } from "./api.ts";
import { getJson, type SiteConnection } from "./requests.ts";
import { textAt } from "./answers.ts";
import { dataCenterScope, createDataCenterApi } from "./data-center.ts";

/** Options of `openSite`. */
export interface Access {
  readonly client: PoliteClient;
  readonly gateway: URL;
  readonly signal: AbortSignal;
  readonly credential: ConfluenceCredential | null;
}

/**
 * Opens a site for the account of a credential. Tokens with scopes, and those of service accounts, work only at the gateway of the cloud,
 * where the site is chosen by its cloud ID: that of the credential, or the one that the site publishes.
 * @throws Failure source_refused for a credential of a type that the site does not accept
 */
export async function openSite(spec: ConfluenceSourceSpec, access: Access): Promise<ConfluenceApi> {
  const { credential, client, signal } = access;
  const { host } = new URL(spec.siteUrl);
  if (credential === null)
    throw new Failure(
      "source_refused",
      `${host} shows its pages to accounts only. Refresh the library with a credential.`,
    );
  const inCloud = isCloud(spec);
  if (inCloud === (credential.type === "pat")) {
    const wanted = inCloud ? "personal, scoped or service" : "pat";
    throw new Failure(
      "source_refused",
      `A token of type ${credential.type} is not for ${host}: there its type is ${wanted}.`,
    );
  }
  const headers = { authorization: authorization(credential) };
  const site = { client, signal, headers, base: spec.siteUrl };
  if (!inCloud) return createDataCenterApi({ ...site, scopeOf: dataCenterScope }, spec.siteUrl);
  // Loaded when first needed: the client library takes 40 MB of memory.
  const { cloudScope, createCloudApi } = await import("./cloud.ts");
  const connection: SiteConnection = { ...site, scopeOf: cloudScope };
  if (credential.type === "personal") return createCloudApi(connection, spec.siteUrl);
  const cloudId = await cloudIdOf(spec, credential, connection);
  const base = `${access.gateway.href.replace(/(?<!\/)\/+$/, "")}/ex/confluence/${encodeURIComponent(cloudId)}`;
  return createCloudApi({ ...connection, base }, spec.siteUrl);
}

function authorization({ type, email = "", token }: ConfluenceCredential): string {
  if (type === "service" || type === "pat") return `Bearer ${token}`;
  return `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`;
}

/** The cloud ID. One that a submission names must be the same, so that a submission cannot send a token to another tenant. */
async function cloudIdOf(
  spec: ConfluenceSourceSpec,
  { cloudId }: ConfluenceCredential,
  connection: SiteConnection,
): Promise<string> {
  const known = cloudId ?? textAt(await getJson({ ...connection, headers: {} }, "/_edge/tenant_info"), "cloudId");
  const { host } = new URL(spec.siteUrl);
  if (known === "")
    throw new Failure("source_invalid", `${host} does not say its cloud ID. Give it with the credential.`);
  if (spec.cloudId !== null && spec.cloudId !== known)
    throw new Failure("source_refused", `The cloud ID ${spec.cloudId} is not that of ${host}. Leave cloudId out.`);
  return known;
}
