/**
 * `npm run test:report -- FOLDER`: prints failed tests in the JSON reports of vitest in a folder with their first messages, tests that passed
 * only at the second attempt, and a last line with counts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Fields of a report of vitest's reporter `json` that are used here. */
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
  if (file.status === "failed" && file.message !== "") print("failed", file.name, file.message);
  for (const { fullName, status, failureMessages } of file.assertionResults) {
    const [message] = failureMessages ?? [];
    if (status === "failed") print("failed", `${file.name}: ${fullName}`, message);
    else if (message !== undefined) print("passed at the second attempt", `${file.name}: ${fullName}`, message);
  }
}
const sum = (count: (report: Report) => number): number => reports.reduce((total, report) => total + count(report), 0);
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
console.log(
  `${sum((report) => report.numPassedTests)} passed, ${sum((report) => report.numFailedTests)} failed, ${skipped} skipped`,
);

function print(what: string, name: string, message = ""): void {
  console.log(`${what}: ${name}\n${message.split("\n").slice(0, 12).join("\n")}\n`);
}
