/**
 * `npm run test:report -- FOLDER`: prints what failed in the JSON reports of vitest in a folder, with its first message, what
 * passed at the second attempt only, and a last line that counts the tests.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What this uses of a report, as vitest's reporter `json` writes it. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("Name the folder of the reports: npm run test:report -- FOLDER");
const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Report);

for (const file of reports.flatMap((report) => report.testResults)) {
  if (file.status === "failed" && file.message !== "") say("failed", file.name, file.message);
  for (const { fullName, status, failureMessages } of file.assertionResults) {
    const [message] = failureMessages ?? [];
    if (status === "failed") say("failed", `${file.name}: ${fullName}`, message);
    else if (message !== undefined) say("passed at the second attempt", `${file.name}: ${fullName}`, message);
  }
}
const sum = (count: (report: Report) => number): number => reports.reduce((total, report) => total + count(report), 0);
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
console.log(
  `${sum((report) => report.numPassedTests)} passed, ${sum((report) => report.numFailedTests)} failed, ${skipped} skipped`,
);

function say(what: string, name: string, message = ""): void {
  console.log(`${what}: ${name}\n${message.split("\n").slice(0, 12).join("\n")}\n`);
}
