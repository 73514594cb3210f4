import { pino, type Logger } from "pino";
import type { Config } from "./config.ts";
import { paint as paintFor, printable } from "./terminal.ts";

/** The log on standard error: NDJSON, or lines for people on a terminal. `sync` keeps short commands from losing lines at their end. */
export function openLog(level: Config["logLevel"], { sync = false }: { readonly sync?: boolean } = {}): Logger {
  if (process.stderr.isTTY)
    return pino({ level }, { write: (line: string) => void process.stderr.write(readableLine(line)) });
  return pino({ level }, pino.destination({ fd: 2, sync }));
}

/**
 * Prints the start of a server on standard output, at any LOG_LEVEL: lines for people on a terminal, log lines in a pipe, so that a
 * collector of both outputs reads only JSON.
 */
export function printStarted(people: readonly string[], messages: readonly string[] = people): void {
  if (process.stdout.isTTY) {
    for (const line of people) console.log(line);
    return;
  }
  const lines = pino({}, { write: (line: string) => void process.stdout.write(line) });
  for (const message of messages) lines.info(message);
}

const colors = { 40: "yellow", 50: "red", 60: "red" } as const;

/** Formats a log line for people: time, level, message and fields, followed by the stack of an error. */
export function readableLine(line: string): string {
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

/** A log line of pino; all other members are fields of the message. */
interface LogLine extends Record<string, unknown> {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

const paint = (color: "gray" | "cyan" | "yellow" | "red", text: string): string =>
  paintFor(color, text, process.stderr);

function timeOfDay(time: number): string {
  const date = new Date(time);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function readableValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : printable(JSON.stringify(value));
}
