import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openAuditLog } from "../../cli/audit-log.ts";
import { sampleRecord } from "../contracts/catalog-audit.ts";
import { folderOfTest } from "../support/of-test.ts";

const linesOf = async (file: string) =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string });

it("writes one line of JSON per record, in order and not interleaved with another writer's", async () => {
  const file = join(await folderOfTest(), "audit.ndjson");
  const writers = [openAuditLog(file), openAuditLog(file)];
  await Promise.all(Array.from({ length: 200 }, async (_, at) => writers[at % 2]?.(sampleRecord(at + 1))));
  const lines = await linesOf(file);
  const [even, odd] = [0, 1].map((rest) =>
    lines.map(({ id }) => Number(id.slice(1)) - 1).filter((at) => at % 2 === rest),
  );
  expect([even?.length, odd?.length]).toEqual([100, 100]);
  for (const numbers of [even, odd]) expect(numbers).toEqual(numbers?.toSorted((one, other) => one - other));
  // The order between the two writers is undefined.
  expect(lines.find(({ id }) => id === "r0001")).toEqual({
    id: "r0001",
    time: "1970-01-01T00:00:00.001Z",
    action: "library.delete",
    target: "/acme/widgets",
    outcome: "done",
    error: null,
    key: "k1",
    subject: null,
    teamspace: "web",
    address: "192.0.2.1",
    requestId: "q1",
  });
});

it("creates a new file after rotation, readable by its user only", async () => {
  const file = join(await folderOfTest(), "audit.ndjson");
  const write = openAuditLog(file);
  await write(sampleRecord(1));
  await rename(file, `${file}.1`);
  await write(sampleRecord(2));
  expect([(await linesOf(`${file}.1`)).length, (await linesOf(file)).map(({ id }) => id)]).toEqual([1, ["r0002"]]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("rejects each record that cannot be written", async () => {
  const folder = await folderOfTest();
  const write = openAuditLog(join(folder, "none", "audit.ndjson"));
  await expect(write(sampleRecord(1))).rejects.toMatchObject({ code: "ENOENT" });
  await expect(write(sampleRecord(2))).rejects.toMatchObject({ code: "ENOENT" });
});
