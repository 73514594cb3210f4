import { expect, it } from "vitest";

import { jsonAnswer, textAnswer, type ApiAnswer } from "../../api/answers.ts";
import { routes } from "../../api/app.ts";
import { Failure } from "../../domain/failures.ts";
import { problemsOf } from "../support/described.ts";
import { uidOf } from "../support/uid-of.ts";
import { codePassage, heldPassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";
import { uploadRequest } from "./upload.ts";

it("problemsOf finds an undescribed field, status, code or media type", () => {
  const problemsIn = (target: string, { status, headers, body }: ApiAnswer) => {
    const [method = "", path = ""] = target.split(" ");
    return problemsOf(method, `/api${path}`, { status, type: headers["Content-Type"], body }).length;
  };
  const health = { status: "ok", version: "1.2.3" };
  expect(problemsIn("GET /health", jsonAnswer(health))).toBe(0);
  expect(problemsIn("GET /health", jsonAnswer({ ...health, since: 1 }))).toBe(1);
  expect(problemsIn("GET /health", jsonAnswer({ status: "ok" }))).toBe(1);
  expect(problemsIn("GET /health", textAnswer("ok"))).toBe(1);
  expect(problemsIn("GET /health", jsonAnswer(health, {}, 201))).toBe(1);
  const failure = jsonAnswer({ error: "library_not_found", message: "It is not there." }, {}, 404);
  expect(problemsIn("GET /v2/context", failure)).toBe(0);
  expect(problemsIn("GET /v2/libs", failure)).toBe(1);
  expect(problemsIn("POST /v2/add/folder", failure)).toBe(1);
});

it("answers of every operation match their description", async () => {
  const manifest = "libraries:\n  - docsRepoUrl: https://git.example.com/acme/declared\n    versions: [v1]\n";
  const watched = {
    address: "https://git.example.com/acme/platform",
    prune: false,
    isAt: () => false,
    read: async () => ({ text: manifest, revision: "1".repeat(40) }),
  };
  const { send, submit, finish, catalog, sourceHost } = await setup(
    { rateLimitSubmissions: 1000 },
    { scrape: async () => "lectern_libraries 1\n", watched },
  );
  const succeeded = new Set<string>();
  // `send` throws if an answer does not match its description.
  const call = async (method: string, target: string, body?: object, headers = {}): Promise<object> => {
    const answer = await send(method, target, { ...(body && { body }), headers });
    const path = target
      .replace(/\?.*/, "")
      .replace(/(?<=\/(?:credentials|hooks|receivers|teamspaces)\/)[^/]+/, "{id}")
      .replace(/(?<=^\/v1)\/acme\/widgets/, "/{owner}/{repo}")
      .replace(/(?<=\{repo\}\/)latest/, "{version}");
    if (answer.status === 200) succeeded.add(`${method} /api${path}`);
    return answer.body as object;
  };
  const reads = [
    "context?query=widget&type=json&libraryId=",
    "context/explain?query=widget&libraryId=",
    "pages?libraryId=",
    "page?page=README.md&libraryId=",
    "page?page=README.md&type=json&libraryId=",
    "libs/status?libraryId=",
    "libs/status/pages?libraryId=",
    "libs/status/quarantine?libraryId=",
    "libs/status/changes?libraryId=",
    "libs/settings?libraryId=",
  ];
  const run = await submit("/acme/widgets");
  for (const read of reads) await call("GET", `/v2/${read}/acme/widgets`);
  await finish(run, [codePassage, prosePassage]);
  await call("PATCH", "/v2/libs", { libraryName: "/acme/widgets", rules: ["Be short."], trustScore: 7, schedule: 3 });
  for (const read of reads) await call("GET", `/v2/${read}/acme/widgets`);
  const uid = await uidOf(catalog, "/acme/widgets");
  const from = "https://git.example.com/acme/widgets";
  await submit("/acme/taken");
  await catalog.libraries.move(uid, { from, to: `${from}-2`, id: "/acme/taken" }, 1);
  await call("GET", "/v2/libs/status?libraryId=/acme/widgets");
  for (const accept of [true, false]) await call("POST", "/v2/libs/rename", { libraryName: "/acme/widgets", accept });
  await call("GET", "/v2/libs");
  await call("GET", "/v2/libs/search?libraryName=w&query=w");
  for (const type of ["txt", "json"]) await call("GET", `/v2/ask?query=widgets&type=${type}`);
  await call("GET", "/v1/search?query=w");
  await call("GET", "/v1/acme/widgets?topic=widget&type=json");
  await call("GET", "/v1/acme/widgets/latest?topic=widget&type=json");
  const hosts = { git: "git.example.com", github: "github.com", gitlab: "gitlab.com", bitbucket: "bitbucket.org" };
  for (const [kind, host] of Object.entries(hosts))
    for (const _ of ["accepted", "refused"])
      await call("POST", `/v2/add/repo/${kind}`, { docsRepoUrl: `https://${host}/${kind}/other` });
  await call("POST", "/v2/add/folder", { path: "/srv/docs/handbook" });
  await call("POST", "/v2/add/llmstxt", { llmstxtUrl: "https://vite.dev/llms.txt" });
  const confluenceCredential = { type: "personal", token: "ATATT3-secret", email: "docs@example.com" };
  await call("POST", "/v2/add/confluence", {
    siteUrl: "https://acme.atlassian.net",
    spaceKey: "ENG",
    confluenceCredential,
  });
  for (const owner of ["https://github.com/acme", "https://git.example.com/acme"])
    await call("GET", `/v2/repositories?owner=${owner}`);
  await call("POST", "/v2/preview", { websiteUrl: "https://vite.dev/guide/" });
  await call("POST", "/v2/add/website", { websiteUrl: "https://vite.dev/guide/" });
  const pageIds = ["0123456789abcdef0123456789abcdef"];
  await call("POST", "/v2/add/notion", { pageIds, title: "Handbook", notionToken: "ntn_0123456789" });
  await call("POST", "/v2/add/package", { name: "zod" });
  await call("POST", "/v2/resolve", { packages: [{ name: "zod", version: "4.1.0" }] });
  await call("GET", "/v2/resolve?name=zod&version=4.1.0");
  await call("POST", "/v2/add/openapi", { openApiUrl: "https://example.com/openapi.json" });
  const upload = await uploadRequest({ name: "pets.json", text: "{}" });
  for (const _ of ["accepted", "refused"]) {
    const { status } = await send("POST", "/v2/add/openapi-upload", upload);
    if (status === 200) succeeded.add("POST /api/v2/add/openapi-upload");
  }
  const document = await uploadRequest({ name: "guide.md", text: "# Guide" }, {}, "file");
  if ((await send("POST", "/v2/add/upload", document)).status === 200) succeeded.add("POST /api/v2/add/upload");
  await call("POST", "/v1/add", { llmstxtUrl: "https://older.example.com/llms.txt" });
  await call("POST", "/v1/refresh", { libraryName: "/acme/widgets" });
  for (const passageIds of [[heldPassage.id], ["unknown"]])
    await call("POST", "/v2/libs/release", { libraryName: "/acme/widgets", passageIds });
  await call("POST", "/v2/libs/cancel", { libraryName: "/acme/widgets" });
  for (const [operation, isHeld] of [
    ["rollback", false],
    ["publish", true],
  ] as const) {
    const refreshed = (await call("POST", "/v1/refresh", { libraryName: "/acme/widgets" })) as { runId: string };
    await finish(refreshed.runId, [codePassage], isHeld);
    for (const _ of ["done", "refused"]) await call("POST", `/v2/libs/${operation}`, { libraryName: "/acme/widgets" });
  }
  const { id } = (await call("POST", "/v2/keys", { name: "ci", scopes: ["read"] })) as { id: string };
  await call("GET", "/v2/keys");
  const credential = { kind: "git", name: "ci", host: "git.example.com", data: { token: "secret" } };
  const made = (await call("POST", "/v2/credentials", credential)) as { id: string };
  await call("POST", "/v2/credentials", credential);
  const docsRepoUrl = "https://git.example.com/acme/shared";
  await call("POST", "/v2/add/repo/git", { docsRepoUrl, credential: made.id });
  await call("GET", "/v2/credentials");
  for (const refusal of [null, new Failure("source_refused", "The host refuses the token.")]) {
    sourceHost.refusal = refusal;
    await call("POST", `/v2/credentials/${made.id}/test`, {});
  }
  await call("DELETE", `/v2/credentials/${made.id}`);
  await call("DELETE", "/v2/libs?libraryId=/acme/shared");
  await call("DELETE", "/v2/libs/unserved");
  const hook = (await call("POST", "/v2/hooks", { sender: "azure", repositories: "https://git.example.com/acme" })) as {
    id: string;
    secret: string;
  };
  await call("POST", "/v2/manifests/apply", { manifest, dryRun: true });
  await call("POST", "/v2/manifests/apply", { manifest });
  await call("PATCH", "/v2/libs", { libraryName: "/acme/declared", branch: "next" });
  await call("GET", "/v2/manifests");
  await call("POST", "/v2/manifests/reconcile", {});
  await call("GET", "/v2/manifests/export");
  await call("GET", "/v2/manifests/schema");
  await call("GET", "/v2/hooks");
  await call("POST", `/v2/hooks/${hook.id}`, {}, { authorization: `Basic ${btoa(`any:${hook.secret}`)}` });
  await call("DELETE", `/v2/hooks/${hook.id}`);
  await call("POST", "/v2/feedback", { libraryId: "/acme/widgets", verdict: "wrong", comment: "It is another." });
  await call("GET", "/v2/libs/feedback?libraryId=/acme/widgets");
  await call("PATCH", "/v2/libs/team-note", { libraryId: "/acme/widgets", text: "Ours." });
  await call("GET", "/v2/libs/team-note?libraryId=/acme/widgets");
  await call("GET", "/v2/context?query=widget&type=json&libraryId=/acme/widgets");
  const receiver = (await call("POST", "/v2/receivers", { url: "https://chat.example.com/lectern" })) as { id: string };
  await call("POST", `/v2/receivers/${receiver.id}/test`);
  await call("GET", "/v2/receivers");
  await call("DELETE", `/v2/receivers/${receiver.id}`);
  for (const _ of ["done", "refused"]) await call("DELETE", `/v2/credentials/${made.id}`);
  await call("PATCH", "/v2/access", { set: [{ library: "/acme", groups: ["staff"] }] });
  for (const _ of ["there", "gone"]) {
    await call("GET", "/v2/access");
    await call("PATCH", "/v2/access", { remove: ["/acme"] });
  }
  await call("POST", "/v2/access/groups", { group: "staff", scope: "read" });
  await call("GET", "/v2/access/groups");
  for (const _ of ["done", "refused"]) await call("DELETE", "/v2/access/groups?group=staff");
  await call("GET", "/v2/teamspaces");
  await call("GET", "/v2/audit");
  await catalog.metrics.add({
    id: "1",
    at: 1,
    answers: [{ libraryUid: uid, day: "2026-01-02", surface: "mcp", count: 1 }],
    users: [{ libraryUid: uid, day: "2026-01-02", client: "cursor", user: "key:1" }],
    topics: [{ libraryUid: uid, topic: "Setup", count: 1 }],
    countries: [{ libraryUid: uid, country: "NL", count: 1 }],
  });
  await call("GET", "/v2/libs/metrics?libraryId=/acme/widgets");
  for (const _ of ["accepted", "refused"]) await call("POST", "/v2/teamspaces", { id: "web" });
  const rules = { global: ["Be short."], libraries: { "/acme/widgets": ["Be exact."] } };
  await call("PATCH", "/v2/teamspaces/web", { rules });
  await call("GET", "/v2/teamspaces/web");
  await call("PATCH", "/v2/policies?teamspace=web", { sourceTypes: { disable: ["websites"] } });
  await call("PATCH", "/v2/policies?teamspace=web", { sourceTypes: { disable: ["fax"] } });
  await call("GET", "/v2/policies?teamspace=web");
  const web = (await call("POST", "/v2/keys", { name: "web", scopes: ["read"], teamspace: "web" })) as { id: string };
  await call("DELETE", "/v2/teamspaces?id=web");
  await call("DELETE", `/v2/keys?id=${web.id}`);
  await call("DELETE", "/v2/teamspaces?id=web");
  await call("DELETE", `/v2/keys?id=${id}`);
  await call("GET", "/health");
  await call("GET", "/ready");
  await call("GET", "/v2/system");
  await call("GET", "/metrics");
  await call("GET", "/auth/mcp");
  await call("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  await call("GET", "/v2/agents");
  await call("GET", "/openapi.json");
  await call("GET", "/v2/libs/status/stream?libraryId=/acme/widgets");
  await call("DELETE", "/v2/libs?libraryId=/acme/widgets");
  await call("GET", "/v2/context?libraryId=/acme/widgets&query=widget");
  // Those are called in test/api/codec.test.ts and test/api/tokens.test.ts.
  const elsewhere = ["/temporal/codec/", "/.well-known/"];
  const expected = routes.filter(({ path, answers }) => answers[200] && !elsewhere.some((one) => path.includes(one)));
  expect([...succeeded].toSorted()).toEqual(expected.map(({ method, path }) => `${method} ${path}`).toSorted());
});
