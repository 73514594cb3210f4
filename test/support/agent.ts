import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Transport,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

/** Protocol revisions under test, newest first. */
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

/** The same over streamable HTTP. */
export function connectOverHttp(address: string, revision: Revision, headers: Record<string, string> = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
  return connectAgent(transport, revision);
}

/** The concatenated text content of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((one) => (one.type === "text" ? one.text : "")).join("");
}
