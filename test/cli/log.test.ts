import { stripVTControlCharacters } from "node:util";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { readableLine } from "../../cli/log.ts";

/** A message as a terminal shows it, without colours and with a fixed time. */
function terminalLine(write: (log: pino.Logger) => void): string {
  let line = "";
  write(pino({}, { write: (text: string) => void (line += text) }));
  return stripVTControlCharacters(readableLine(line)).replace(/^\d\d:\d\d:\d\d\.\d{3}/, "12:00:00.000");
}

describe("a line of the log on a terminal", () => {
  it("has time, level, message and fields", () => {
    const fields = { method: "GET", status: 200, keyId: null, reason: "not there", counts: { pages: 2 } };
    expect(terminalLine((log) => log.info(fields, "request"))).toBe(
      '12:00:00.000 INFO  request method=GET status=200 keyId=null reason="not there" counts={"pages":2}\n',
    );
  });

  it("has the stack of an error below", () => {
    const error = Object.assign(new Error("away"), { stack: "Error: away\n    at there" });
    expect(terminalLine((log) => log.error({ err: error, part: "index" }, "not ready"))).toBe(
      "12:00:00.000 ERROR not ready part=index\n    Error: away\n        at there\n",
    );
  });

  it("has a non-Error `err` among the fields, and may have no message", () => {
    expect(terminalLine((log) => log.warn({ err: "gone" }))).toBe("12:00:00.000 WARN   err=gone\n");
  });

  it("contains no control characters", () => {
    const error = Object.assign(new Error("x"), { stack: "x\u001b[2J" });
    const line = readableLine(JSON.stringify({ level: 30, time: 0, msg: "a\u001b[2J", path: "\u009b2J", err: error }));
    expect(stripVTControlCharacters(line)).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
