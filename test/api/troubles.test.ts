import { expect, it, vi } from "vitest";
import { createMisses } from "../../api/usage.ts";
import type { Miss } from "../../domain/ports.ts";
import { uidOf } from "../support/uid-of.ts";
import { setup } from "./setup.ts";
import { codePassage, prosePassage } from "./samples.ts";

it("lists libraries by their troubles, within the key's patterns", async () => {
  const { send, submit, finish, catalog, engine, addKey, clock } = await setup();
  const list = async (state: string, key?: string) => {
    const { status, body } = await send("GET", `/v2/libs?state=${state}`, key === undefined ? {} : { key });
    return status === 200
      ? (body as { libraries: { libraryId: string }[] }).libraries.map(({ libraryId }) => libraryId)
      : body;
  };
  for (const name of ["good", "held", "failed", "damaged"]) await finish(await submit(`/acme/${name}`), [codePassage]);
  const refreshed = async (libraryName: string): Promise<string> => {
    await send("POST", "/v1/refresh", { body: { libraryName } });
    return engine.started.at(-1)?.runId ?? "";
  };
  await finish(await refreshed("/acme/held"), [codePassage], true);
  await catalog.runs.close(await refreshed("/acme/failed"), { outcome: "failed" }, clock.now);
  const damaged = await catalog.libraries.find([""], "/acme/damaged", "");
  await catalog.generations.noteDamage(damaged?.version?.live?.id ?? "", "A part is missing.", clock.now);
  await submit("/acme/stuck");
  expect(await list("stuck")).toEqual([]);
  clock.now += 31 * 60_000;
  for (const state of ["held", "failed", "damaged", "stuck"]) expect(await list(state)).toEqual([`/acme/${state}`]);
  expect(await list("quarantined")).toEqual([]);
  const { key } = await addKey(["read"], { libraries: ["/acme/held"] });
  expect([await list("held", key), await list("failed", key)]).toEqual([["/acme/held"], []]);
  expect(await list("broken")).toMatchObject({
    error: "validation_error",
    message: expect.stringContaining(
      "state must be one of failed, held, stuck, quarantined, damaged, unindexed, partial, any",
    ) as unknown,
  });
});

it("lists libraries by kind, with kind, troubles and the time of the last check", async () => {
  const { send, submit, finish, clock } = await setup();
  await finish(await submit("/acme/code"), [codePassage]);
  const { runId } = (await send("POST", "/v1/refresh", { body: { libraryName: "/acme/code" } })).body as {
    runId: string;
  };
  await finish(runId, [codePassage], true);
  await send("POST", "/v2/add/website", { body: { websiteUrl: 'https://example.com/"kind":"git"' } });
  const list = async (query: string) =>
    ((await send("GET", `/v2/libs?${query}`)).body as { libraries: Record<string, unknown>[] }).libraries;
  expect(await list("kind=git")).toMatchObject([
    { libraryId: "/acme/code", kind: "git", troubles: ["held"], checkedAt: new Date(clock.now).toISOString() },
  ]);
  expect(await list("kind=website")).toMatchObject([{ kind: "website", troubles: [], checkedAt: null }]);
  expect(await list("kind=notion")).toEqual([]);
  expect(await list("state=any&kind=website")).toEqual([]);
});

it("shows an open run's attempt, last failure and last progress", async () => {
  const { send, submit, catalog, clock } = await setup();
  const runId = await submit("/acme/a");
  await catalog.runs.report(runId, { phase: "collecting", attempt: 2 }, clock.now);
  const failure = { code: "source_unreachable", message: "It is away." } as const;
  await catalog.runs.report(runId, { failure }, clock.now + 5000);
  expect((await send("GET", "/v2/libs/status?libraryId=/acme/a")).body).toMatchObject({
    openRun: {
      attempt: 2,
      lastFailure: { error: "source_unreachable", message: "It is away." },
      progressAt: new Date(clock.now).toISOString(),
    },
  });
});

it("shows questions without results to administrators only", async () => {
  const { send, submit, finish, catalog, addKey, clock, counts } = await setup();
  await finish(await submit("/acme/a"), [codePassage]);
  const uid = await uidOf(catalog, "/acme/a");
  const ask = (query: string) => send("GET", `/v2/context?libraryId=/acme/a&query=${encodeURIComponent(query)}`);
  await ask("zzyzx quux");
  await ask("zzyzx quux&language=rust");
  expect(counts.misses[0]).toEqual([uid, "zzyzx quux"]);
  await catalog.libraries.noteMisses([{ libraryUid: uid, words: "zzyzx quux", times: 2, askedAt: clock.now }]);
  const status = async (key?: string) =>
    (await send("GET", "/v2/libs/status?libraryId=/acme/a", key === undefined ? {} : { key })).body;
  expect(await status()).toMatchObject({
    missedQuestions: [{ words: "zzyzx quux", times: 2, lastAskedAt: new Date(clock.now).toISOString() }],
  });
  expect(await status((await addKey(["read"])).key)).not.toHaveProperty("missedQuestions");
});

it("keeps only the words of questions, and a limited number of them", async () => {
  const written: (readonly Miss[])[] = [];
  let fails = true;
  const record = async (misses: readonly Miss[]): Promise<void> => {
    if (fails) throw new Error("away");
    written.push(misses);
  };
  const log = { warn: vi.fn<() => void>() } as never;
  const misses = createMisses({ record, every: 60_000, now: () => 7, log });
  const key = "a".repeat(40);
  misses.note("a", `How do I  FLY a c++ plane? joe@example.com https://example.com/me ${key}`);
  misses.note("a", "how do i fly a C++ plane");
  misses.note("a", "?!");
  for (let at = 0; at < 6000; at++) misses.note("b", `word${at}`);
  await misses.flush();
  fails = false;
  misses.note("a", "how do i fly a c++ plane");
  await misses.close();
  expect(written[0]?.[0]).toEqual({ libraryUid: "a", words: "how do i fly a c++ plane", times: 3, askedAt: 7 });
  expect(written[0]).toHaveLength(5000);
  expect(written).toHaveLength(1);
});

it("publishes or drops a held generation, and rolls back", async () => {
  const { send, submit, finish, engine, clock } = await setup();
  const first = await submit("/acme/a");
  await finish(first, [codePassage, prosePassage]);
  const body = { libraryName: "/acme/a" };
  const refresh = async (held: boolean) => {
    clock.now += 1000;
    await send("POST", "/v1/refresh", { body });
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage], held);
  };
  await refresh(true);
  expect((await send("POST", "/v2/libs/publish", { body: { ...body, drop: true } })).status).toBe(200);
  expect((await send("POST", "/v2/libs/publish", { body })).body).toMatchObject({
    message: "/acme/a has no held generation.",
  });
  await refresh(true);
  expect((await send("POST", "/v2/libs/publish", { body })).body).toMatchObject({
    runId: engine.started.at(-1)?.runId,
  });
  expect(engine.started.at(-1)?.reason).toBe("publish");
  await send("POST", "/v2/libs/cancel", { body });
  clock.now += 1000;
  await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
  expect((await send("POST", "/v2/libs/publish", { body })).body).toMatchObject({
    error: "validation_error",
    message: expect.stringMatching(
      /^The held generation of \/acme\/a is from .*, older than the live one from .* Drop it/,
    ) as unknown,
  });
  expect((await send("POST", "/v2/libs/rollback", { body })).body).toMatchObject({ generation: first });
});

it("answers for a library that was never indexed with its failure and the time of the next attempt", async () => {
  const { send, submit, fail, clock } = await setup();
  const ask = async (id: string) => (await send("GET", `/v2/context?libraryId=${id}&query=a`)).status;
  const failureOf = async (id: string) =>
    (await send("GET", `/v2/context?libraryId=${id}&query=a&type=json`)).body as { error: string; message: string };
  const retryAt = async (id: string) =>
    ((await send("GET", `/v2/libs/status?libraryId=${id}`)).body as { retryAt: string | null }).retryAt;
  const soon = new Date(clock.now + 300_000).toISOString();
  const later = new Date(clock.now + 3_600_000).toISOString();
  for (const [name, code, status, at] of [
    ["away", "source_unreachable", 504, soon],
    ["lost", "run_interrupted", 503, later],
    ["slow", "timeout", 504, later],
    ["defect", "internal_error", 500, later],
    ["gone", "source_not_found", 404, null],
    ["large", "library_too_large", 422, null],
  ] as const) {
    await fail(await submit(`/acme/${name}`), code, "Unexpected error, a defect of Lectern. The log has the details.");
    expect([await ask(`/acme/${name}`), await retryAt(`/acme/${name}`)]).toEqual([status, at]);
    const { error, message } = await failureOf(`/acme/${name}`);
    expect(error).toBe(code);
    if (at === null) expect(message).not.toContain("tried again");
    else expect(message).toContain(`It is tried again at ${at}`);
    expect(message.startsWith(`Indexing of /acme/${name} failed.`)).toBe(code === "internal_error");
  }
});
