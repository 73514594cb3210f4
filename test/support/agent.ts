import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Transport,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

/** The revisions of the protocol that agents speak, as the official client is told them: the present one, and those before. */
export const revisions = ["2026-07-28", "2025-06-18"] as const;
export type Revision = (typeof revisions)[number];

/** The official client, connected over a transport until the test ends. */
export async function connectAgent(transport: Transport, revision: Revision): Promise<Client> {
  const identity = { name: "test-agent", version: "1.0.0" };
  const client =
    revision === "2026-07-28"
      ? new Client(identity, { versionNegotiation: { mode: { pin: revision } } })
      : new Client(identity, { supportedProtocolVersions: [revision] });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The same over HTTP. */
export function connectOverHttp(address: string, revision: Revision, headers: Record<string, string> = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
  return connectAgent(transport, revision);
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((one) => (one.type === "text" ? one.text : "")).join("");
}
