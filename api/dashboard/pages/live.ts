import * as z from "zod";

import { runView } from "../library/progress.ts";
import { page } from "../page.ts";
import type { Described } from "../page.ts";
import type { Status } from "../types.ts";

/** The progress of an open run as events with markup, from the status stream of the API. */
export const livePage: Described = page({
  path: "/-/live",
  scope: "read",
  parameters: z.object({ id: z.string().max(500) }),
  isPolled: true,
  async show({ stream, request, dashboard, parameters: { id } }) {
    const isOver = async () => (await dashboard.sessions.withoutEnded(request)) !== request;
    return { events: progressEvents(await stream("/v2/libs/status/stream", { libraryId: id }), isOver) };
  },
});

async function* progressEvents(
  told: AsyncIterable<string>,
  isOver: () => Promise<boolean>,
): AsyncGenerator<string, void, undefined> {
  for await (const event of told) {
    if (await isOver()) return yield over;
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(event) ?? [];
    if (name === "") yield event;
    else if (name !== "status") yield over;
    else {
      const { openRun } = JSON.parse(data) as Status;
      if (!openRun) {
        yield over;
        return;
      }
      yield sse("progress", runView(openRun, Date.now()).toString());
    }
  }
}

/** The last event: the browser closes the stream, and reloads the page (static/lectern.js). */
const over = "event: over\ndata: \n\n";

/** A server-sent event; each line of its data gets a `data:` field. */
function sse(name: string, data: string): string {
  return `event: ${name}\n${data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join("\n")}\n\n`;
}
