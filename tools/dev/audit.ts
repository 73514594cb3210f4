/**
 * `npm run audit`: fails on known vulnerabilities in what the program is shipped with. A registry that offers no audit is no
 * failure, but is said loudly, so that nobody takes silence for a clean bill.
 */
import { execFile } from "node:child_process";

/** What `npm audit --json` prints; `vulnerabilities` is missing where there was no audit. */
interface Report {
  readonly message?: string;
  readonly error?: { readonly summary?: string };
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly name: string; readonly severity: string; readonly range: string }>
  >;
}

const printed = await new Promise<string>((resolve) => {
  // Its exit code is 1 with findings and without an audit; the report tells which.
  execFile("npm", ["audit", "--omit", "dev", "--json"], { maxBuffer: 100_000_000 }, (_error, stdout) =>
    resolve(stdout),
  );
});
const report = parse(printed);
if (report.vulnerabilities === undefined) {
  const why = report.message ?? report.error?.summary ?? "npm printed no report";
  console.log(`THE DEPENDENCIES WERE NOT AUDITED: the registry offers no audit (${why.split("\n")[0] ?? ""}).`);
} else {
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  console.log(found.length === 0 ? "The audit found no known vulnerability." : "Update these packages: npm audit fix.");
  process.exitCode = found.length === 0 ? 0 : 1;
}

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}
