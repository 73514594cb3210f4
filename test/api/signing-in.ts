import { pino } from "pino";
import { onTestFinished } from "vitest";

import type { Issuer } from "../../api/oauth.ts";
import { openIssuer } from "../../cli/issuer.ts";
import { loadConfig } from "../../cli/config.ts";
import type { Scope } from "../../domain/access.ts";
import { publicUrl, startIssuer } from "../support/issuer.ts";
import { setup } from "./setup.ts";

/** An issuer on loopback until the test ends, and the server's client for it. */
export async function openedIssuer(now: () => number, env: Readonly<Record<string, string>> = {}) {
  const issuer = await startIssuer(now);
  const config = loadConfig({ OAUTH_ISSUER: issuer.url, PUBLIC_URL: publicUrl, ...env });
  const opened = openIssuer(config, pino({ level: "silent" }));
  if (!opened) throw new Error("There is no issuer.");
  onTestFinished(async () => {
    await opened.close();
    await issuer.close();
  });
  return { issuer, opened: opened.issuer };
}

/** The app with an issuer that shares its clock. */
export async function signingIn(
  settings: Parameters<typeof setup>[0] = {},
  { env = {}, times = {} }: { readonly env?: Record<string, string>; readonly times?: Issuer["times"] } = {},
) {
  const clock = { now: Date.parse("2026-01-02T03:04:05Z") };
  const { issuer, opened } = await openedIssuer(() => clock.now, env);
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => void problems.push(error);
  const world = await setup({ publicUrl, ...settings }, { issuer: { ...opened, onProblem, times } });
  const grant = async (group: string, scope: Scope, teamspace = "default"): Promise<void> => {
    await world.catalog.teamspaces.add({ id: teamspace, title: teamspace, createdAt: 0 });
    await world.catalog.access.grant({ group, scope, teamspace, createdAt: clock.now });
  };
  return { ...world, issuer, problems, grant };
}
