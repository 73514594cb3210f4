import { describeLlmsTxt } from "../contracts/llmstxt.ts";
import { startServers } from "./setup.ts";

const { server } = await startServers();

describeLlmsTxt("the engine of one process", async () => server);
