import type { Caller } from "../domain/access.ts";
import { oneLine } from "../domain/one-line.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** A caller's next connection is noted after this time, in milliseconds. */
const notedEvery = 3_600_000;
/** Maximum number of remembered callers, and of characters of a name. */
const maxRemembered = 10_000;
const maxLength = 80;

/** Notes that an agent has sent a message, as MCP clients do. */
export type NoteAgent = (caller: Caller, sent: unknown, headers: ApiRequest["headers"]) => Promise<void>;

/** Notes each agent at once, and then every hour. An error is logged only, as no answer depends on it. */
export function createAgentNotes({ ports, log }: Pick<ApiOptions, "ports" | "log">): NoteAgent {
  const noted = new Map<string, { readonly client: string; readonly askedAt: number }>();
  return async ({ keyId, teamspace }, sent, headers) => {
    const caller = { keyId: keyId ?? "", teamspace: teamspace ?? "" };
    const key = `${caller.teamspace} ${caller.keyId}`;
    const askedAt = ports.now();
    const before = noted.get(key);
    const recent = before && askedAt - before.askedAt < notedEvery ? before : undefined;
    const named = nameIn(sent, headers);
    // Most revisions name the client in the first message only.
    const client = named ?? recent?.client ?? programOf(headers);
    if (recent?.client === client) return;
    if (noted.size >= maxRemembered) noted.clear();
    noted.set(key, { client, askedAt });
    try {
      await ports.catalog.agents.note({ ...caller, client, askedAt });
    } catch (error) {
      noted.delete(key);
      log.warn({ err: error }, "an agent could not be noted; retrying with its next message");
    }
  };
}

/** The name that a client gives itself: in its first message, in every message of the revision 2026-07-28, or in a header. */
function nameIn(sent: unknown, headers: ApiRequest["headers"]): string | undefined {
  const params = within(sent, "params");
  const info = within(params, "clientInfo") ?? within(within(params, "_meta"), "io.modelcontextprotocol/clientInfo");
  const named = within(info, "name") ?? headers["x-context7-client-ide"];
  return typeof named === "string" && named.trim() !== "" ? oneLine(named).slice(0, maxLength) : undefined;
}

function programOf(headers: ApiRequest["headers"]): string {
  return /^([\w.-]{1,80})\//.exec(headers["user-agent"] ?? "")?.[1] ?? "unknown";
}

function within(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
