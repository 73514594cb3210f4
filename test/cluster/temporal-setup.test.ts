import { randomBytes } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { tsToMs } from "@temporalio/common/lib/time.js";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import { sweepSchedule, setupTemporal } from "../../workers/temporal-setup.ts";
import { openTemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");
const log = pino({ level: "silent" });

describe.skipIf(temporal === null)("lectern setup on Temporal", () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await Connection.connect({ address: temporal ?? "", interceptors: [] });
  });
  afterAll(() => connection.close());
  const fresh = (): Client => new Client({ connection, namespace: `setup-${randomBytes(6).toString("hex")}` });
  const retentionDays = async ({ options, workflowService }: Client): Promise<number> => {
    const { config } = await workflowService.describeNamespace({ namespace: options.namespace });
    return tsToMs(config?.workflowExecutionRetentionTtl) / 86_400_000;
  };
  const intervals = async (client: Client): Promise<number | undefined> =>
    (await client.schedule.getHandle(sweepSchedule).describe()).spec.intervals?.[0]?.every;

  it("makes namespace, search attributes and Schedule, also where several do it at once", async () => {
    const client = fresh();
    await Promise.all([1, 2, 3].map(() => setupTemporal({ client, retentionDays: 7, sweepSeconds: 3600, log })));
    expect(await retentionDays(client)).toBe(7);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: client.options.namespace,
    });
    expect(Object.keys(customAttributes ?? {})).toEqual(
      expect.arrayContaining(["LecternLibrary", "LecternSource", "LecternState"]),
    );
    expect(await intervals(client)).toBe(3_600_000);
  });

  it("brings up to date what is there, and leaves a paused Schedule paused", async () => {
    const client = fresh();
    await setupTemporal({ client, retentionDays: 7, sweepSeconds: 3600, log });
    await client.schedule.getHandle(sweepSchedule).pause("maintenance");
    await setupTemporal({ client, retentionDays: 3, sweepSeconds: 7200, log });
    expect(await retentionDays(client)).toBe(3);
    expect(await intervals(client)).toBe(7_200_000);
    expect((await client.schedule.getHandle(sweepSchedule).describe()).state).toMatchObject({
      paused: true,
      note: "maintenance",
    });
  });

  it("says what to do where a search attribute of ours has another type", async () => {
    const client = fresh();
    const { namespace } = client.options;
    await client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await expect
      .poll(
        () =>
          connection.operatorService
            .addSearchAttributes({ namespace, searchAttributes: { LecternState: 1 } })
            .then(() => true)
            .catch(() => false),
        { timeout: 20_000 },
      )
      .toBe(true);
    await expect(setupTemporal({ client, retentionDays: 7, sweepSeconds: 60, log })).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("LecternState") as string,
    });
  });

  it("has the Schedule start a sweep at every tick, the first one of an hour being thorough", async () => {
    const rig = await openTemporalRig(temporal ?? "", { sweepSeconds: 2 });
    const swept: boolean[] = [];
    await rig.work({}, { sweep: async ({ thorough }) => void swept.push(thorough) });
    await expect.poll(() => swept.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    // Unless the hour began in this moment.
    expect(swept.filter((thorough) => !thorough).length).toBeGreaterThanOrEqual(swept.length - 1);
    await rig.client.schedule.getHandle(sweepSchedule).update(({ spec, action, state, policies }) => ({
      spec,
      action: { ...action, args: [{ everySeconds: 3600 }] } as never,
      state,
      policies,
    }));
    await expect.poll(() => swept.at(-1), { timeout: 20_000 }).toBe(true);
    await rig.close();
  });

  it("goes on with sweeps after one that failed", async () => {
    const rig = await openTemporalRig(temporal ?? "", { sweepSeconds: 1 });
    let calls = 0;
    await rig.work(
      {},
      {
        sweep: async () => {
          calls += 1;
          if (calls < 3) throw new Failure("search_failed", "The catalog is away.");
        },
      },
    );
    await expect.poll(() => calls, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    await expect
      .poll(
        async () => (await rig.client.workflow.count('WorkflowType = "sweep" AND ExecutionStatus = "Failed"')).count,
      )
      .toBe(2);
    await rig.close();
  });
});
