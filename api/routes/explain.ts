import { searchFields, type ExplainedOrder } from "../../domain/ports.ts";
import { showLibrary } from "../../domain/library.ts";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { jsonAnswer } from "../answers.ts";
import { route, type Route } from "../route.ts";
import { iso, type AnswerOf } from "../schemas/answers.ts";
import { blockSchema, linesSchema, toShownBlock } from "../schemas/blocks.ts";
import { contextSchema } from "../schemas/reading.ts";
import { contextParameters, questionOf, readsContext } from "./context.ts";
import * as z from "zod";

const figure = (description: string): z.ZodNumber => z.number().describe(description);

const passageSchema = z
  .object({
    place: z.int().describe("Rank, from 1."),
    shown: z.boolean().describe("Whether it is in the answer. Others exceeded the budget or the limit."),
    title: z.string().describe("Heading of its section."),
    breadcrumb: z.array(z.string()).describe("Headings above it."),
    page: z.object({ title: z.string(), url: z.string() }),
    url: z.string().describe("Address of its lines at the revision that was read."),
    lines: linesSchema,
    revision: z.string().describe("Commit, hash or date of the source."),
    tokens: z.int().describe("Estimated model tokens."),
    score: figure(
      "`factor * (own + page) + meaning`. The first passage of an operation's page gets the best score of the page.",
    ),
    own: figure("Score of its own fields: the sum of `earned`."),
    pageWorth: figure("Score for the text, path and subject of its page."),
    meaning: figure("Score for what its titles and the beginning of its text mean, whatever the words."),
    factor: figure("Above 1 if it introduces its page, below 1 on pages that are not guides."),
    earned: z.array(z.number()).describe("Score of each of `words`."),
    found: z.array(
      z.object({
        term: z.string(),
        field: z.enum(searchFields),
        times: z.int().describe("Number of occurrences."),
      }),
    ),
    blocks: z.array(blockSchema).describe("Its content; empty unless it is shown."),
  })
  .meta({ id: "ExplainedPassage" });

/** An explained answer. */
export const explainedSchema = z
  .object({
    library: z.string().describe("Library and version of the answer."),
    title: z.string().describe("Its display name."),
    version: z.string().describe("Empty: the default version."),
    revision: z.string().describe("Commit or hash that was read; empty if there is none."),
    updated: z.iso.datetime().describe("When it was read."),
    tokens: z.int().describe("Estimated model tokens of the text form."),
    introduction: z
      .boolean()
      .describe("No passage has a word of the question: the answer, and the figures, are those of an introduction."),
    words: z
      .array(
        z.object({
          word: z.string().describe("A search term of the question: the stem of a word."),
          worth: figure("Maximum score of a passage with the term; higher for rarer terms."),
          terms: z.array(
            z.object({
              term: z.string(),
              as: z
                .enum(["word", "operation", "synonym", "spelling"])
                .describe("The word itself, the mark of API operations for it, a synonym, or the corrected spelling."),
              share: figure("Weight of an occurrence."),
              passages: z.int().describe("Number of passages with the term."),
            }),
          ),
        }),
      )
      .describe("The search terms."),
    meaningBy: z
      .string()
      .describe("What told `meaning`: `table`, the table of word pieces, or the name of the embeddings model."),
    passages: z.array(passageSchema).describe("Passages of the answer, best first; then the best others."),
    notes: z.array(z.string()).readonly().describe("As in the JSON form of the answer; empty if nothing is missing."),
    more: contextSchema.shape.more.unwrap().describe("As in the JSON form of the answer; empty if there is nothing."),
  })
  .meta({ id: "ExplainedAnswer" });

type Explained = AnswerOf<typeof explainedSchema>;

/** Explains the order of an answer. */
export const explainRoute: Route = route({
  ...readsContext,
  path: "/api/v2/context/explain",
  about: {
    operationId: "explainContext",
    tag: "Reading",
    summary: "Explain an answer",
    description:
      "The passages of the text answer of `GET /v2/context`, with their addresses and the figures that order them. Metrics do not count it.",
  },
  parameters: contextParameters.omit({ type: true }),
  answers: { 200: { description: "Success.", content: { "application/json": explainedSchema } } },
  async handler({ caller, parameters, memory, act }) {
    const explained = await memory.explain(caller, questionOf(parameters), act);
    const { located, text, shown, next, notes, more, isIntroduction, order } = explained;
    const { library, version, generation } = located;
    const passages = [...shown.map((one) => [one, true] as const), ...next.map((one) => [one, false] as const)];
    const answer: Explained = {
      library: showLibrary(library.id, version),
      title: library.title,
      version,
      revision: generation.revision,
      updated: iso(generation.createdAt),
      tokens: estimateTokens(text),
      introduction: isIntroduction,
      words: order.words,
      meaningBy: order.meaningBy,
      passages: passages.flatMap(([passage, isShown]) => toExplained(passage, isShown, order)),
      notes,
      more,
    };
    return jsonAnswer(answer);
  },
});

/** A passage with its figures; none if it has no rank, which no passage of an answer lacks. */
function toExplained(passage: Passage, shown: boolean, order: ExplainedOrder): Explained["passages"] {
  const { title, breadcrumb, page, source, tokens, blocks } = passage;
  const at = order.passages.findIndex(({ candidate }) => candidate.id === passage.id);
  const ranked = order.passages[at];
  if (ranked === undefined) return [];
  const { candidate: _, page: pageWorth, ...figures } = ranked;
  return [
    {
      place: at + 1,
      shown,
      title,
      breadcrumb,
      page: { title: page.title, url: page.url },
      url: source.url,
      ...(source.lines && { lines: source.lines }),
      revision: source.revision,
      tokens,
      ...figures,
      pageWorth,
      blocks: shown ? blocks.map(toShownBlock) : [],
    },
  ];
}
