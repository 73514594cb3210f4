import { Failure } from "../../../domain/failures.ts";
import { page } from "../page.ts";
import type { Described } from "../page.ts";

/** Unknown paths below `/-/`. */
export const notFoundPage: Described = page({
  path: "/-/**",
  scope: "open",
  limit: "open",
  async show() {
    throw new Failure("route_not_found", "There is no page at this address.");
  },
});
