import * as z from "zod";

import { runView } from "../library/progress.ts";
import { page } from "../page.ts";
import type { Described } from "../page.ts";
import type { Status } from "../types.ts";

/** How an open run gets on, as events with markup in them, made of the API's stream of the status. */
export const livePage: Described = page({
  path: "/-/live",
  scope: "read",
  parameters: z.object({ id: z.string().max(500) }),
  isPolled: true,
  show: async ({ stream, parameters: { id } }) => ({
    events: progressEvents(await stream("/v2/libs/status/stream", { libraryId: id })),
  }),
});

async function* progressEvents(told: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const event of told) {
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

/** Nothing more will be told: the browser closes the stream, and loads the page anew (static/lectern.js). */
const over = "event: over\ndata: \n\n";

/** An event; of data of several lines each is one of its own. */
function sse(name: string, data: string): string {
  return `event: ${name}\n${data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join("\n")}\n\n`;
}
