import { codePassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** A server with an indexed library, and `ask` for its context. */
export async function live() {
  const world = await setup();
  await world.finish(await world.submit("/acme/widgets"), [prosePassage, codePassage]);
  const ask = (query: string, request = {}) =>
    world.send("GET", `/v2/context?libraryId=/acme/widgets&${query}`, { key: null, ...request });
  return { ...world, ask };
}
