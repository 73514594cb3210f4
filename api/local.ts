import { isLoopback, plainAddress } from "./addresses.ts";
import type { ApiSettings } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** Headers that a proxy adds. */
const forwarding = ["x-forwarded-for", "forwarded", "via", "x-real-ip"] as const;

/**
 * Whether a program on this machine sends the request, rather than a proxy on this machine, which adds a header or is reached
 * by another name (PUBLIC_URL).
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
