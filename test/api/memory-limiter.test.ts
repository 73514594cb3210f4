import { createMemoryLimiter } from "../../api/limits.ts";
import { describeLimiter } from "../contracts/limiter.ts";

describeLimiter("the memory of a process", async (windowSeconds) => ({
  limiters: [createMemoryLimiter(windowSeconds)],
  cleanup: async () => {},
}));
