import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { standardSignature } from "../../api/hooks/signatures.ts";
import { senders } from "../../api/hooks/senders.ts";
import { startPushed } from "../../domain/hooks.ts";
import { newRun } from "../../domain/submitting.ts";
import { githubPush, gitlabPush, bodies } from "./hook-bodies.ts";
import { prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

interface Made {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

/** A server with a published repository, and a way to make hooks and to deliver to them. */
async function world() {
  const onPushed = vi.fn<() => void>();
  const all = await setup({}, { onPushed });
  const runId = await all.submit("/acme/widgets");
  await all.finish(runId, [prosePassage]);
  const make = async (body: object): Promise<Made> => {
    const { status, body: made } = await all.send("POST", "/v2/hooks", { body });
    expect(status, JSON.stringify(made)).toBe(200);
    return made as Made;
  };
  const deliver = async (id: string, body: string, headers: Record<string, string>) =>
    all.send("POST", `/v2/hooks/${id}`, {
      key: null,
      headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
      readBody: async () => Buffer.from(body),
    });
  const github = (hook: Made, body: object, { event = "push", id = "d1", secret = hook.secret } = {}) => {
    const text = JSON.stringify(body);
    const signature = `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
    return deliver(hook.id, text, {
      "x-github-event": event,
      "x-github-delivery": id,
      "x-hub-signature-256": signature,
    });
  };
  const started = () => startPushed({ ...all.options.ports, newRun: newRun.bind(undefined, all.options.ports) });
  return { ...all, make, deliver, github, started, onPushed };
}

describe("signatures", () => {
  it("are those of the hosts' own examples", () => {
    const body = Buffer.from("Hello, World!");
    const secret = "It's a Secret to Everybody";
    const hex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    expect(senders.github.isSigned({ "x-hub-signature-256": `sha256=${hex}` }, body, secret, 0)).toBe(true);
    expect(senders.github.isSigned({ "x-hub-signature-256": hex }, body, secret, 0)).toBe(false);
    const cloud = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9";
    expect(senders.bitbucket.isSigned({ "x-hub-signature": cloud }, Buffer.from("Hello World!"), secret, 0)).toBe(true);
    expect(senders.gitea.isSigned({ "x-gitea-signature": hex }, body, secret, 0)).toBe(true);
    expect(senders.gitea.isSigned({ "x-forgejo-signature": hex.replace("7", "8") }, body, secret, 0)).toBe(false);
    expect(senders.azure.isSigned({ authorization: `Basic ${btoa(`any:${secret}`)}` }, body, secret, 0)).toBe(true);
  });

  it("of Standard Webhooks are those of its own example, and valid for five minutes", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,aaaa v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const at = (seconds: number) =>
      standardSignature(
        headers,
        Buffer.from('{"test": 2432232314}'),
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        seconds * 1000,
      );
    expect([at(1614265330), at(1614265630), at(1614265631), at(1614265029)]).toEqual([true, true, false, false]);
  });
});

describe("a delivery", () => {
  it("of a push refreshes the library that is read from the branch, once for several in a row", async () => {
    const { make, github, started, catalog, engine, onPushed } = await world();
    const hook = await make({ sender: "github", repositories: "https://git.example.com/acme" });
    expect((await github(hook, githubPush("refs/heads/main"))).body).toEqual({
      message: "1 version will be refreshed: /acme/widgets.",
    });
    expect((await github(hook, githubPush("refs/heads/main"), { id: "d2" })).status).toBe(200);
    expect(onPushed).toHaveBeenCalledTimes(2);
    const before = engine.started.length;
    expect(await started()).toEqual({ started: 1, waiting: 0 });
    expect(engine.started.slice(before)).toMatchObject([{ reason: "push", version: "" }]);
    expect(await started()).toEqual({ started: 0, waiting: 0 });
    expect(await catalog.hooks.list("default")).toMatchObject([{ result: expect.stringContaining("/acme/widgets") }]);
  });

  it("during a run makes one more run", async () => {
    const { make, github, started, engine, finish, clock } = await world();
    const hook = await make({ sender: "github", libraryId: "/acme/widgets" });
    await github(hook, githubPush("refs/heads/main"));
    await started();
    const [run] = engine.started.slice(-1);
    clock.now += 1000;
    await github(hook, githubPush("refs/heads/main", "2"), { id: "d2" });
    await github(hook, githubPush("refs/heads/main", "3"), { id: "d3" });
    expect(await started()).toEqual({ started: 0, waiting: 1 });
    await finish(run?.runId ?? "", [prosePassage]);
    expect(await started()).toEqual({ started: 1, waiting: 0 });
    expect(await started()).toEqual({ started: 0, waiting: 0 });
  });

  it("that was received before, or is of another branch or repository, changes nothing", async () => {
    const { make, github, started } = await world();
    const hook = await make({ sender: "github", libraryId: "/acme/widgets" });
    const nothing = { message: "It changed nothing that a library is read from." };
    expect((await github(hook, githubPush("refs/heads/other"))).body).toEqual(nothing);
    expect((await github(hook, githubPush("refs/heads/main"))).body).toEqual({
      message: "This delivery was received before.",
    });
    expect((await github(hook, githubPush("refs/heads/main", "1", "acme/gears"), { id: "d3" })).body).toEqual(nothing);
    expect((await github(hook, { zen: "Keep it simple." }, { event: "ping", id: "d4" })).body).toEqual(nothing);
    expect(await started()).toEqual({ started: 0, waiting: 0 });
  });

  it("without the secret's signature is refused, and tells nothing", async () => {
    const { make, github, deliver, started, send } = await world();
    const hook = await make({ sender: "github", libraryId: "/acme/widgets" });
    const refused = { status: 401, body: { error: "hook_refused" } };
    expect(await github(hook, githubPush("refs/heads/main"), { secret: "wrong" })).toMatchObject(refused);
    expect(await deliver(hook.id, "{}", {})).toMatchObject(refused);
    expect(await deliver("none", "{}", {})).toMatchObject({ status: 404, body: { error: "hook_not_found" } });
    expect(await started()).toEqual({ started: 0, waiting: 0 });
    expect(JSON.stringify((await send("GET", "/v2/hooks")).body)).not.toContain(hook.secret);
  });

  it.each(bodies)("of $sender: $about", async ({ sender, headers, body, message }) => {
    const { make, deliver } = await world();
    const of = sender === "gitlab" ? { repositories: "https://git.example.com/acme" } : { libraryId: "/acme/widgets" };
    const hook = await make({ sender, ...of });
    const text = JSON.stringify(body);
    const hmac = createHmac("sha256", hook.secret).update(text).digest("hex");
    const signed = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value
          .replace("HMAC", hmac)
          .replace("SECRET", hook.secret)
          .replace("BASIC", btoa(`lectern:${hook.secret}`)),
      ]),
    );
    expect(await deliver(hook.id, text, signed)).toMatchObject({
      status: 200,
      body: { message: expect.stringContaining(message) },
    });
  });

  it("of Notion is accepted once its token was kept", async () => {
    const { make, deliver, send, catalog } = await world();
    const hook = await make({ sender: "notion", libraryId: "/acme/widgets" });
    const event = JSON.stringify({ id: "e1", type: "page.content_updated", entity: { id: "p", type: "page" } });
    const token = "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl";
    const signed = (secret: string) => ({
      "x-notion-signature": `sha256=${createHmac("sha256", secret).update(event).digest("hex")}`,
    });
    expect((await deliver(hook.id, event, signed(""))).status).toBe(401);
    expect((await deliver(hook.id, JSON.stringify({ verification_token: token }), {})).status).toBe(200);
    expect((await send("GET", "/v2/hooks")).body).toMatchObject({ hooks: [{ verificationToken: token }] });
    // A second token is not taken.
    expect((await deliver(hook.id, JSON.stringify({ verification_token: "secret_of-somebody-else" }), {})).status).toBe(
      401,
    );
    expect((await deliver(hook.id, event, signed(token))).body).toMatchObject({
      message: expect.stringContaining("/acme/widgets"),
    });
    expect((await send("GET", "/v2/hooks")).body).not.toHaveProperty("hooks.0.verificationToken");
    expect(await catalog.libraries.pushed(10)).toHaveLength(1);
  });

  it("says what to do when a public library's repository becomes private", async () => {
    const { make, github } = await world();
    const hook = await make({ sender: "github", libraryId: "/acme/widgets" });
    const { body } = await github(
      hook,
      { ...githubPush("refs/heads/main"), action: "privatized" },
      { event: "repository" },
    );
    expect(body).toMatchObject({
      message: expect.stringMatching(/is public here, but its repository is private now\. Delete it/),
    });
  });
});

describe("managing hooks", () => {
  it("is for administrators of the teamspace, and of the instance for public libraries", async () => {
    const { send, addKey, make } = await world();
    const { key: web } = await addKey(["admin"], { teamspace: "web" });
    const { key: submitter } = await addKey(["submit"]);
    const body = { sender: "github", libraryId: "/acme/widgets" };
    expect((await send("POST", "/v2/hooks", { body, key: web })).status).toBe(403);
    expect((await send("POST", "/v2/hooks", { body, key: submitter })).status).toBe(403);
    const hook = await make(body);
    expect((await send("DELETE", `/v2/hooks/${hook.id}`, { key: web })).status).toBe(404);
    const own = { sender: "gitlab", repositories: "https://git.example.com/acme" };
    expect((await send("POST", "/v2/hooks", { body: own, key: web })).body).toMatchObject({ teamspace: "web" });
    expect((await send("GET", "/v2/hooks", { key: web })).body).toMatchObject({ hooks: [{ sender: "gitlab" }] });
    expect((await send("DELETE", `/v2/hooks/${hook.id}`)).status).toBe(200);
    expect((await send("GET", "/v2/hooks")).body).toEqual({ hooks: [] });
  });

  it("a hook of another teamspace refreshes no public library", async () => {
    const { send, addKey, github } = await world();
    const { key } = await addKey(["admin"], { teamspace: "web" });
    const body = { sender: "github", repositories: "https://git.example.com/acme" };
    const hook = (await send("POST", "/v2/hooks", { body, key })).body as Made;
    expect((await github(hook, githubPush("refs/heads/main"))).body).toEqual({
      message: "It changed nothing that a library is read from.",
    });
  });

  it.each([
    [{ sender: "github" }, "Give one of libraryId and repositories."],
    [{ sender: "gitbucket", libraryId: "/acme/widgets" }, "sender must be"],
    [{ sender: "github", repositories: "acme" }, "repositories must be an owner on a host"],
    [{ sender: "github", libraryId: "/acme/widgets", secret: "short" }, "secret must be 16 to 200"],
    [{ sender: "notion", repositories: "https://git.example.com/acme" }, "A hook of Notion is for one library"],
  ])("refuses %j", async (body, message) => {
    const { send } = await world();
    const answer = await send("POST", "/v2/hooks", { body });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  });
});

it("bodies of a push to GitLab without a default branch are read too", () => {
  const change = senders.gitlab.changesIn({}, gitlabPush("refs/tags/v1", ""), null);
  expect(change).toEqual([{ repository: "git.example.com/acme/widgets", defaultBranch: null, refs: ["v1"] }]);
  for (const { changesIn } of Object.values(senders))
    for (const body of [null, [], "x", 1, {}]) expect(changesIn({}, body, null)).toEqual([]);
});
