import { describeConfluence } from "../contracts/confluence.ts";
import { startServers } from "../e2e/setup.ts";

const { server } = await startServers(() => ({ HOST_INTERVAL: "0" }));

describeConfluence("the engine of one process", async () => server);
