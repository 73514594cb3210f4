import type { ApiRequest } from "./request.ts";

/** Whether another server asks, as its upstream: it is answered from local libraries alone, so that two that name each other do not ask for ever. */
export function isFromServer({ headers }: Pick<ApiRequest, "headers">): boolean {
  return headers["x-lectern-upstream"] !== undefined;
}
