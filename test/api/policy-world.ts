import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** A server with indexed libraries. */
export async function withLibraries(...ids: readonly string[]) {
  const world = await setup({ rateLimitSubmissions: 1000 });
  for (const id of ids) await world.finish(await world.submit(id), [codePassage]);
  const patch = (body: object, more: object = {}) => world.send("PATCH", "/v2/policies", { body, ...more });
  const filter = (quality: object) => patch({ libraryFilters: { mode: "quality", quality } });
  const ask = (id = ids[0] ?? "", more: object = {}) =>
    world.send("GET", `/v2/context?libraryId=${id}&query=widget`, { key: null, ...more });
  return { ...world, patch, filter, ask };
}

/** The status and message of a refusal; "" for a 200. */
export async function messageOf(answer: Promise<{ status: number; body: unknown }>): Promise<string> {
  const { status, body } = await answer;
  return status === 200 ? "" : `${status} ${(body as { message: string }).message}`;
}
