import type { ExplainedOrder } from "../../domain/ports.ts";
import { showLibrary } from "../../domain/library.ts";
import type { Passage, PassageBlock } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { jsonAnswer } from "../answers.ts";
import { route } from "../route.ts";
import type { Route } from "../route.ts";
import { iso } from "../schemas/common.ts";
import type { AnswerOf } from "../schemas/common.ts";
import { explainedSchema } from "../schemas/explained.ts";
import { askedOf, contextParameters, readsContext } from "./context.ts";

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
      "The passages of the answer that `GET /v2/context` gives as text, where each stands, and the figures by which they are ordered. It counts as no question in metrics.",
  },
  parameters: contextParameters.omit({ type: true }),
  answers: { 200: { description: "Success.", content: { "application/json": explainedSchema } } },
  async handler({ caller, parameters, memory, act }) {
    const { located, text, shown, next, isIntroduction, order } = await memory.explain(
      caller,
      askedOf(parameters),
      act,
    );
    const { library, version, generation } = located;
    const passages = [...shown.map((one) => [one, true] as const), ...next.map((one) => [one, false] as const)];
    const explained: Explained = {
      library: showLibrary(library.id, version),
      title: library.title,
      version,
      revision: generation.revision,
      updated: iso(generation.createdAt),
      tokens: estimateTokens(text),
      introduction: isIntroduction,
      words: order.words,
      passages: passages.map(([passage, isShown]) => toExplained(passage, isShown, order)),
    };
    return jsonAnswer(explained);
  },
});

const unranked = { score: 0, own: 0, beside: 0, page: 0, factor: 1, earned: [], found: [] };

function toExplained(passage: Passage, shown: boolean, order: ExplainedOrder): Explained["passages"][number] {
  const { title, breadcrumb, page, source, tokens, blocks } = passage;
  const at = order.passages.findIndex(({ candidate }) => candidate.id === passage.id);
  const { score, own, beside, page: pageWorth, factor, earned, found } = order.passages[at] ?? unranked;
  return {
    place: at < 0 ? null : at + 1,
    shown,
    title,
    breadcrumb,
    page: { title: page.title, url: page.url },
    url: source.url,
    ...(source.lines && { lines: source.lines }),
    revision: source.revision,
    tokens,
    score,
    own,
    beside,
    pageWorth,
    factor,
    earned,
    found,
    blocks: shown ? blocks.map(toBlock) : [],
  };
}

function toBlock(block: PassageBlock): Explained["passages"][number]["blocks"][number] {
  if (block.type === "prose") return { type: "prose", markdown: block.markdown };
  const codes = block.codes.map(({ language, code, file, label, madeFrom }) => {
    const name = file ?? label;
    return { language, code, ...(name !== undefined && { name }), ...(madeFrom !== undefined && { madeFrom }) };
  });
  return { type: "code", url: block.url, ...(block.lines && { lines: block.lines }), codes };
}
