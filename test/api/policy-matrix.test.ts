import { expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import { codePassage } from "./samples.ts";
import { adminKey, setup } from "./setup.ts";
import { uploadRequest } from "./upload.ts";

/**
 * The effect of a policy on every route. `read`: 403 for an excluded library. `status`: the same, except for those who may
 * change the library. `list`: excluded libraries are left out. `source`: 403 for a disabled source type. `none`: no effect. `own`: its own
 * test has it.
 */
const judged = `
read   GET /v2/context
read   GET /v2/context/explain
read   GET /v2/pages
read   GET /v2/page
read   GET /v1/{owner}/{repo}
read   GET /v1/{owner}/{repo}/{version}
status GET /v2/libs/status
status GET /v2/libs/status/pages
status GET /v2/libs/status/stream
list   GET /v2/libs
list   GET /v2/libs/search
list   GET /v2/ask
list   GET /v1/search
list   GET /v2/resolve
list   POST /v2/resolve
source POST /v1/refresh
source POST /v2/preview
source POST /v2/add/repo/github
source POST /v1/add
source POST /v2/add/repo/gitlab
source POST /v2/add/repo/bitbucket
source POST /v2/add/repo/git
source POST /v2/add/llmstxt
source POST /v2/add/confluence
source POST /v2/add/website
source POST /v2/add/notion
source POST /v2/add/openapi
source POST /v2/add/openapi-upload
source POST /v2/add/upload
source POST /v2/add/folder
source POST /v2/add/package
none   POST /mcp
none   GET /auth/mcp
none   GET /v2/libs/status/quarantine
none   GET /v2/libs/status/changes
none   GET /v2/libs/settings
own    POST /v2/feedback
none   GET /v2/libs/feedback
none   GET /v2/libs/team-note
none   PATCH /v2/libs/team-note
none   DELETE /v2/libs
none   DELETE /v2/libs/unserved
none   PATCH /v2/libs
none   POST /v2/libs/cancel
none   POST /v2/libs/publish
none   POST /v2/libs/rollback
none   POST /v2/libs/rename
none   POST /v2/libs/release
none   GET /v2/repositories
none   GET /v2/credentials
none   POST /v2/credentials
none   DELETE /v2/credentials/{id}
none   POST /v2/credentials/{id}/test
none   GET /v2/agents
none   GET /v2/manifests
none   POST /v2/manifests/apply
none   POST /v2/manifests/reconcile
none   GET /v2/manifests/export
none   GET /v2/manifests/schema
none   GET /v2/hooks
none   POST /v2/hooks
none   DELETE /v2/hooks/{id}
none   POST /v2/hooks/{id}
none   GET /v2/receivers
none   POST /v2/receivers
none   DELETE /v2/receivers/{id}
none   POST /v2/receivers/{id}/test
none   GET /v2/keys
none   POST /v2/keys
none   DELETE /v2/keys
none   GET /v2/teamspaces
none   POST /v2/teamspaces
none   DELETE /v2/teamspaces
none   GET /v2/teamspaces/{id}
none   PATCH /v2/teamspaces/{id}
none   GET /v2/policies
none   PATCH /v2/policies
none   GET /v2/access
none   GET /v2/audit
none   GET /v2/libs/metrics
none   PATCH /v2/access
none   GET /v2/access/groups
none   POST /v2/access/groups
none   DELETE /v2/access/groups
none   GET /.well-known/oauth-protected-resource
none   GET /metrics
none   POST /temporal/codec/decode
none   POST /temporal/codec/encode
none   GET /health
none   GET /ready
none   GET /openapi.json
none   GET /v2/system
none   POST /v2/cli/events
`
  .trim()
  .split("\n")
  .map((line) => {
    const [as = "", method = "", path = ""] = line.split(/ +/);
    return { as, method, path };
  });

const both = { add: ["/acme/widgets", "/web/own"] };
const quality = (filters: object) => ({ libraryFilters: { mode: "quality", quality: filters } });

/** Policies, and why each excludes the public and the private library; "" if it does not. */
const policies: Readonly<Record<string, { policy: object; public: string; private: string }>> = {
  open: { policy: { libraryFilters: { mode: null } }, public: "", private: "" },
  blocked: { policy: quality({ blockedLibraries: both }), public: "it is blocked", private: "it is blocked" },
  excepted: {
    policy: {
      sourceTypes: { disable: ["public_repos", "private_sources"] },
      ...quality({
        requireVerified: true,
        blockedLibraries: both,
        exceptedLibraries: { add: ["/acme", "/web/own"] },
      }),
    },
    public: "",
    private: "",
  },
  unknown: { policy: quality({ requireVerified: true }), public: "whether it is verified is not known", private: "" },
  disabled: {
    policy: { sourceTypes: { disable: ["public_repos", "private_sources"] } },
    public: "the source type public_repos is disabled",
    private: "the source type private_sources is disabled",
  },
  selected: {
    policy: { libraryFilters: { mode: "select", select: { allowedLibraries: { add: ["/acme/other"] } } } },
    public: "it is not among the allowed libraries",
    private: "",
  },
};

const teamspaces = ["default", "web", "mobile"];

/** A public library, a private one of `web`, keys of three teamspaces, and one policy for all of these. */
async function world(policy: object) {
  const own = await setup();
  const { addKey, send, finish } = own;
  const keys: Record<string, string | null> = { none: null, operator: adminKey };
  for (const teamspace of teamspaces)
    for (const scope of ["read", "submit", "admin"] as const)
      keys[`${teamspace} ${scope}`] = (await addKey([scope], { teamspace })).key;
  const add = async (id: string, isPrivate: boolean): Promise<void> => {
    const body = { docsRepoUrl: `https://git.example.com${id}`, private: isPrivate };
    const added = await send("POST", "/v2/add/repo/git", { body, key: keys["web submit"] ?? null });
    await finish((added.body as { runId: string }).runId, [codePassage]);
  };
  await add("/acme/widgets", false);
  await add("/web/own", true);
  for (const teamspace of teamspaces)
    expect(await send("PATCH", `/v2/policies?teamspace=${teamspace}`, { body: policy })).toMatchObject({ status: 200 });
  return { ...own, keys };
}

const libraries = { public: "/acme/widgets", private: "/web/own" } as const;

/** Whether a caller sees a library, and may change it. */
const sees = (caller: string, subject: string): boolean => subject === "public" || caller.startsWith("web");
const mayChange = (caller: string, subject: string): boolean =>
  subject === "private" ? caller === "web admin" : caller === "operator" || caller === "default admin";

it("the matrix has every route", () => {
  const described = judged.map(({ method, path }) => `${method} /api${path}`);
  expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
});

it.each(Object.keys(policies))("every route that reads a library applies the policy %s", async (name) => {
  const { policy, ...why } = policies[name] ?? { policy: {}, public: "", private: "" };
  const { send, keys } = await world(policy);
  for (const { as, path } of judged.filter((one) => one.as === "read" || one.as === "status"))
    for (const [caller, key] of Object.entries(keys))
      for (const subject of ["public", "private"] as const) {
        const id = libraries[subject];
        const target = path.includes("{owner}")
          ? path.replace("/{owner}/{repo}", id).replace("{version}", "latest")
          : `${path}?libraryId=${id}&query=widget&page=README.md`;
        const answer = await send("GET", target, { key });
        const label = `${caller} ${target}`;
        const isExempt = as === "status" && mayChange(caller, subject);
        if (as === "status" && key === null) expect([label, answer.status]).toEqual([label, 401]);
        else if (!sees(caller, subject)) {
          expect([label, answer.status]).toEqual([label, 404]);
          // The same message as for a missing library.
          const other = await send("GET", target.replace(id, "/web/none"), { key });
          expect(answer.body).toEqual(JSON.parse(JSON.stringify(other.body).replaceAll("/web/none", id)));
        } else if (why[subject] === "" || isExempt) expect([label, answer.status]).toEqual([label, 200]);
        else {
          expect([label, answer]).toMatchObject([label, { status: 403, body: { error: "access_denied" } }]);
          const { message } = answer.body as { message: string };
          expect(message).toContain(`${id}: ${why[subject]}`);
          expect(message).toContain(`"${caller === "operator" || key === null ? "default" : caller.split(" ")[0]}"`);
        }
      }
});

it.each(Object.keys(policies))("every route that lists libraries applies the policy %s", async (name) => {
  const { policy, ...why } = policies[name] ?? { policy: {}, public: "", private: "" };
  const { send, keys } = await world(policy);
  for (const [caller, key] of Object.entries(keys)) {
    const expected = (["public", "private"] as const)
      .filter((subject) => sees(caller, subject) && why[subject] === "")
      .map((subject) => libraries[subject]);
    for (const path of ["/v2/libs/search?libraryName=w&query=w", "/v1/search?query=w"]) {
      const { status, body } = await send("GET", path, { key });
      const { results, searchFilterApplied } = body as { results: { id: string }[]; searchFilterApplied: boolean };
      expect([caller, status, results.map(({ id }) => id).toSorted(), searchFilterApplied]).toEqual([
        caller,
        200,
        expected,
        name !== "open",
      ]);
    }
    if (key === null) continue;
    const { body } = await send("GET", "/v2/libs", { key });
    const listed = body as { libraries: { libraryId: string }[]; total: number };
    expect([caller, listed.libraries.map(({ libraryId }) => libraryId), listed.total]).toEqual([
      caller,
      expected,
      expected.length,
    ]);
    const { body: all } = await send("GET", "/v2/libs?excluded=true", { key });
    const own = (["public", "private"] as const).filter(
      (subject) => expected.includes(libraries[subject]) || mayChange(caller, subject),
    );
    expect([caller, all]).toMatchObject([
      caller,
      { libraries: own.map((subject) => ({ libraryId: libraries[subject] })), total: own.length },
    ]);
  }
});

/** Submissions of every source type. */
const submissions: readonly (readonly [path: string, body: object, type: string])[] = [
  ["/v2/add/repo/github", { docsRepoUrl: "https://github.com/new/one" }, "public_repos"],
  ["/v1/add", { docsRepoUrl: "https://github.com/new/six" }, "public_repos"],
  ["/v2/add/repo/gitlab", { docsRepoUrl: "https://gitlab.com/new/two" }, "public_repos"],
  ["/v2/add/repo/bitbucket", { docsRepoUrl: "https://bitbucket.org/new/three" }, "public_repos"],
  ["/v2/add/repo/git", { docsRepoUrl: "https://git.example.com/new/four" }, "public_repos"],
  ["/v2/add/repo/git", { docsRepoUrl: "https://git.example.com/new/five", private: true }, "private_sources"],
  ["/v2/add/openapi", { openApiUrl: "https://new.example.com/openapi.json" }, "public_repos"],
  ["/v2/add/llmstxt", { llmstxtUrl: "https://new.example.com/llms.txt" }, "llmstxt"],
  ["/v2/add/website", { websiteUrl: "https://new.example.com/guide" }, "websites"],
  ["/v2/preview", { websiteUrl: "https://new.example.com/guide" }, "websites"],
  ["/v2/add/package", { registry: "npm", name: "new" }, "public_repos"],
  ["/v2/add/folder", { path: "/srv/docs/handbook" }, "uploaded_files"],
  ["/v2/add/notion", { title: "New", notionToken: "ntn_0123456789" }, "private_sources"],
  [
    "/v2/add/confluence",
    {
      siteUrl: "https://new.atlassian.net",
      spaceKey: "NEW",
      confluenceCredential: { type: "personal", token: "ATATT3-secret", email: "docs@example.com" },
    },
    "confluence",
  ],
  ["/v1/refresh", { libraryName: "/acme/widgets" }, "public_repos"],
];

it("a disabled source type refuses only its submissions", async () => {
  const { send, keys, engine } = await world({ libraryFilters: { mode: null } });
  const started = engine.started.length;
  for (const [path, body, type] of submissions) {
    await send("PATCH", "/v2/policies", { body: { sourceTypes: { disable: [type] } }, key: adminKey });
    const answer = await send("POST", path, { body, key: adminKey });
    expect([path, answer]).toMatchObject([path, { status: 403, body: { error: "access_denied" } }]);
    expect(JSON.stringify(answer.body)).toContain(`the source type ${type} is disabled`);
    expect(engine.started).toHaveLength(started);
    await send("PATCH", "/v2/policies", { body: { sourceTypes: { enable: [type] } }, key: adminKey });
  }
  const upload = await uploadRequest({ name: "new.json", text: "{}" });
  await send("PATCH", "/v2/policies", { body: { sourceTypes: { disable: ["uploaded_files"] } }, key: adminKey });
  expect(await send("POST", "/v2/add/openapi-upload", { ...upload, key: adminKey })).toMatchObject({
    status: 403,
    body: { error: "access_denied" },
  });
  const document = await uploadRequest({ name: "new.md", text: "# New" }, {}, "file");
  expect(await send("POST", "/v2/add/upload", { ...document, key: adminKey })).toMatchObject({ status: 403 });
  const submitted = new Set(["/v2/add/openapi-upload", "/v2/add/upload", ...submissions.map(([path]) => path)]);
  expect(submitted).toEqual(new Set(judged.filter(({ as }) => as === "source").map(({ path }) => path)));
  // Other teamspaces are not affected.
  const all = [...new Set(submissions.map(([, , type]) => type))];
  await send("PATCH", "/v2/policies", { body: { sourceTypes: { disable: all } } });
  for (const [path, body] of submissions.filter(([one]) => one !== "/v2/add/folder"))
    expect([path, (await send("POST", path, { body, key: keys["web submit"] ?? null })).status]).toEqual([path, 200]);
});
