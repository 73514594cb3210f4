import ora from "ora";
import type { Ora } from "ora";
import type { Phase, Progress } from "../domain/steps.ts";
import type { Given } from "./command.ts";
import { count, forPeople, printJson } from "./output.ts";

/** What a status says of how far a run is. */
export interface HowFar {
  readonly libraryId: string;
  readonly phase: string | null;
  readonly progress: Progress | null;
}

/** Shows how far something is, until it is ended. */
export interface ProgressView {
  show(now: HowFar): void;
  /** For what is to be said meanwhile. */
  say(sentence: string): void;
  end(): void;
}

/** What people are told of a phase; of another server's new phase, its name. */
const phases: Readonly<Record<string, string> & Record<Phase, string>> = {
  queued: "Waiting for its turn",
  resolving: "Finding the revision",
  collecting: "Reading pages",
  assessing: "Checking limits",
  loading: "Loading the index",
  publishing: "Publishing",
  announcing: "Publishing",
  retiring: "Tidying up",
};

/** Cells of the bar. */
const barWidth = 24;

/** A bar on a terminal; else a line of JSON whenever something has changed. */
export function openProgress(given: Given): ProgressView {
  return forPeople(given) ? onTerminal() : asJson();
}

function onTerminal(): ProgressView {
  // Terminals without a size, as some that containers and CI open, say 0, by which the spinner would count endless lines.
  if (process.stdout.columns === 0) process.stdout.columns = 80;
  const spinner: Ora = ora({ stream: process.stdout, discardStdin: false, text: phases.queued }).start();
  return {
    show: (now) => void (spinner.text = progressLine(now)),
    say: (sentence) => void (spinner.text = sentence),
    end: () => void spinner.stop(),
  };
}

function asJson(): ProgressView {
  let last = "";
  const print = (event: object): void => {
    const line = JSON.stringify(event);
    if (line !== last) printJson(event);
    last = line;
  };
  return {
    show: ({ libraryId, phase, progress }) => print({ event: "progress", libraryId, phase, ...progress }),
    say: (message) => print({ event: "waiting", message }),
    end: () => {},
  };
}

/** How far a run is, in a line: its phase, and the pages that are found, read and failed, or the passages that are loaded. */
export function progressLine({ phase, progress }: HowFar): string {
  const summary = phases[phase ?? "queued"] ?? phase ?? "";
  const { pagesDone = 0, pagesKnown, pagesFailed = 0, loaded, snippets } = progress ?? {};
  if (phase === "loading" && loaded !== undefined && snippets !== undefined)
    return `${summary}  ${bar(loaded, snippets)} ${loaded} of ${snippets} passages`;
  if (phase !== "collecting" || pagesKnown === undefined) return summary;
  const failed = pagesFailed > 0 ? `, ${pagesFailed} failed` : "";
  return `${summary}  ${bar(pagesDone, pagesKnown)} ${pagesDone} of ${count(pagesKnown, "page")}${failed}`;
}

function bar(done: number, all: number): string {
  const full = all > 0 ? Math.round((Math.min(done, all) / all) * barWidth) : 0;
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}
