import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { missingPrograms, openLocalRig } from "./support/local.ts";

const lectern = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

describe.skipIf(missingPrograms.length > 0)("operating a cluster through either of its APIs", () => {
  it("indexes, refreshes, rolls back, exports and deletes a library", async () => {
    await using rig = await openLocalRig();
    const { call, settled, cluster } = rig;
    const id = "/acme/widgets";
    const ask = `/v2/context?libraryId=${id}&query=install&type=json`;
    const live = async (): Promise<unknown> => (await call("GET", `/v2/libs/status?libraryId=${id}`)).body["live"];

    await rig.submitOwn(id, 0);
    await settled(60);
    const first = await live();
    expect(first).toMatchObject({ counts: { code: expect.any(Number) } });
    await rig.change(id, 1);
    await settled(60);
    expect(await live()).not.toEqual(first);

    expect((await call("POST", "/v2/libs/rollback", { libraryName: id }, 1)).status).toBe(200);
    expect(await live()).toEqual(first);
    expect((await call("GET", ask)).status).toBe(200);

    const { stdout } = await promisify(execFile)(process.execPath, [lectern, "export", id], {
      env: { ...process.env, ...cluster.env },
      maxBuffer: 1e8,
    });
    expect(JSON.parse(stdout.slice(0, stdout.indexOf("\n")))).toMatchObject({ library: { id } });

    expect((await call("DELETE", `/v2/libs?libraryId=${id}`, undefined, 1)).status).toBe(200);
    expect((await call("GET", ask)).status).toBe(404);
    const { body } = await call("GET", `/v2/libs/search?libraryName=widgets&query=install`);
    // Other libraries of the server may have its words in their documentation.
    expect(body["results"]).not.toContainEqual(expect.objectContaining({ id }));
  });
});
