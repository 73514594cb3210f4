import { stripVTControlCharacters } from "node:util";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { readableLine } from "../../cli/log.ts";

/** What a terminal shows of a message, without colours and with the same time everywhere. */
function shown(write: (log: pino.Logger) => void): string {
  let line = "";
  write(pino({}, { write: (text: string) => void (line += text) }));
  return stripVTControlCharacters(readableLine(line)).replace(/^\d\d:\d\d:\d\d\.\d{3}/, "12:00:00.000");
}

describe("a line of the log on a terminal", () => {
  it("has time, level, message and fields", () => {
    const fields = { method: "GET", status: 200, keyId: null, reason: "not there", counts: { pages: 2 } };
    expect(shown((log) => log.info(fields, "request"))).toBe(
      '12:00:00.000 INFO  request method=GET status=200 keyId=null reason="not there" counts={"pages":2}\n',
    );
  });

  it("has the stack of an error below", () => {
    const error = Object.assign(new Error("away"), { stack: "Error: away\n    at there" });
    expect(shown((log) => log.error({ err: error, part: "index" }, "not ready"))).toBe(
      "12:00:00.000 ERROR not ready part=index\n    Error: away\n        at there\n",
    );
  });

  it("has an error that is no Error among the fields, and nothing where there is no message", () => {
    expect(shown((log) => log.warn({ err: "gone" }))).toBe("12:00:00.000 WARN   err=gone\n");
  });

  it("lets nothing through that commands the terminal", () => {
    const error = Object.assign(new Error("x"), { stack: "x\u001b[2J" });
    const line = readableLine(JSON.stringify({ level: 30, time: 0, msg: "a\u001b[2J", path: "\u009b2J", err: error }));
    expect(stripVTControlCharacters(line)).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
