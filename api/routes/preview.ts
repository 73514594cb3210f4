import * as z from "zod";

import { kindOf } from "../../domain/kinds/index.ts";
import { previewSource } from "../../domain/previewing.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { BodyKind } from "../body.ts";
import { addressForm, addressForms } from "../forms/index.ts";
import { parseBody } from "../parameters.ts";
import { findingsSchema, heldBackSchema, toFound } from "../schemas/quarantine.ts";
import { renderText } from "../render-text.ts";
import type { AddressOf } from "../render-text.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";

const [first, ...others] = addressForms.map(({ schema }) => schema);
if (!first) throw new Error("No source has an address.");

/** The body of any submission, discriminated by the field with the address. */
const body: BodyKind<Record<string, unknown>> = {
  ...jsonBody(z.looseObject({})),
  content: { "application/json": z.union([first, ...others]).meta({ id: "PreviewedSource" }) },
};

const pageSchema = z.object({
  path: z.string().describe("Path in a tree, or address."),
  url: z.string().describe("Address."),
  outcome: z.enum(["read", "skipped", "failed"]),
  code: z.string().optional().describe("Why it is left out, or failed."),
  reason: z.string().optional().describe("The same as a sentence."),
  title: z.string().optional().describe("Title; of pages in the sample."),
  from: z.string().optional().describe("Of a website: address of the page that led to it."),
  snippets: z.int().optional().describe("Snippets that came of it; of pages in the sample."),
  notes: z
    .array(z.string())
    .optional()
    .describe(
      "What it includes or refers to and cannot be found, and what is wrong with an API description, in sentences.",
    ),
  findings: heldBackSchema,
});

/** The answer of a preview. */
export const previewSchema = z
  .object({
    libraryName: z.string().describe("The ID that the library would have."),
    title: z.string().describe("Display name."),
    description: z.string().describe("Short description."),
    revision: z.string().describe("What was read: a commit or a hash; empty where only a whole reading tells."),
    ref: z.string().nullable().describe("Branch or tag."),
    complete: z
      .boolean()
      .describe("False: there was no time for all of the source, or it has more pages than are listed."),
    total: z.int().describe("Pages there are, as far as that is known."),
    pages: z.array(pageSchema).describe("The pages, those that are left out among them; 1,000 at most."),
    waiting: z.array(z.string()).describe("Of a website: addresses that were found and not visited; 1,000 at most."),
    notes: z
      .array(z.string())
      .describe("What of the source is not read, and what is wrong with an API description, in sentences."),
    answers: z
      .record(z.string(), z.int())
      .optional()
      .describe("Of a website: how often its hosts have answered with which status; `none`: no answer."),
    sample: z.string().describe("Passages of the first pages that would be served, as an answer shows them."),
    quarantined: z
      .array(z.object({ url: z.string().describe("Where it stands; may be empty."), findings: findingsSchema }))
      .describe("The passages of these pages that the screen would hold back; 100 at most."),
  })
  .meta({ id: "Preview" });

/** What submitting a source would index. */
export const previewRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/v2/preview",
    limit: "submission",
    scope: "submit",
    audit: "library.preview",
    about: {
      operationId: "previewSource",
      tag: "Submissions",
      summary: "Show what a submission would index",
      description:
        "Takes the body of any submission by address, reads the source for up to 30 seconds, and keeps nothing. Five pages are extracted from; of a website 25 are visited.",
    },
    body,
    answers: success(previewSchema, "What would be indexed."),
    failures: [
      "invalid_library_id",
      "service_unavailable",
      "access_denied",
      "address_not_allowed",
      "credential_not_found",
      "source_not_found",
      "source_refused",
      "source_unreachable",
      "source_invalid",
      "branch_not_found",
      "library_too_large",
      "timeout",
    ],
    async handler(call) {
      const { caller, options, body: raw, request, act } = call;
      const form = addressForm(raw);
      const fields = parseBody(form.schema, raw);
      const submission = await form.toSubmission({ ...call, body: fields });
      act.on(submission.id);
      const found = await previewSource(options.ports, caller, submission, request.signal);
      const { source, chosen, id, title, description } = submission;
      const { sample, quarantined, isWhole, ...shown } = found;
      const { address } = kindOf(source);
      const addressOf: AddressOf = ({ page }, lines) => address(source, page.url, { lines });
      return jsonAnswer({
        libraryName: id,
        ...shown,
        title: chosen?.title ?? (found.title || title),
        description: chosen?.description ?? (found.description || description),
        complete: isWhole,
        sample: renderText(sample, addressOf).trimEnd(),
        quarantined: quarantined.map(({ url, findings }) => ({ url, findings: findings.map(toFound) })),
      });
    },
  }),
];
