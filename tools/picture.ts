/**
 * `npm run picture`: writes docs/images/terminal.svg, a terminal session that types and prints what the commands of README.md really print, and
 * pictures of the dashboard afterwards, taken with Chromium. The repositories are the documentation of this project and of some packages that it
 * uses, behind a Git server of this machine.
 */
import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { chromium } from "playwright-core";
import { signIn } from "../test/browser/harness.ts";
import { chromiumPath } from "../test/browser/chromium.ts";
import { startGitServer } from "../test/support/git-server.ts";
import { adminKey, startLectern, temporaryFolder } from "../test/support/lectern-process.ts";
import { startStandInHosts } from "../test/support/stand-in-hosts.ts";

const root = join(import.meta.dirname, "..");
const width = 100;

/** What is typed, and the first lines of what it prints. */
interface Shown {
  readonly typed: string;
  readonly printed: readonly string[];
}

writeFileSync(join(root, "docs", "images", "terminal.svg"), toSvg(await record()));

async function record(): Promise<readonly Shown[]> {
  await using folder = await temporaryFolder();
  const git = await startGitServer();
  const packages = { "colinhacks/zod": "zod", "kysely-org/kysely": "kysely", "nodejs/undici": "undici" };
  await git.repository("lectern-docs/lectern", documentsOf(root));
  for (const [name, folder] of Object.entries(packages))
    await git.repository(name, documentsOf(join(root, "node_modules", folder)));
  const hosts = await startStandInHosts(folder.path, { "github.com": git.url });
  const server = await startLectern(join(folder.path, "data"), { ...hosts.env, FETCH_ALLOW: "127.0.0.1" });
  const env = { ...process.env, HOME: folder.path, PUBLIC_URL: server.url, LECTERN_ADMIN_KEY: adminKey };
  const run = async (typed: string, lines: number): Promise<Shown> => {
    const command = typed.replace("npx lectern", `'${process.execPath}' '${join(root, "cli", "lectern.mjs")}'`);
    const shell = promisify(execFile)("script", ["-qec", command, "/dev/null"], {
      env: { ...env, LECTERN_API_KEY: adminKey },
    });
    const text = (await shell).stdout
      .replaceAll("\r\n", "\n")
      // oxlint-disable-next-line no-control-regex -- what a progress bar has erased
      .replaceAll(/.*\u001b\[(?:2K|1G|G|0?K)/g, "")
      .replaceAll(server.url, "http://127.0.0.1:8080")
      .replaceAll(folder.path, "~");
    const printed = stripVTControlCharacters(text).trimEnd().split("\n").flatMap(wrapped);
    return { typed, printed: printed.slice(0, lines) };
  };
  try {
    const shown = [
      await run("npx lectern add https://github.com/lectern-docs/lectern", 8),
      await run('npx lectern ask /lectern-docs/lectern "How do I back up the data?" --tokens 250', 18),
      await run("npx lectern setup-client claude", 3),
    ];
    for (const name of Object.keys(packages)) {
      await server.call("POST", "/v2/add/repo/github", { docsRepoUrl: `https://github.com/${name}` });
      await server.settled(`/${name}`);
    }
    await takePictures(server.url);
    return shown;
  } finally {
    await server.kill("SIGTERM");
    await Promise.all([hosts.close(), git.close()]);
  }
}

/** README.md and the Markdown of docs/ in a folder. */
function documentsOf(folder: string): Readonly<Record<string, string>> {
  const paths = globSync(["README.md", "docs/**/*.md"], { cwd: folder });
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Takes pictures of the dashboard. */
async function takePictures(url: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1180, height: 720 } });
  await signIn(page, adminKey);
  for (const [name, address] of Object.entries({
    start: "/",
    library: "/lectern-docs/lectern",
    answer: "/-/answer?library=/lectern-docs/lectern&query=How+do+I+back+up+the+data%3F",
  })) {
    await page.goto(address);
    await page.screenshot({ path: join(root, "docs", "images", `${name}.png`) });
  }
  await browser.close();
}

/** A line as a terminal breaks it. */
function wrapped(line: string): readonly string[] {
  return line === "" ? [""] : (line.match(new RegExp(`.{1,${width}}`, "g")) ?? []);
}

/** Lines appear one after the other, and stay; where less motion is wanted all are there at once. */
function toSvg(session: readonly Shown[]): string {
  const [lineHeight, letter, typing, printing] = [20, 8.4, 1.6, 0.12];
  let seconds = 0;
  const rows = session.flatMap(({ typed, printed }) => {
    seconds += typing;
    const begun = seconds;
    seconds += printed.length * printing + typing;
    const command = { text: `$ ${typed}`, at: begun - typing, typed: true };
    return [command, ...printed.map((text, at) => ({ text, at: begun + at * printing, typed: false }))];
  });
  const lines = rows.map(({ text, at, typed }, row) => {
    const place = `x="16" y="${(row + 1) * lineHeight + 16}"`;
    return `<text ${place} class="${typed ? "c" : "o"}" style="animation-delay:${at.toFixed(2)}s">${escaped(text)}</text>`;
  });
  const [right, bottom] = [Math.ceil(width * letter) + 32, rows.length * lineHeight + 40];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right} ${bottom}" width="${right}" height="${bottom}" role="img" aria-label="A terminal: a repository is added, a question is answered, an agent is connected">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d0d7de;animation:a .01s both}
.c{fill:#7ee787;font-weight:600}
@keyframes a{from{opacity:0}to{opacity:1}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
