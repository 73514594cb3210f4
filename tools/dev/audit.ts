/**
 * `npm run audit`: fails on known vulnerabilities in production dependencies. If the registry offers no audit, it only prints a clear
 * warning.
 */
import { execFile } from "node:child_process";

/** The output of `npm audit --json`; `vulnerabilities` is missing without an audit. */
interface Report {
  readonly message?: string;
  readonly error?: { readonly summary?: string };
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly name: string; readonly severity: string; readonly range: string }>
  >;
}

const output = await new Promise<string>((resolve) => {
  // The exit code is 1 both with findings and without an audit.
  execFile("npm", ["audit", "--omit", "dev", "--json"], { maxBuffer: 100_000_000 }, (_error, stdout) =>
    resolve(stdout),
  );
});
const report = parse(output);
if (report.vulnerabilities === undefined) {
  const why = report.message ?? report.error?.summary ?? "npm printed no report";
  console.log(`THE DEPENDENCIES WERE NOT AUDITED: the registry offers no audit (${why.split("\n")[0] ?? ""}).`);
} else {
  const vulnerabilities = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of vulnerabilities) console.log(`${severity}: ${name} ${range}`);
  console.log(
    vulnerabilities.length === 0 ? "The audit found no known vulnerability." : "Update these packages: npm audit fix.",
  );
  process.exitCode = vulnerabilities.length === 0 ? 0 : 1;
}

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}
