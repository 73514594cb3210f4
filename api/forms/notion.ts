import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { NotionCredential, NotionSourceSpec } from "../../domain/kinds/index.ts";
import { notionIdOf, notionTitleOf } from "../../domain/kinds/notion.ts";
import { jsonBody } from "../body.ts";
import { list, text, truth } from "../parameters.ts";
import { libraryTitle } from "./fields.ts";
import { commonFields, credentialId, form, oneCredential, placeIn, submissionOf, type KindForms } from "./form.ts";

/** The secret of an integration, valid in a header. */
const token = z
  .string()
  .trim()
  .regex(/^[\u0021-\u007E]{10,500}$/, { error: "must be the secret of an integration, 10 to 500 characters of ASCII" });

const notionBody = z
  .object({
    workspaceId: text(1, 100)
      .optional()
      .describe("ID of the workspace. Only a shared credential for it, or for any workspace, is used then."),
    workspaceName: text(1, 200).optional().describe("Name of the workspace."),
    pageIds: list(text(1, 1000), 1000)
      .default([])
      .describe("IDs or addresses of pages and databases, read with everything below them; default: all shared ones."),
    pageUrls: list(text(1, 1000), 1000).default([]).describe("Like pageIds."),
    notionToken: token
      .optional()
      .describe("Secret of an integration. Kept encrypted, never shown.")
      .meta({ writeOnly: true }),
    credential: credentialId
      .optional()
      .describe("ID of a shared credential. Default: the teamspace's for the workspace."),
    ...commonFields,
    title: libraryTitle.describe("Display name, from which the library's ID is derived."),
    private: truth().optional().describe("Always true: the library belongs to the key's teamspace."),
    // Accepted for the published clients.
    projectId: text(1, 200).optional().describe("Accepted and ignored.").meta({ deprecated: true }),
  })
  .meta({ id: "Notion" });

const path = "/v2/add/notion";

/** Pages of Notion that are shared with an integration. */
export const notionForms: KindForms<NotionCredential> = {
  noun: "library from Notion",
  plural: "libraries from Notion",
  forms: [
    form({
      path,
      address: "pageUrls",
      scope: "submit",
      about: {
        operationId: "addNotion",
        summary: "Submit pages of Notion",
        description:
          "Pages and databases that are shared with an integration, and everything below them. The library belongs to the key's teamspace.",
      },
      body: jsonBody(notionBody),
      failures: ["duplicate_library", "credential_not_found"],
      async toSubmission({ body: fields }) {
        if (fields.private === false)
          throw new Failure("validation_error", "Libraries from Notion are always private. Leave private out.");
        const source = toSpec(fields);
        const { notionToken } = fields;
        const own: NotionCredential | undefined = notionToken === undefined ? undefined : { token: notionToken };
        const credential = oneCredential("notionToken", own, fields.credential);
        return submissionOf(source, fields, { title: fields.title, private: true, credential });
      },
    }),
  ],
  credential: {
    data: z
      .object({ token: token.describe("Secret of an integration. Kept encrypted, never shown.") })
      .meta({ id: "NotionCredential" }),
    own: token
      .transform((secret): NotionCredential => ({ token: secret }))
      .describe("Of a library from Notion: the library's new own secret."),
    tenant: text(1, 100).optional().describe("ID of the token's workspace; default: any."),
    trial: ({ tenant }) => ({ kind: "notion", workspaceId: tenant ?? null, pageIds: [] }),
    toSource: (address) => toSpec({ pageIds: [], pageUrls: [address] }),
  },
  typed(address) {
    if (!/^https?:\/\//i.test(address) || notionIdOf(address) === null) return null;
    // The address may have no title.
    return { path, body: { pageUrls: [address], title: notionTitleOf(address).slice(0, 100) || "Notion" } };
  },
  place: (source) =>
    placeIn<NotionSourceSpec>(source, ({ workspaceId, pageIds }) => ({
      pageUrls: pageIds,
      ...(workspaceId !== null && { workspaceId }),
    })),
  fields: { token: "notionToken", credential: "credential" },
};

/** @throws Failure validation_error */
function toSpec({
  workspaceId,
  pageIds,
  pageUrls,
}: Pick<z.infer<typeof notionBody>, "pageIds" | "pageUrls" | "workspaceId">): NotionSourceSpec {
  const ids = [...pageIds, ...pageUrls].map((given) => {
    const id = notionIdOf(given);
    if (id !== null) return id;
    const message = `"${given.slice(0, 100)}" names no page of Notion. Give an address such as https://www.notion.so/Handbook-0123456789abcdef0123456789abcdef, or the ID at its end.`;
    throw new Failure("validation_error", message);
  });
  return { kind: "notion", workspaceId: workspaceId ?? null, pageIds: [...new Set(ids)] };
}
