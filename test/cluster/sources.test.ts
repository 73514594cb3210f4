import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, inject, vi } from "vitest";
import { prepareServers } from "../../cli/server-setup.ts";
import { loadConfig } from "../../cli/config.ts";
import { ensureDatabase } from "../../tools/dev/postgres.ts";
import { describeConfluence } from "../contracts/confluence.ts";
import { describeLlmsTxt } from "../contracts/llmstxt.ts";
import { describeNotion } from "../contracts/notion.ts";
import { describeOpenApi } from "../contracts/openapi.ts";
import { describePackages } from "../contracts/packages.ts";
import { describeWebsite } from "../contracts/website.ts";
import { startConfiguredRegistries, type ConfiguredRegistries } from "../support/configured-registries.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { startNotion, type NotionServer } from "../support/notion-server.ts";

const [postgres, temporal] = [inject("postgres"), inject("temporal")];

describe.skipIf(postgres === null || temporal === null)("with PostgreSQL and Temporal", () => {
  let server: LecternProcess | undefined;
  let notion: NotionServer | undefined;
  let registries: ConfiguredRegistries | undefined;
  let remove = async (): Promise<unknown> => undefined;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    notion = await startNotion();
    registries = await startConfiguredRegistries(folder.path);
    const name = `sources_${randomBytes(6).toString("hex")}`;
    const settings = { TEMPORAL_ADDRESS: temporal ?? "", TEMPORAL_NAMESPACE: name, TEMPORAL_ENCRYPTION: "off" };
    // What is prepared in this process reads them here.
    for (const [setting, value] of Object.entries(settings)) vi.stubEnv(setting, value);
    const env = {
      ...settings,
      DATABASE_URL: await ensureDatabase(postgres ?? "", name),
      FETCH_ALLOW: "127.0.0.1",
      NOTION_API_URL: notion.url,
      ...registries.env,
    };
    await prepareServers(loadConfig(env), pino({ level: "silent" }));
    server = await startLectern(folder.path, env);
    remove = async () => folder[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.kill("SIGTERM");
    await notion?.close();
    await registries?.close();
    await remove();
  });

  const started = async (): Promise<LecternProcess> => {
    if (server === undefined) throw new Error("The server was not started.");
    return server;
  };
  describeLlmsTxt("Temporal", started);
  describeOpenApi("Temporal", started);
  describeWebsite("Temporal", started);
  describeConfluence("Temporal", started);
  describePackages("Temporal", async () => {
    if (registries === undefined) throw new Error("The registries were not started.");
    return { server: await started(), ...registries };
  });
  describeNotion("Temporal", async () => {
    if (notion === undefined) throw new Error("The workspace was not started.");
    return { server: await started(), notion };
  });
});
