import ora from "ora";
import type { Ora } from "ora";
import type { Status } from "../api/dashboard/types.ts";
import { counted } from "../domain/counted.ts";
import type { Phase } from "../domain/steps.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson } from "./output.ts";
import { printable, rawOf } from "./terminal.ts";

/** The progress of a run in a status. */
type RunProgress = Pick<Status, "libraryId" | "phase" | "progress">;

/** A progress display. */
export interface ProgressView {
  show(now: RunProgress): void;
  /** Prints a line meanwhile. */
  say(sentence: string): void;
  end(): void;
}

/** Labels of phases; an unknown phase of another server is shown by name. */
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

/** Width of the bar, in cells. */
const barWidth = 24;

/** A bar on a terminal; else a line of JSON after every change. */
export function openProgress(given: Given): ProgressView {
  return forPeople(given) ? onTerminal() : asJson();
}

function onTerminal(): ProgressView {
  // Terminals of some containers and CI have the size 0, with which the spinner would count endless lines.
  if (process.stdout.columns === 0) process.stdout.columns = 80;
  const spinner: Ora = ora({ stream: rawOf(process.stdout), discardStdin: false, text: phases.queued }).start();
  return {
    show: (now) => void (spinner.text = printable(progressLine(now))),
    say: (sentence) => void (spinner.text = printable(sentence)),
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

/** The progress of a run in a line: its phase, and the found, read and failed pages, or the loaded passages. */
export function progressLine({ phase, progress }: RunProgress): string {
  const summary = phases[phase ?? "queued"] ?? phase ?? "";
  const { pagesDone = 0, pagesKnown, pagesFailed = 0, loaded, snippets, waiting } = progress ?? {};
  if (waiting)
    return `${summary}  ${waiting.host} has not answered since ${waiting.since.slice(11, 19)} UTC: ${waiting.request}`;
  if (phase === "loading" && loaded !== undefined && snippets !== undefined)
    return `${summary}  ${bar(loaded, snippets)} ${loaded} of ${snippets} passages`;
  if (phase !== "collecting" || pagesKnown === undefined) return summary;
  const failed = pagesFailed > 0 ? `, ${pagesFailed} failed` : "";
  return `${summary}  ${bar(pagesDone, pagesKnown)} ${pagesDone} of ${counted(pagesKnown, "page")}${failed}`;
}

function bar(done: number, all: number): string {
  const full = all > 0 ? Math.round((Math.min(done, all) / all) * barWidth) : 0;
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}
