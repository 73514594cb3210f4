import { expect, it } from "vitest";
import type { PreviewingPorts } from "../../domain/previewing.ts";
import { Failure } from "../../domain/failures.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

const body = { path: "/srv/docs/guide" };

/** The answer of a preview as events, by the server whose previews are made by `previewOf`. */
async function eventsOf(previewOf: PreviewingPorts["previewOf"]) {
  const world = await setup();
  Object.assign(world.options.ports, { previewOf });
  const { key } = await world.addKey(["admin"]);
  const { server } = await serve(world.app);
  const answer = await fetch(`${server.url}/api/v2/preview`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

it("sends what was found so far, then the failure", async () => {
  const { status, text } = await eventsOf(async (_source, _credential, _signal, onProgress) => {
    onProgress?.({ done: 1, total: 7, path: "guide.md" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Failure("source_unreachable", "The host is away.");
  });
  expect(status).toBe(200);
  expect(text).toBe(
    'event: progress\ndata: {"done":1,"total":7,"path":"guide.md"}\n\n' +
      'event: failure\ndata: {"error":"source_unreachable","message":"The host is away."}\n\n',
  );
});

it("has the status of a failure before anything was found", async () => {
  const { status, text } = await eventsOf(async () => {
    throw new Failure("source_not_found", "There is no such folder.");
  });
  expect(status).toBe(404);
  expect(JSON.parse(text)).toMatchObject({ error: "source_not_found" });
});
