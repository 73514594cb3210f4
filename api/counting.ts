import type { Caller } from "../domain/access.ts";
import type { CountedAnswer, Surface } from "../domain/metrics.ts";
import { oneLine } from "../domain/one-line.ts";
import { createProxyCheck } from "./addresses.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** An answer, as far as it is counted. */
export interface Answered {
  readonly request: Pick<ApiRequest, "headers" | "remoteAddress">;
  readonly caller: Pick<Caller, "keyId" | "subject">;
  /** IP address of the client. */
  readonly address: string;
  readonly libraryUid: string;
  readonly type: "txt" | "json";
  /** Heading of the best passage; null: nothing was found. */
  readonly topic: string | null;
}

/** Counts an answer, with surface, client and country of its request. */
export type Count = (answered: Answered) => void;

/** Maximum length of a stored client name and of a heading, in characters: both are from outside. */
const maxLength = 80;

/** @throws Error naming an entry of trustedProxies that is neither an address nor a CIDR block */
export function createCounting({ settings, countAnswer }: Pick<ApiOptions, "settings" | "countAnswer">): Count {
  const isProxy = createProxyCheck(settings.trustedProxies);
  const header = settings.countryHeader?.toLowerCase();
  return ({ request, caller, address, libraryUid, type, topic }) => {
    const { headers, remoteAddress } = request;
    const surface = surfaceOf(headers["x-context7-source"], type);
    const named = headers["x-context7-client-ide"];
    const country = header === undefined || !isProxy(remoteAddress) ? undefined : countryOf(headers[header]);
    const counted: CountedAnswer = {
      libraryUid,
      surface,
      user: userOf(caller, address),
      ...(surface === "mcp" && { client: short(named ?? "") || "unknown" }),
      ...(topic !== null && topic !== "" && { topic: short(topic) }),
      ...(country !== undefined && { country }),
    };
    countAnswer(counted);
  };
}

function surfaceOf(source: string | undefined, type: "txt" | "json"): Surface {
  if (source === "mcp-server") return "mcp";
  if (source === "cli") return "cli";
  return type === "txt" ? "txt" : "page";
}

/** The user of the issuer, else the key, else the address. */
function userOf({ keyId, subject }: Answered["caller"], address: string): string {
  if (subject !== undefined) return `subject:${subject}`;
  return keyId === null ? `address:${address}` : `key:${keyId}`;
}

/** ISO 3166-1 alpha-2, without the codes of proxies for unknown countries and Tor. */
function countryOf(value: string | undefined): string | undefined {
  const code = value?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && code !== "XX" ? code : undefined;
}

function short(text: string): string {
  const line = oneLine(text);
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join("");
}
