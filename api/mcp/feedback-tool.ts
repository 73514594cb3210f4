import * as z from "zod";
import { feedbackFields } from "../routes/feedback.ts";
import { succeed, tool, type Tool } from "./tool.ts";

const reported = z.object({
  libraryId: feedbackFields.libraryId,
  message: z.string().describe("What was done."),
});

/** The tool that says whether an answer helped. */
export const reportAnswer: Tool = tool({
  name: "report-answer",
  title: "Report an answer",
  description:
    "Tells the administrators of a library that an answer of query-docs or read-page was wrong or lacked what was asked, or that it helped, so that they can improve it. Use it once you know, at most once for a question. Write nothing that is secret, or about the user.",
  scope: null,
  changes: true,
  input: z.object(feedbackFields),
  output: reported,
  async run(ask, body) {
    const { body: answer } = await succeed(ask, "POST", "/v2/feedback", { body });
    const data = reported.parse(answer);
    return { text: data.message, data };
  },
});
