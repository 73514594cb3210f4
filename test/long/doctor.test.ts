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
      "disk",
      "server",
      "ssh",
      "readiness",
      "clock",
      "key",
      "stores",
      "runs",
    ]),
  );
  const unreachable = await onTerminal(["doctor"], {
    env: { PUBLIC_URL: "http://127.0.0.1:9", PORT: "0", LECTERN_ADMIN_KEY: "" },
  });
  expect(unreachable.code).toBe(exitCodes.failed);
  expect(unreachable.stdout).toMatch(/✖ server +Connection to http:\/\/127\.0\.0\.1:9\/api failed\./);
  expect(unreachable.stdout).toContain("✔ data folder");
  const misconfigured = await inPipe(["doctor"], { env: { PORT: "seventy", LECTERN_PORT: "1" } });
  expect(jsonLines(misconfigured.stdout).filter(({ state }) => state === "wrong")).toHaveLength(2);
  const without = await inPipe(["doctor"], { env: { ...env, PATH: "/nowhere" } });
  expect(jsonLines(without.stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "git", state: "wrong" }),
      expect.objectContaining({ check: "ssh", state: "warning" }),
    ]),
  );
});
