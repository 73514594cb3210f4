import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { isCloudHost } from "../../domain/kinds/confluence.ts";
import { confluenceTokens, type ConfluenceCredential, type ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { jsonBody } from "../body.ts";
import { list, oneOf, text, truth } from "../parameters.ts";
import { addressText, httpAddress, typedUrl } from "./fields.ts";
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
} from "./form.ts";

/** The fields of a submission, from the address of a space or page. */
interface ConfluenceAddress {
  readonly siteUrl: string;
  readonly spaceKey: string;
  readonly pageIds?: readonly string[];
}

/**
 * Parses the address of a space or page of Confluence, which has a cloud host or a specific path of a data center. Undefined for
 * other addresses, and for short links. The space of an address with only a page's number is "".
 */
function parseAddress(address: string): ConfluenceAddress | undefined {
  const url = typedUrl(address);
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
  const match = (isCloud ? inCloud : inDataCenter).exec(url.pathname)?.groups;
  if (!match) return undefined;
  const { context, key = "", id } = match;
  const spaceKey = /%[0-9a-f]{2}/i.test(key) && URL.canParse(address) ? decoded(key) : key;
  return { siteUrl: site(context), spaceKey, ...(id !== undefined && { pageIds: [id] }) };
}

/** `/wiki/spaces/ENG/pages/123/Title`, `/wiki/spaces/ENG/overview`, `/wiki/display/ENG`. */
const inCloud = /^\/wiki\/(?:spaces|display)\/(?<key>[^/]+)(?:\/pages\/(?<id>[1-9]\d*))?(?:\/|$)/;

/** `/confluence/display/ENG/Title`, `/spaces/ENG/pages/123/Title`. Space keys are upper-case, or begin with a tilde. */
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

const spaceKey = text(1, 255).regex(/^~?[\w.:-]+$/, { error: "must be the key of a space, such as ENG" });
const cloudId = text(1, 100).regex(/^[\w-]+$/, { error: "must be a cloud ID: letters, digits and hyphens" });
const pageId = text(1, 20).regex(/^[1-9]\d*$/, { error: "must be the number of a page, as its address has it" });

const options = {
  pageIds: list(pageId, 250).default([]).describe("Pages to read; if empty, and pageUrls too: the whole space."),
  includeSubPages: truth().default(true).describe("Also read the pages below those of pageIds and pageUrls."),
  includeRestricted: truth()
    .default(false)
    .describe("Also read pages with read restrictions, and those below them. The whole teamspace can then see them."),
};

const token = text(1, 4096).regex(/^[\u0021-\u007E]+$/, { error: "must be a token: printable ASCII without blanks" });

const credentialData = z
  .object({
    type: oneOf(confluenceTokens).describe(
      "Of Confluence Cloud: `personal` (an API token without scopes), `scoped` (one with scopes), `service` (of a service account). Of a data center: `pat`.",
    ),
    token: token.describe("The token. Kept encrypted, never shown.").meta({ writeOnly: true }),
    email: text(3, 254)
      .regex(/^[^\s:@]+@[^\s:@]+$/, { error: "must be an e-mail address" })
      .optional()
      .describe("E-mail address of the account; needed with `personal` and `scoped`."),
    cloudId: cloudId.optional().describe("Cloud ID of the token's site; default: the host's answer."),
    expires: z.iso
      .date({ error: "must be a day, such as 2027-01-31" })
      .optional()
      .describe("Expiry date of the token, as shown by Atlassian. Warnings begin 30 days before."),
  })
  .superRefine(({ type, email }, context) => {
    if ((type === "personal" || type === "scoped") && email === undefined)
      context.addIssue({ code: "custom", message: `is needed with a token of type ${type}`, path: ["email"] });
  })
  .meta({ id: "ConfluenceCredential" });

const confluenceBody = z
  .object({
    siteUrl: addressText.describe(
      "Address of the site, such as https://acme.atlassian.net or https://example.com/wiki.",
    ),
    spaceKey: spaceKey.describe("Key of the space, such as ENG."),
    spaceName: text(1, 255).optional().describe("Name of the space: the default title of the library."),
    cloudId: cloudId.optional().describe("Cloud ID of the site. Not needed on *.atlassian.net."),
    projectId: text(0, 255)
      .optional()
      .describe("Of the hosted service; accepted and ignored.")
      .meta({ deprecated: true }),
    pageUrls: list(text(1, 2000), 250).default([]).describe("Like pageIds, but addresses of pages."),
    ...options,
    confluenceCredential: credentialData
      .optional()
      .describe("The library's own credential, in place of a shared one. Kept encrypted, never shown."),
    credential: credentialId
      .optional()
      .describe("ID of a shared credential; default: the newest of the teamspace for the site."),
    ...commonFields,
  })
  .meta({ id: "Confluence" });

const path = "/v2/add/confluence";

/** Spaces of Confluence, in the cloud and in data centers. */
export const confluenceForms: KindForms<ConfluenceCredential> = {
  noun: "Confluence space",
  plural: "Confluence spaces",
  forms: [
    form({
      path,
      address: "siteUrl",
      scope: "submit",
      about: {
        operationId: "addConfluence",
        summary: "Submit a Confluence space",
        description: "Or some of its pages. The library always belongs to the key's teamspace.",
      },
      body: jsonBody(confluenceBody),
      failures: ["duplicate_library", "address_not_allowed", "credential_not_found"],
      async toSubmission({ body: fields, options: settings }) {
        const source = toSpec(fields);
        const credential = oneCredential("confluenceCredential", fields.confluenceCredential, fields.credential);
        const title = fields.spaceName ?? fields.spaceKey;
        return checked(
          submissionOf(source, fields, { title, private: true, credential }),
          new URL(source.siteUrl),
          settings,
        );
      },
    }),
  ],
  credential: {
    data: credentialData,
    own: credentialData.describe("Of a Confluence space: the library's new own credential."),
    trial: ({ host }, typed, { cloudId: cloud }) => trial(/^https?:/i.test(typed) ? typed : `https://${host}`, cloud),
    toSource(address) {
      const fields = parseAddress(address);
      return fields === undefined ? trial(address) : toSpec(confluenceBody.parse({ ...fields }));
    },
  },
  options: optionsForm(options, (spec: ConfluenceSourceSpec, given) => ({ ...spec, ...given })),
  typed(address) {
    const fields = parseAddress(address);
    return fields === undefined ? null : { path, body: { ...fields } };
  },
  place: (source) =>
    placeIn<ConfluenceSourceSpec>(source, ({ siteUrl, spaceKey: key, cloudId: cloud }) => ({
      siteUrl,
      spaceKey: key,
      ...(cloud !== null && { cloudId: cloud }),
    })),
  fields: { credential: "credential" },
};

/** @throws Failure validation_error */
function toSpec(fields: z.infer<typeof confluenceBody>): ConfluenceSourceSpec {
  const { spaceKey: key, cloudId: cloud = null, includeSubPages, includeRestricted } = fields;
  const ids = fields.pageUrls.map((address) => {
    const page = parseAddress(address)?.pageIds?.[0];
    if (page !== undefined) return page;
    const message = `pageUrls has ${address}, which names no page by its number. Open the page, and copy an address with /pages/<number> or pageId=<number>.`;
    throw new Failure("validation_error", message);
  });
  return {
    kind: "confluence",
    siteUrl: siteOf(fields.siteUrl, cloud),
    cloudId: cloud,
    spaceKey: key,
    pageIds: [...new Set([...fields.pageIds, ...ids])],
    includeSubPages,
    includeRestricted,
  };
}

/** A source without a space, for testing a credential. @throws Failure validation_error */
function trial(address: string, cloud: string | null = null): ConfluenceSourceSpec {
  const siteUrl = siteOf(address, cloud);
  const none = { pageIds: [], includeSubPages: false, includeRestricted: false };
  return { kind: "confluence", siteUrl, cloudId: cloud, spaceKey: "", ...none };
}

/** The base address of a site; in the cloud without a path. @throws Failure validation_error */
function siteOf(address: string, cloud: string | null): string {
  const url = httpAddress(address, "siteUrl");
  if (url.hostname === "api.atlassian.com")
    throw new Failure(
      "validation_error",
      "siteUrl must be the address of your site, such as https://acme.atlassian.net.",
    );
  if (cloud !== null || isCloudHost(url.hostname)) return url.origin;
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}
