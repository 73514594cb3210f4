import { describeWebsite } from "../contracts/website.ts";
import { startServers } from "./setup.ts";

const { server } = await startServers();

describeWebsite("the engine of one process", async () => server);
