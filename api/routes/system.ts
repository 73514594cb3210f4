import { setTimeout as sleep } from "node:timers/promises";

import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";

/** Timeout of a part's readiness check, in milliseconds. */
const readyTimeout = 2000;

/** What monitors and clients ask of the server itself; open to all. */
export const systemRoutes: readonly Route[] = [
  open("GET", "/api/health", async () => jsonAnswer({ status: "ok" })),
  open("GET", "/api/ready", ready),
  open("GET", "/api/openapi.json", async ({ options }) => jsonAnswer(options.openapi)),
  // The published command line client sends what it was used for; nothing of it is kept.
  open("POST", "/api/v2/cli/events", async () => ({ status: 204, headers: {}, body: null })),
];

function open(method: "GET" | "POST", path: string, handler: Route["handler"]): Route {
  return { method, path, scope: "open", limit: null, handler };
}

/** Asks every part that answers depend on. @throws Failure search_failed naming the unreachable ones */
async function ready({ options }: Call): Promise<ApiAnswer> {
  const { catalog, snippets, indexing } = options.ports;
  const parts = { catalog, index: snippets, engine: indexing };
  const states = await Promise.all(
    Object.entries(parts).map(async ([name, part]) => {
      try {
        await inTime(part.ready());
        return [name, "ok"] as const;
      } catch (error) {
        options.log.warn({ err: error, part: name }, "not ready");
        return [name, "unreachable"] as const;
      }
    }),
  );
  const missing = states.filter(([, state]) => state !== "ok").map(([name]) => name);
  if (missing.length > 0) {
    throw new Failure("search_failed", `Not ready, unreachable: ${missing.join(", ")}. The server's log says why.`);
  }
  return jsonAnswer({ status: "ready", checks: Object.fromEntries(states) });
}

async function inTime(work: Promise<void>): Promise<void> {
  const late = sleep(readyTimeout, undefined, { ref: false }).then(() => {
    throw new Error(`Timeout after ${readyTimeout} ms.`);
  });
  await Promise.race([work, late]);
}
