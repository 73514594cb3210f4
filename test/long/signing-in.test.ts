import { afterAll, expect, it, onTestFinished } from "vitest";
import { inPipe, onTerminal } from "../support/command-line.ts";
import { publicUrl, startIssuer } from "../support/issuer.ts";
import { files, startServers } from "../e2e/setup.ts";
import { adminKey, startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { freePort } from "../../tools/dev/program.ts";

const issuer = await startIssuer();
afterAll(() => issuer.close());
const { git, server, add } = await startServers(() => ({ OAUTH_ISSUER: issuer.url, PUBLIC_URL: publicUrl }));
const env = { PUBLIC_URL: server.url };

/** The output of a command that must succeed. */
async function lectern(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await inPipe(["access", ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

it("lets users of a group sign in and read what the access rules allow, by command line and HTTP", async () => {
  for (const name of ["gears", "plans"]) await add((await git.repository(`acme/${name}.git`, files)).url);
  for (const name of ["gears", "plans"]) await server.settled(`/acme/${name}`);
  const { status, body: resource } = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`).then(
    async (answer) => ({ status: answer.status, body: (await answer.json()) as object }),
  );
  expect([status, resource]).toMatchObject([
    200,
    { resource: `${publicUrl}/mcp`, authorization_servers: [issuer.url] },
  ]);
  const token = await issuer.token({ groups: ["developers"] });
  const reads = async (id: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await server.call("GET", `/v2/context?libraryId=${id}&query=widget`, undefined, headers)).status;
  };
  expect(await reads("/acme/gears")).toBe(403);
  expect(JSON.parse(await lectern("grant", "developers"))).toMatchObject({ scope: "read", teamspace: "default" });
  expect([await reads("/acme/gears"), await reads("/acme/plans")]).toEqual([200, 200]);
  await lectern("set", "/acme/plans", "--group", "leads", "--user", "ann");
  expect([await reads("/acme/gears"), await reads("/acme/plans")]).toEqual([200, 404]);
  await lectern("--default", "deny");
  expect(await reads("/acme/gears")).toBe(404);
  await lectern("set", "/acme", "--group", "developers");
  expect([await reads("/acme/gears"), await reads("/acme/plans")]).toEqual([200, 404]);
  const shown = await onTerminal(["access"], { env });
  expect(shown.stdout).toContain("Libraries without a rule: deny.");
  expect(shown.stdout).toMatch(/\/acme\/plans +users: ann +groups: leads/);
  expect(await lectern("groups")).toContain('"developers"');
  await lectern("remove", "/acme/plans");
  expect(await reads("/acme/plans")).toBe(200);
  await lectern("withdraw", "developers");
  expect(await reads("/acme/plans")).toBe(403);
  const none = await inPipe(["access", "set", "/acme"], { env });
  expect([none.code === 0, none.stderr]).toEqual([false, expect.stringContaining("--user or --group")]);
});

it("refuses a cookie that was copied before its owner signed out, also after a restart", async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const env = { PORT: String(await freePort()) };
  let running = await startLectern(folder.path, env);
  onTestFinished(async () => void (await running.kill("SIGTERM")));
  const ask = (path: string, cookie: string, fields?: Record<string, string>) =>
    fetch(`${running.url}${path}`, {
      redirect: "manual",
      headers: { Accept: "text/html", Cookie: cookie, Origin: running.url },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
  const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const tokenOf = async (answer: Response) => /name="formToken" value="([^"]+)"/.exec(await answer.text())?.[1] ?? "";
  const form = await ask("/-/sign-in", "");
  const begun = cookieOf(form);
  const cookie = cookieOf(await ask("/-/sign-in", begun, { formToken: await tokenOf(form), key: adminKey }));
  const admin = await ask("/-/admin/keys", cookie);
  expect(admin.status).toBe(200);
  expect((await ask("/-/sign-out", cookie, { formToken: await tokenOf(admin) })).status).toBe(303);
  const isClosed = async () => {
    const { status, headers } = await ask("/-/admin/keys", cookie);
    expect([status, headers.get("location")]).toEqual([303, "/-/sign-in?to=%2F-%2Fadmin%2Fkeys"]);
  };
  await isClosed();
  await running.kill("SIGKILL");
  running = await startLectern(folder.path, env);
  await isClosed();
});

it("says which setting OAUTH_ISSUER needs", async () => {
  const { code, stderr } = await inPipe(["serve"], {
    env: { OAUTH_ISSUER: "https://login.example.com", PUBLIC_URL: "" },
  });
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining("OAUTH_ISSUER needs PUBLIC_URL")]);
});
