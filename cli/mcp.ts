import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Logger } from "pino";
import { createToolServer } from "../api/mcp/server.ts";
import type { ToolDesk } from "../api/mcp/server.ts";
import { loadConfig } from "./config.ts";
import type { Given } from "./command.ts";
import { openLog } from "./log.ts";
import { createForwardingDesk } from "./mcp-forwarding.ts";
import { serverAddress } from "./server-address.ts";
import { takeStopSignals } from "./stopping.ts";
import type { Stop } from "./stopping.ts";
import { programVersion } from "./version.ts";

/**
 * `lectern mcp`: the Model Context Protocol on standard input and output, until the agent closes it; from a running server, or from
 * a data folder, which must not be in use.
 */
export async function run(given: Given): Promise<void> {
  const data = given.text("data");
  const config = loadConfig(data === undefined ? process.env : { ...process.env, DATA_DIR: data });
  const log = openLog(config.logLevel);
  const stop = takeStopSignals({ log });
  if (data === undefined) {
    const gone = new AbortController();
    const desk = createForwardingDesk({
      address: serverAddress(config, given.text("url")),
      key: config.apiKey ?? config.adminKey,
      signal: gone.signal,
    });
    void stop.asked.then(() => gone.abort());
    await converse(desk, log, stop, new Promise(() => {}));
    return;
  }
  // Loaded on demand: only this needs a whole server.
  const { openFolderDesk } = await import("./mcp-folder.ts");
  const { desk, ended, close } = await openFolderDesk(config, log);
  try {
    await converse(desk, log, stop, ended);
  } finally {
    await close();
    log.flush();
  }
}

async function converse(desk: ToolDesk, log: Logger, stop: Stop, broken: Promise<void>): Promise<void> {
  const unexpected = (error: unknown): string => {
    log.error({ err: error }, "a tool failed unexpectedly");
    return "Unexpected error. The log of lectern mcp, on its standard error, has the details.";
  };
  // A pipe emits both events, a file only `end`.
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close")]);
  const handle = serveStdio(() => createToolServer(programVersion, desk, unexpected), {
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, "a message was refused"),
  });
  try {
    await Promise.race([ended, stop.asked, broken]);
  } finally {
    stop.begin();
    await handle.close();
  }
}
