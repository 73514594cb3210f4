import { isLoopback, plainAddress } from "./addresses.ts";
import type { ApiSettings } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** What a proxy adds to the requests that it passes on. */
const forwarding = ["x-forwarded-for", "forwarded", "via", "x-real-ip"] as const;

/**
 * Whether a program on this machine asks, rather than a proxy on this machine that passes somebody's request on: it adds a header, or clients
 * reach it by another name (PUBLIC_URL).
 */
export function isLocal(
  { publicUrl }: Pick<ApiSettings, "publicUrl">,
  { remoteAddress, headers }: Pick<ApiRequest, "remoteAddress" | "headers">,
): boolean {
  const peer = plainAddress(remoteAddress);
  return (
    publicUrl === null &&
    peer !== undefined &&
    isLoopback(peer) &&
    forwarding.every((name) => headers[name] === undefined)
  );
}
