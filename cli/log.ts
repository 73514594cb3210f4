import { styleText } from "node:util";
import { pino } from "pino";
import type { Logger } from "pino";
import type { Config } from "../config.ts";

/**
 * The log, on standard error: JSON, one object a line; where that is a terminal, lines for people. `sync: true` is for commands that
 * end soon: no line is written behind their end.
 */
export function openLog(level: Config["logLevel"], { sync = false }: { readonly sync?: boolean } = {}): Logger {
  if (process.stderr.isTTY)
    return pino({ level }, { write: (line: string) => void process.stderr.write(readableLine(line)) });
  return pino({ level }, pino.destination({ fd: 2, sync }));
}

/**
 * Says on standard output how a process that stays has started, whatever LOG_LEVEL is: to a terminal the lines for people, into a pipe
 * each message as a line of the log's form, so that what collects both outputs reads nothing but JSON.
 */
export function sayStarted(people: readonly string[], messages: readonly string[] = people): void {
  if (process.stdout.isTTY) {
    for (const line of people) console.log(line);
    return;
  }
  const lines = pino({}, { write: (line: string) => void process.stdout.write(line) });
  for (const message of messages) lines.info(message);
}

const colors = { 40: "yellow", 50: "red", 60: "red" } as const;

/** A line of the log for people: time, level, message, fields, and below them the stack of an error. */
export function readableLine(line: string): string {
  // Written by pino.
  const { level, time, msg, err, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as LogLine;
  const stack = err?.stack === undefined ? "" : `\n${printable(err.stack).replaceAll(/^/gm, "    ")}`;
  const fields = err === undefined || stack !== "" ? rest : { ...rest, err };
  const parts = [
    paint("gray", timeOfDay(time)),
    paint(colors[level as keyof typeof colors] ?? "cyan", (pino.levels.labels[level] ?? "").toUpperCase().padEnd(5)),
    printable(msg ?? ""),
    ...Object.entries(fields).map(([key, value]) => `${paint("gray", `${key}=`)}${readableValue(value)}`),
  ];
  return `${parts.join(" ")}${stack}\n`;
}

/** What a line of pino's has; the fields of a message stand beside it. */
interface LogLine extends Record<string, unknown> {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

const paint = (color: "gray" | "cyan" | "yellow" | "red", text: string): string =>
  styleText(color, text, { stream: process.stderr });

function timeOfDay(time: number): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, "0");
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

function readableValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : printable(JSON.stringify(value));
}

/** What others wrote may stand in a message: nothing of it commands the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, "�");
}
