import * as z from "zod";
import {
  changeTeamNote,
  giveFeedback,
  listFeedback,
  maxComment,
  maxTeamNote,
  teamNoteOf,
} from "../../domain/feedback.ts";
import { verdicts } from "../../domain/catalog-feedback.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { libraryIdText, oneOf, text } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { wordsOf } from "../usage.ts";

const message = z.string().describe("What was done.");
const libraryId = libraryIdText.describe("Library ID; with a version, unless the default one is meant.");

/** The fields of feedback, for the tool of agents too. */
export const feedbackFields = {
  libraryId,
  verdict: oneOf(verdicts).describe(
    "helpful; wrong: something in it is not true or outdated; missing: it lacks what was asked.",
  ),
  query: text(1, 500).optional().describe("The question. Only its words are kept, without addresses."),
  comment: text(1, maxComment).optional().describe("What is wrong or missing, in a sentence."),
};

/** The feedback on a library. */
export const feedbackSchema = z
  .object({
    libraryId: z.string().describe("The library's ID."),
    feedback: z
      .array(
        z.object({
          verdict: z.enum(verdicts).describe("What it says of the answer."),
          version: z.string().describe("The version that answered; empty: the default one."),
          words: z.string().describe("Words of the question; may be empty."),
          comment: z.string().describe("Untrusted text of the caller; may be empty."),
          teamspace: z.string().describe("Teamspace of the caller; empty: it had no key."),
          at: time("When it was given."),
        }),
      )
      .describe("Latest first; a hundred of callers with a key, and of others, at most."),
    missedQuestions: z
      .array(
        z.object({
          words: z.string().describe("Words of the question."),
          times: z.int().describe("How often it was asked."),
          lastAskedAt: time("When it was last asked."),
        }),
      )
      .describe("Questions that found nothing, latest first; a hundred at most."),
  })
  .meta({ id: "FeedbackList" });

const noteText = z.string().max(maxTeamNote).describe(`Markdown, ${maxTeamNote} characters at most; empty: none.`);
const noteSchema = z.object({ libraryId: z.string().describe("The library, as in the request."), text: noteText });
const failures = [...libraryFailures, "library_redirected"] as const;

/** Feedback on answers, and what teams note beside them. */
export const feedbackRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/v2/feedback",
    scope: "anonymous",
    limit: "read",
    about: {
      operationId: "giveFeedback",
      tag: "Reading",
      summary: "Say whether an answer helped",
      description: "The administrators of the library see it; no agent does.",
    },
    body: jsonBody(z.object(feedbackFields).meta({ id: "Feedback" })),
    answers: success(z.object({ libraryId: z.string().describe("The library, as in the request."), message })),
    failures: [...failures, "access_denied"],
    async handler({ caller, body, options: { ports, settings } }) {
      const { libraryId, verdict, query = "", comment = "" } = body;
      const isKept = settings.feedbackDays > 0;
      if (isKept) await giveFeedback(ports, caller, libraryId, { verdict, words: wordsOf(query), comment });
      const done = isKept ? "The administrators of the library see it." : "This server keeps no feedback.";
      return jsonAnswer({ libraryId, message: `Thank you. ${done}` });
    },
  }),
  route({
    method: "GET",
    path: "/api/v2/libs/feedback",
    scope: "admin",
    limit: "read",
    about: {
      operationId: "listFeedback",
      tag: "Operations",
      summary: "List the feedback on a library, and the questions that found nothing",
    },
    parameters: z.object({ libraryId }),
    answers: success(feedbackSchema),
    failures: libraryFailures,
    async handler({ caller, parameters, options: { ports } }) {
      const { id, feedback, misses } = await listFeedback(ports, caller, parameters.libraryId);
      return jsonAnswer({
        libraryId: id,
        feedback: feedback.map(({ verdict, version, words, comment, teamspace, at }) => ({
          verdict,
          version,
          words,
          comment,
          teamspace,
          at: iso(at),
        })),
        missedQuestions: misses.map(({ words, times, askedAt }) => ({ words, times, lastAskedAt: iso(askedAt) })),
      });
    },
  }),
  route({
    method: "GET",
    path: "/api/v2/libs/team-note",
    scope: "admin",
    limit: "read",
    about: { operationId: "getTeamNote", tag: "Policies", summary: "Get the teamspace's note on a library" },
    parameters: z.object({ libraryId }),
    answers: success(noteSchema),
    failures,
    handler: async ({ caller, parameters, options }) =>
      jsonAnswer({
        libraryId: parameters.libraryId,
        text: await teamNoteOf(options.ports, caller, parameters.libraryId),
      }),
  }),
  route({
    method: "PATCH",
    path: "/api/v2/libs/team-note",
    scope: "admin",
    limit: "read",
    audit: "library.note",
    about: {
      operationId: "changeTeamNote",
      tag: "Policies",
      summary: "Change the teamspace's note on a library",
      description:
        "It follows the answers of the library, marked as the team's, for callers of the teamspace only. It is screened as documentation is.",
    },
    body: jsonBody(z.object({ libraryId, text: noteText.transform((given) => given.trim()) }).meta({ id: "TeamNote" })),
    answers: success(noteSchema.extend({ message })),
    failures: [...failures, "service_unavailable"],
    async handler({ caller, body: { libraryId, text }, options }) {
      const done = await changeTeamNote(options.ports, caller, libraryId, text);
      return jsonAnswer({ libraryId, text, message: done });
    },
  }),
];
