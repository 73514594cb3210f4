import type * as CssSelect from "css-select";
import { createRequire } from "node:module";
import * as z from "zod";
import { websiteScopes, type WebsiteCredential, type WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { jsonBody } from "../body.ts";
import { integer, list, text, truth } from "../parameters.ts";
import { addressText, httpAddress } from "./fields.ts";
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
import { isGitAddress } from "./git.ts";

/** Headers that a submission must not set. */
const reserved =
  /^(?:accept|accept-encoding|connection|content-.*|expect|forwarded|host|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*)$/;

const token = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const maxHeaders = 20;

const headers = z
  .record(
    z.string(),
    z.string().regex(/^[\t\u0020-\u007E]{1,4096}$/, { error: "must be 1 to 4096 characters of ASCII" }),
    { error: "must be an object of texts" },
  )
  .refine((headers) => !Object.keys(headers).some((name) => reserved.test(name.toLowerCase())), {
    error: "must have only headers that identify a reader, such as Authorization or Cookie",
  })
  .refine((headers) => Object.keys(headers).every((name) => token.test(name)), {
    error: "must have names of headers (RFC 9110)",
  })
  .overwrite((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );

/** Request headers by lower-case name. The count is checked first, so that a huge object costs nothing. */
const headersSchema: z.ZodType<Record<string, string>> = z.preprocess((value, context) => {
  if (typeof value !== "object" || value === null || Object.keys(value).length <= maxHeaders) return value;
  context.addIssue({ code: "custom", message: `must have at most ${maxHeaders} entries`, input: value });
  return z.NEVER;
}, headers);

/** A path pattern with few stars: each makes matching more expensive, and more are added for parent and child folders. */
const pattern = text(1, 200).refine((value) => (value.replace(/(?<!\/)\/+\**$/, "").match(/\*+/g) ?? []).length <= 2, {
  error: "has stars in more than 2 places",
});

/** Loads css-select with the first selector: a command line that submits a source should start at once. */
const require = createRequire(import.meta.url);

/** A selector that css-select, which supports a part of CSS, can compile. */
const selector = text(1, 200).superRefine((value, context) => {
  try {
    (require("css-select") as typeof CssSelect).compile(value);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    context.addIssue({
      code: "custom",
      message: `is no CSS selector that can be used: ${error.message}`,
      input: value,
    });
  }
});

const options = {
  websiteBaseUrl: addressText
    .optional()
    .describe("Only pages whose addresses begin with this are read. It may be on another host than websiteUrl."),
  scope: z
    .enum(websiteScopes)
    .default("subpages")
    .describe("Extent of the site: the folder of its address, its host, or all hosts of its domain."),
  maxPages: integer(1, 50_000).default(1000).describe("Maximum number of pages."),
  maxDepth: integer(0, 100)
    .default(5)
    .describe("Maximum number of links between websiteUrl and a page. Pages of sitemaps are one link away."),
  includePatterns: list(pattern, 100).default([]).describe("Paths to read, such as `/guide/**`; default: all."),
  excludePatterns: list(pattern, 100).default([]).describe("Paths to skip with everything below, such as `/blog`."),
  excludeSelectors: list(selector, 50)
    .default([])
    .describe("CSS selectors of elements to leave out, such as `.feedback`."),
  keepQuery: truth().default(true).describe("Addresses with different queries are different pages."),
  keepHash: truth()
    .default(false)
    .describe("Addresses with different routes as fragments (`#/guide`) are different pages."),
};

const websiteBody = z
  .object({
    websiteUrl: addressText.describe("Absolute http or https address of a documentation page, without credentials."),
    ...options,
    headers: headersSchema
      .optional()
      .describe("Headers to send to the site's own origin, such as Authorization. Kept encrypted, never shown.")
      .meta({ writeOnly: true }),
    credential: credentialId
      .optional()
      .describe("ID of a shared credential, in place of headers. Private libraries only."),
    ...commonFields,
    private: truth()
      .optional()
      .describe("Belongs to the key's teamspace. Default: true with headers or a credential, else false."),
  })
  .meta({ id: "Website" });

const path = "/v2/add/website";

/** Websites, read by following their links. */
export const websiteForms: KindForms<WebsiteCredential> = {
  noun: "website",
  plural: "websites",
  forms: [
    form({
      path,
      address: "websiteUrl",
      scope: "submit",
      about: {
        operationId: "addWebsite",
        summary: "Submit a website",
        description: "Its pages are found through its llms.txt, its sitemaps, its search index, and its links.",
      },
      body: jsonBody(websiteBody),
      failures: ["duplicate_library", "address_not_allowed", "credential_not_found"],
      async toSubmission({ body: fields, options }) {
        const source = toSpec(fields);
        const url = new URL(source.url);
        const { headers } = fields;
        const credential = oneCredential("headers", headers && { headers }, fields.credential);
        const isPrivate = fields.private ?? credential !== undefined;
        return checked(submissionOf(source, fields, { title: url.host, private: isPrivate, credential }), url, options);
      },
    }),
  ],
  credential: {
    data: z
      .object({ headers: headersSchema.describe("Headers to send to the site. Kept encrypted, never shown.") })
      .meta({ id: "WebsiteCredential" }),
    own: headersSchema
      .transform((headers): WebsiteCredential => ({ headers }))
      .describe("Of a website: the library's new own headers."),
    toSource: (address) => toSpec(websiteBody.parse({ websiteUrl: address })),
  },
  options: optionsForm(
    options,
    (spec: WebsiteSourceSpec, given) => {
      const { websiteBaseUrl, ...others } = given;
      return { ...spec, ...others, ...("websiteBaseUrl" in given && { base: toBase(websiteBaseUrl) }) };
    },
    ({ base, ...others }) => ({ ...others, websiteBaseUrl: base }),
  ),
  typed(address) {
    if (!/^https?:\/\//i.test(address) || isGitAddress(address)) return null;
    return { path, body: { websiteUrl: address } };
  },
  place: (source) => placeIn<WebsiteSourceSpec>(source, ({ url }) => ({ websiteUrl: url })),
  fields: { headers: "headers", credential: "credential" },
};

/** @throws Failure validation_error */
function toSpec(fields: z.infer<typeof websiteBody>): WebsiteSourceSpec {
  const { websiteUrl, websiteBaseUrl, scope, maxPages, maxDepth, keepQuery, keepHash } = fields;
  const { includePatterns, excludePatterns, excludeSelectors } = fields;
  const url = httpAddress(websiteUrl, "websiteUrl");
  const base = toBase(websiteBaseUrl);
  const limits = { scope, maxPages, maxDepth, keepQuery, keepHash };
  const patterns = { includePatterns, excludePatterns, excludeSelectors };
  return { kind: "website", url: url.href, base, ...limits, ...patterns };
}

/** @throws Failure validation_error */
function toBase(address: string | undefined): string | null {
  return address === undefined ? null : httpAddress(address, "websiteBaseUrl").href;
}
