import { describe, expect, it } from "vitest";
import { diskFailure, Failure, toFailureRecord } from "../../domain/failures.ts";

const systemError = (code: string): Error => Object.assign(new Error(`${code}: write '/srv/data/secret'`), { code });
const sqliteError = (errcode: number): Error =>
  Object.assign(new Error("SQLite says so"), { code: "ERR_SQLITE_ERROR", errcode });

describe("A disk in trouble", () => {
  it.each([systemError("ENOSPC"), systemError("EDQUOT"), sqliteError(13)])(
    "is an outage where it is full: %s",
    (error) => {
      expect(toFailureRecord(error)).toEqual({
        code: "service_unavailable",
        message: "No space is left on the server's disk. Free some: runs continue then.",
      });
    },
  );

  // SQLite's errors for a quota (IOERR_WRITE), no room for its -shm file (IOERR_SHMSIZE), and a disk mounted read-only.
  it.each([systemError("EROFS"), systemError("EIO"), sqliteError(778), sqliteError(4874), sqliteError(8)])(
    "is an outage where it cannot be written: %s",
    (error) => {
      expect(toFailureRecord(error)).toMatchObject({
        code: "service_unavailable",
        message: expect.stringMatching(/disk cannot be read or written/) as string,
      });
    },
  );

  it("is found in the causes of other errors, and stays in the cause", () => {
    const error = new Error("The thread ended.", { cause: systemError("ENOSPC") });
    expect(diskFailure(error)).toMatchObject({ code: "service_unavailable", cause: error });
    expect(diskFailure(error)?.message).not.toContain("/srv");
  });

  it("is not assumed for other errors", () => {
    for (const error of [
      systemError("EACCES"),
      systemError("ENOENT"),
      sqliteError(1),
      new Error("bug"),
      "text",
      undefined,
    ])
      expect(diskFailure(error)).toBeUndefined();
    expect(toFailureRecord(new Failure("timeout", "Too late.", { cause: systemError("ENOSPC") }))).toMatchObject({
      code: "timeout",
    });
  });
});
