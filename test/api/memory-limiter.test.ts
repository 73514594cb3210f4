import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import { describeLimiter } from "../contracts/limiter.ts";

describeLimiter("the memory of a process", async (windowSeconds) => ({
  limiters: [createMemoryLimiter(windowSeconds)],
  cleanup: async () => {},
}));
