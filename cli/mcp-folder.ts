import type { Logger } from "pino";
import { createDesk } from "../api/mcp/server.ts";
import type { Ask } from "../api/mcp/tool.ts";
import type { ApiAnswer } from "../api/answers.ts";
import { toQuery, type ApiRequest } from "../api/request.ts";
import { makeKey } from "../api/keys.ts";
import type { Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { compose } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { keepOwnDocs } from "./own-docs.ts";
import { openApp } from "./serving.ts";
import { isCluster } from "./stores.ts";
import { keepSweeping } from "./sweeping.ts";
import { programName } from "./program-name.ts";

/**
 * The tools of a data folder, which this process locks: a whole server without a socket, which also indexes added sources. The caller has
 * all rights.
 * @throws Failure service_unavailable if the folder is in use, validation_error in a cluster
 */
export async function openFolderDesk(config: Config, log: Logger) {
  if (isCluster(config))
    throw new Failure(
      "validation_error",
      "--data does not work with the settings of a cluster. Omit it to use a server.",
    );
  const data = await openDataFolder(config.dataDir).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message} If a server uses it, run ${programName()} mcp without --data.`;
    throw new Failure(error.code, message, { cause: error });
  });
  await using opened = new AsyncDisposableStack();
  opened.defer(data.close);
  const stopped = new AbortController();
  const lectern = await compose({ ...config, readThreads: 0 }, { dataFolder: data.path, name: "lectern mcp", log });
  opened.defer(lectern.close);
  const { key, hash } = makeKey();
  // Standard output belongs to the protocol.
  const auditLog = config.auditLog === "stdout" ? null : config.auditLog;
  const app = await openApp({ ...config, auditLog }, lectern, log, hash);
  opened.defer(app.close);
  const { ports, sweep } = lectern;
  const isNew = (await ports.catalog.libraries.list({ teamspaces: [""], patterns: [], limit: 1 })).total === 0;
  const closing = opened.move();
  const begin = async (): Promise<void> => {
    const first = await sweep({ thorough: true }, { signal: stopped.signal, report: () => {} });
    await lectern.open();
    if (config.indexOwnDocs) closing.defer(await keepOwnDocs({ ports, first: isNew, log }));
    const every = config.sweepSeconds * 1000;
    closing.defer(keepSweeping({ sweep, first, every, generations: ports.catalog.generations, log }));
    closing.defer(lectern.rest);
  };
  // Not awaited, as an agent waits only a few seconds for its servers.
  const begun = begin();
  begun.catch(() => {});
  return {
    desk: createDesk(true, () => askWith(app.answer, key)),
    /** Rejects if the execution of runs fails. */
    ended: begun.then(() => lectern.ended),
    async close(): Promise<void> {
      stopped.abort();
      await begun.catch(() => {});
      await closing.disposeAsync();
    },
  };
}

/** Calls the API of this process. */
function askWith(answer: (request: ApiRequest) => Promise<ApiAnswer>, key: string): Ask {
  return async (method, path, request) => {
    const bytes = request.body && Buffer.from(JSON.stringify(request.body));
    const { status, headers, body } = await answer({
      method,
      path: `/api${path}`,
      query: toQuery(request.query ?? {}),
      headers: {
        host: "localhost",
        authorization: `Bearer ${key}`,
        "x-context7-source": "mcp-server",
        "x-context7-transport": "stdio",
        ...(bytes && { "content-type": "application/json", "content-length": String(bytes.length) }),
      },
      remoteAddress: "127.0.0.1",
      readBody: async () => bytes ?? new Uint8Array(),
      signal: new AbortController().signal,
    });
    return { status, headers: new Headers(headers), body };
  };
}
