import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serve } from "../sources/fetch/setup.ts";

/** Groups of words that mean the same; each is a dimension. */
const concepts = [/\b(?:delete|removal|erasing|elephants?)\b/i, /\b(?:colours?|paint)\b/i, /\bmake\b/i];

/** The vector of a text: for each concept whether the text has it; never zero. */
const vectorOf = (of: string): number[] => [...concepts.map((concept) => (concept.test(of) ? 1 : 0)), 0.1];

/** A request to an embeddings API. */
interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly authorization: string | undefined;
}

/** An embeddings server on the loopback address that knows some concepts. `answer` replaces its answers, `hold` delays them; all requests are in `asked`. */
export async function startEmbeddings() {
  const state = {
    asked: [] as Asked[],
    answer: undefined as ((response: ServerResponse, input: readonly string[]) => unknown) | undefined,
    /** Delays answers. */
    hold: undefined as ((input: readonly string[]) => Promise<void> | undefined) | undefined,
    /** The texts that were asked, without those that only try the server. */
    texts: (): readonly string[] => state.asked.flatMap(({ input }) => input).filter((one) => one !== "ready"),
  };
  const host = await serve(async (request, response) => {
    const { model, input } = JSON.parse(await text(request)) as Omit<Asked, "authorization">;
    state.asked.push({ model, input, authorization: request.headers.authorization });
    await state.hold?.(input);
    if (request.url !== "/v1/embeddings") response.writeHead(404).end();
    else if (state.answer) state.answer(response, input);
    // In the other order, as the API allows.
    else
      response.end(
        JSON.stringify({ data: input.map((one, index) => ({ index, embedding: vectorOf(one) })).toReversed() }),
      );
  });
  return { state, url: `http://${host}/v1` };
}
