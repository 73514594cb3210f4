import { expect, it } from "vitest";
import { exitCodes } from "../../cli/output.ts";
import { startServers } from "../e2e/setup.ts";
import { inPipe, jsonLines, onTerminal } from "../support/command-line.ts";

const { server } = await startServers();
const env = { PUBLIC_URL: server.url };

it("checks the machine and the server", async () => {
  const healthy = await inPipe(["doctor"], { env });
  const findings = jsonLines(healthy.stdout);
  expect(findings.filter(({ state }) => state === "wrong")).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      "versions",
      "git",
      "settings",
      "Chromium",
      "data folder",
      "disk",
      "server",
      "ssh",
      "readiness",
      "clock",
      "key",
    ]),
  );
  const unreachable = await onTerminal(["doctor"], {
    env: { PUBLIC_URL: "http://127.0.0.1:9", PORT: "0", LECTERN_ADMIN_KEY: "" },
  });
  expect(unreachable.code).toBe(exitCodes.failed);
  expect(unreachable.stdout).toMatch(/✖ server +Connection to http:\/\/127\.0\.0\.1:9\/api failed\./);
  const misconfigured = await inPipe(["doctor"], { env: { PORT: "seventy", LECTERN_PORT: "1" } });
  expect(jsonLines(misconfigured.stdout).filter(({ state }) => state === "wrong")).toHaveLength(2);
  const without = async () => jsonLines((await inPipe(["doctor"], { env: { ...env, PATH: "/nowhere" } })).stdout);
  expect(await without()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "git", state: "wrong" }),
      expect.objectContaining({ check: "ssh", state: "warning" }),
    ]),
  );
  const magic = Buffer.from("openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none", "latin1").toString("base64");
  const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----\n${magic}\n-----END OPENSSH PRIVATE KEY-----\n`;
  const data = { privateKey, knownHosts: "git.example.com ssh-ed25519 AAAA" };
  const credential = { kind: "git", name: "deploy", host: "ssh://git.example.com", data };
  const { id } = (await server.call("POST", "/v2/credentials", credential)).body as { id: string };
  const message = expect.stringContaining('the credential "deploy"') as string;
  expect(await without()).toContainEqual({ check: "ssh", state: "wrong", message });
  await server.call("DELETE", `/v2/credentials/${id}`);
});
