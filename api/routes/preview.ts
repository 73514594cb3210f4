import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { previewSource, type Preview, type PreviewProgress } from "../../domain/previewing.ts";
import type { Submission } from "../../domain/submitting.ts";
import { failureBody, jsonAnswer } from "../answers.ts";
import { jsonBody, type BodyKind } from "../body.ts";
import { addressForm, addressForms } from "../forms/index.ts";
import { parseBody } from "../parameters.ts";
import { findingsSchema, toFound } from "../schemas/quarantine.ts";
import { pageSchema } from "../schemas/status.ts";
import { addressIn, renderText } from "../answer/text.ts";
import { route, type Route } from "../route.ts";
import { serverSentEvent } from "./status.ts";

/** Interval of progress events, in milliseconds. */
const progressInterval = 250;

const [first, ...others] = addressForms.map(({ schema }) => schema);
if (!first) throw new Error("No source has an address.");

/** The body of any submission, discriminated by the field with the address. */
const body: BodyKind<Record<string, unknown>> = {
  ...jsonBody(z.looseObject({})),
  content: { "application/json": z.union([first, ...others]).meta({ id: "PreviewedSource" }) },
};

const previewedPageSchema = z.object({
  ...pageSchema.pick({
    path: true,
    url: true,
    code: true,
    reason: true,
    from: true,
    notes: true,
    dropped: true,
    findings: true,
  }).shape,
  outcome: z.enum(["read", "skipped", "failed"]),
  title: z.string().optional().describe("Title of the page, if it is in the sample."),
  snippets: z.int().optional().describe("Snippets of the page, if it is in the sample."),
});

/** The answer of a preview. */
export const previewSchema = z
  .object({
    libraryName: z.string().describe("The ID that the library would have."),
    title: z.string().describe("Display name."),
    description: z.string().describe("Short description."),
    revision: z.string().describe("Commit or hash of the source; empty if only a full read can tell."),
    ref: z.string().nullable().describe("Branch or tag."),
    complete: z
      .boolean()
      .describe("False if the time was too short for the whole source, or not all pages are listed."),
    total: z.int().describe("Number of known pages."),
    pages: z.array(previewedPageSchema).describe("The pages, including skipped ones; 1,000 at most."),
    waiting: z.array(z.string()).describe("Of a website: addresses that were found but not visited; 1,000 at most."),
    notes: z.array(z.string()).describe("Omissions and problems, in sentences."),
    answers: z
      .record(z.string(), z.int())
      .optional()
      .describe("Of a website: number of responses by status; `none`: no response."),
    sample: z.string().describe("Passages of the first pages, as in an answer."),
    quarantined: z
      .array(z.object({ url: z.string().describe("Its address; may be empty."), findings: findingsSchema }))
      .describe("Passages of these pages that the screen would quarantine; 100 at most."),
  })
  .meta({ id: "Preview" });

/** The preview of a submission. */
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
      summary: "Preview a submission",
      description:
        "Takes the body of any submission by address, reads the source for up to 30 seconds, and stores nothing. It visits 25 pages of a website, and extracts passages of five pages. With `Accept: text/event-stream` it sends `progress` events, then `preview` with the answer, or `failure`.",
    },
    body,
    answers: {
      200: {
        description: "What would be indexed.",
        content: { "application/json": previewSchema, "text/event-stream": z.string() },
      },
    },
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
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      let progress: PreviewProgress | undefined;
      const ended = previewSource(options.ports, caller, submission, request.signal, (current) => {
        progress = current;
        begin();
      }).then((preview) => toAnswer(submission, preview));
      if (mediaTypeOf(request.headers["accept"]) !== eventStream) return jsonAnswer(await ended);
      // A preview that fails before it finds anything has the status of its failure.
      await Promise.race([ended, begun]);
      const headers = { "Content-Type": eventStream, "X-Accel-Buffering": "no" };
      return { status: 200, headers, body: previewEvents(ended, () => progress) };
    },
  }),
];

const eventStream = "text/event-stream";

function mediaTypeOf(accept = ""): string {
  return accept.split(/[,;]/)[0]?.trim() ?? "";
}

function toAnswer({ source, chosen, id, title, description }: Submission, preview: Preview): object {
  const { sample, quarantined, isWhole, ...others } = preview;
  return {
    libraryName: id,
    ...others,
    title: chosen?.title ?? (preview.title || title),
    description: chosen?.description ?? (preview.description || description),
    complete: isWhole,
    sample: renderText(sample, addressIn(source)).trimEnd(),
    quarantined: quarantined.map(({ url, findings }) => ({ url, findings: findings.map(toFound) })),
  };
}

/** The progress whenever it changed, and the preview or its failure at the end. */
async function* previewEvents(
  ended: Promise<object>,
  progress: () => PreviewProgress | undefined,
): AsyncGenerator<string, void, undefined> {
  const end = ended.then(
    (preview) => serverSentEvent("preview", JSON.stringify(preview)),
    (error: unknown) => {
      if (error instanceof Failure) return serverSentEvent("failure", JSON.stringify(failureBody(error)));
      throw error;
    },
  );
  for (let sent = ""; ;) {
    const current = JSON.stringify(progress());
    if (current !== sent) yield serverSentEvent("progress", (sent = current));
    const last = await Promise.race([end, pause(progressInterval, undefined, { ref: false })]);
    if (last !== undefined) return yield last;
  }
}
