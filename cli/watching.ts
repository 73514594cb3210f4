import { setTimeout as sleep } from "node:timers/promises";
import type { Status } from "../api/answer-types.ts";
import { Failure, isFailureCode } from "../domain/failures.ts";
import { showLibrary } from "../domain/library.ts";
import type { Submitted } from "../domain/submitting.ts";
import { Unavailable, type ServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printJson } from "./output.ts";
import { quantity } from "../domain/quantity.ts";
import type { Phase } from "../domain/steps.ts";
import { printable, rawOf, paint } from "./terminal.ts";
import { programName } from "./program-name.ts";

/** Poll interval, in milliseconds: short at first, as small sources take less than a second. */
const pauseAfter = (polls: number): number => (polls < 20 ? 250 : 1000);

/** Maximum retries while the server does not respond, a second apart. */
const maxLost = 5;

/** Prints the result of a submission or a refresh, and follows its run, unless `--no-wait` is given. */
export async function followSubmitted(
  client: ServerClient,
  given: Given,
  answer: Readonly<Record<string, unknown>>,
): Promise<void> {
  const submitted = answer as unknown as Submitted;
  const library = showLibrary(submitted.libraryName, submitted.version);
  if (!forPeople(given)) printJson({ event: "submitted", libraryId: library, ...submitted });
  else console.log(`${submitted.message}${given.given("no-wait") ? "" : " Ctrl-C only stops waiting."}`);
  if (!given.given("no-wait")) await follow(client, given, library, submitted.runId);
}

/** A library's status. @throws Failure with the server's code */
export async function readStatus(client: ServerClient, library: string): Promise<Status> {
  return (await client.json("GET", withQuery("/v2/libs/status", { libraryId: library }))) as unknown as Status;
}

/**
 * Shows the progress of a run, then its result.
 * @throws Failure of the run; service_unavailable if the server stops responding, though the run continues
 */
export async function follow(client: ServerClient, given: Given, library: string, runId: string): Promise<void> {
  const view = forPeople(given) ? await onTerminal() : asJson();
  const continues = `continues on the server: ${programName()} status ${library} --watch`;
  const interrupted = (): void => {
    view.end();
    console.error(`Stopped waiting. Indexing of ${library} ${continues}`);
    process.exit(exitCodes.interrupted);
  };
  process.once("SIGINT", interrupted);
  try {
    const ended = await untilEnded(client, view, { library, runId, continues });
    view.end();
    printResult(given, ended, runId);
  } finally {
    view.end();
    process.off("SIGINT", interrupted);
  }
}

async function untilEnded(
  client: ServerClient,
  view: ProgressView,
  { library, runId, continues }: { readonly library: string; readonly runId: string; readonly continues: string },
): Promise<Status> {
  let lost = 0;
  for (let polls = 0, name = library; ; polls += 1) {
    const status = await readStatus(client, name).catch(async (error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
      lost += 1;
      if (lost <= maxLost) return undefined;
      const message = `The server at ${await client.base()} stopped responding. Indexing of ${name} ${continues}. If the server has stopped, indexing continues when it starts again.`;
      throw new Unavailable("service_unavailable", message, { cause: error });
    });
    if (status === undefined) view.say(`The server does not respond; retrying (${lost} of ${maxLost})`);
    else {
      lost = 0;
      if (hasEnded(status, runId)) return status;
      // The library was renamed meanwhile.
      if (status.state === "redirected" && status.redirectUrl !== null) name = status.redirectUrl;
      view.show(status);
    }
    await sleep(status === undefined ? 1000 : pauseAfter(polls));
  }
}

function hasEnded({ state, runs, redirectUrl }: Status, runId: string): boolean {
  if (state === "redirected") return redirectUrl === null;
  // A suspended run is open and has a failure: it waits for an administrator.
  const run = runs.find(({ id }) => id === runId) ?? runs[0];
  return run === undefined || run.state === "closed" || run.failure !== null;
}

/** Prints the result of a run. @throws Failure if it failed, or was held, cancelled or superseded */
function printResult(given: Given, status: Status, runId: string): void {
  const { libraryId, version, runs, live, unread } = status;
  const library = showLibrary(libraryId, version);
  const run = runs.find(({ id }) => id === runId) ?? runs[0];
  const outcome = run?.outcome ?? "failed";
  const people = forPeople(given);
  if ((outcome === "published" || outcome === "unchanged") && live) {
    if (people) for (const line of summaryLines(library, outcome, live, unread)) console.log(line);
    else printJson({ event: "ended", outcome, libraryId: library, ...live.counts });
    if (live.counts.pagesFailed > 0 || live.counts.isPartial === true) process.exitCode = exitCodes.partlyRead;
    return;
  }
  const { error = "internal_error", message = messageFor(library, outcome) } = run?.failure ?? {};
  if (!people) printJson({ event: "ended", outcome, libraryId: library, error, message });
  throw new Failure(isFailureCode(error) ? error : "internal_error", message);
}

function messageFor(library: string, outcome: string): string {
  const messages: Readonly<Record<string, string>> = {
    held: `The refresh of ${library} is held, as it would lose too many passages. See it with ${programName()} status ${library}, then publish or drop it: docs/guides/manage-libraries.md.`,
    cancelled: `Indexing of ${library} was cancelled. Start it again with ${programName()} refresh ${library}`,
    superseded: `Indexing of ${library} was superseded by another change. See ${programName()} status ${library}`,
  };
  return messages[outcome] ?? `Indexing of ${library} failed. See ${programName()} status ${library}`;
}

/** The progress of a run in a status. */
type RunProgress = Pick<Status, "libraryId" | "phase" | "progress">;

/** A progress display. */
interface ProgressView {
  show(now: RunProgress): void;
  /** Shows a sentence instead. */
  say(sentence: string): void;
  end(): void;
}

/** Labels of phases; unknown phases of newer servers are shown by name. */
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

/** A spinner with a bar on a terminal. */
async function onTerminal(): Promise<ProgressView> {
  // Its packages take longer to load than a command that waits for nothing.
  const { default: ora } = await import("ora");
  // Some containers and CI report a width of 0, for which the spinner would count endless lines.
  if (process.stdout.columns === 0) process.stdout.columns = 80;
  const spinner = ora({ stream: rawOf(process.stdout), discardStdin: false, text: phases.queued }).start();
  return {
    show: (now) => void (spinner.text = printable(progressLine(now))),
    say: (sentence) => void (spinner.text = printable(sentence)),
    end: () => void spinner.stop(),
  };
}

/** A line of JSON after every change. */
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

/** The progress of a run in one line: its phase, and the pages or passages done. */
export function progressLine({ phase, progress }: RunProgress): string {
  const summary = phases[phase ?? "queued"] ?? phase ?? "";
  const { pagesDone = 0, pagesKnown, pagesFailed = 0, loaded, snippets, waiting } = progress ?? {};
  if (waiting)
    return `${summary}  ${waiting.host} has not responded since ${waiting.since.slice(11, 19)} UTC: ${waiting.request}`;
  if (phase === "loading" && loaded !== undefined && snippets !== undefined)
    return `${summary}  ${bar(loaded, snippets)} ${loaded} of ${snippets} passages`;
  if (phase !== "collecting" || pagesKnown === undefined) return summary;
  const failed = pagesFailed > 0 ? `, ${pagesFailed} failed` : "";
  return `${summary}  ${bar(pagesDone, pagesKnown)} ${pagesDone} of ${quantity(pagesKnown, "page")}${failed}`;
}

/** A progress bar. */
export function bar(done: number, all: number): string {
  const full = all > 0 ? Math.round((Math.min(done, all) / all) * barWidth) : 0;
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}

type LiveGeneration = NonNullable<Status["live"]>;

/** The result of indexing: pages and passages, and problems with the commands that show them. */
function summaryLines(
  library: string,
  outcome: string,
  { counts }: LiveGeneration,
  unread: Status["unread"],
): readonly string[] {
  const unchanged = outcome === "unchanged" ? ", as before" : "";
  return [
    `${paint("green", "✔")} ${library} is ready${unchanged}: ${countsText(counts)}.`,
    `  Ask it:  ${programName()} ask ${library} "…"`,
    ...problemLines(library, counts, unread).map((line) => `  ${paint("yellow", "!")} ${line}`),
  ];
}

/** `3 pages, 12 passages`. */
export function countsText({ pages, passages, code, info }: LiveGeneration["counts"]): string {
  return `${quantity(pages, "page")}, ${quantity(passages ?? code + info, "passage")}`;
}

/** Problems, each with the command that shows it. */
export function problemLines(
  library: string,
  { pagesFailed, quarantined, isPartial }: LiveGeneration["counts"],
  unread: Status["unread"],
): readonly string[] {
  return [
    ...(isPartial && unread ? [`Most of its documentation is not read: ${unread.formats}. ${unread.advice}`] : []),
    ...(pagesFailed > 0
      ? [`${quantity(pagesFailed, "page")} failed: ${programName()} status ${library} --failed`]
      : []),
    ...(quarantined > 0
      ? [`${quantity(quarantined, "passage")} quarantined: ${programName()} status ${library} --held-back`]
      : []),
  ];
}
