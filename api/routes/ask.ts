import { chooseLibrary } from "../../domain/asking.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { ifNoneMatch, cachedAnswers, route, type Route } from "../route.ts";
import { askSchema, contextText } from "../schemas/reading.ts";
import { context, contextParameters, questionOf, readsContext } from "./context.ts";

/** Answers a question to no library in particular from the library that answers it best. */
export const askRoute: Route = route({
  ...readsContext,
  path: "/api/v2/ask",
  about: {
    operationId: "ask",
    tag: "Reading",
    summary: "Ask all libraries",
    description:
      "The answer of `GET /v2/context` from the library that answers best: of the libraries that the question names, or else of the five whose documentation says most about it. It begins with the library and others that may answer. Only libraries of this server are asked.",
    headers: { "If-None-Match": ifNoneMatch },
  },
  answers: {
    ...readsContext.answers,
    ...cachedAnswers(
      {
        "text/plain": contextText.describe(
          "The answer of `GET /v2/context` below a sentence that names the library, and others that may answer.",
        ),
        "application/json": askSchema,
      },
      ["X-Lectern-Library"],
    ),
  },
  parameters: contextParameters.omit({ libraryId: true }),
  async handler(call) {
    const { parameters, caller, options, memory } = call;
    const question = questionOf({ ...parameters, libraryId: "" });
    await memory.turn(caller.keyId ?? "");
    const { libraryId, others } = await chooseLibrary(options.ports, caller, question);
    const sentence = sentenceOn(libraryId, others);
    const tokens = Math.max(question.tokens - estimateTokens(sentence), 1);
    return context(
      { ...call, parameters: { ...parameters, tokens, libraryId } },
      {
        of: [libraryId, others],
        framed: (body) =>
          typeof body === "string" ? `${sentence}\n\n${body}` : { library: libraryId, others: [...others], ...body },
      },
    );
  },
});

/** The sentence above the text of an answer. */
function sentenceOn(libraryId: string, others: readonly string[]): string {
  const rest = others.length === 0 ? "" : ` Others that may: ${others.join(", ")}.`;
  return `Answered from ${libraryId}.${rest}`;
}
