import type { ApiRequest } from "./request.ts";

/** Whether another server asks this one as its upstream. It is answered from local libraries alone, so that two servers that name each other do not loop. */
export function isFromServer({ headers }: Pick<ApiRequest, "headers">): boolean {
  return headers["x-lectern-upstream"] !== undefined;
}
