import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { registries } from "../../../domain/packages.ts";
import { tarEntries, zipEntries } from "../../../sources/package/archive.ts";

const run = promisify(execFile);

/** The packages that a web application installs with npm, and a service with pip. */
const webApplication =
  "react react-dom react-router @tanstack/react-query zustand axios date-fns clsx react-hook-form zod i18next lucide-react socket.io-client vite";
const service =
  "fastapi uvicorn sqlalchemy alembic pydantic-settings httpx redis celery structlog tenacity python-dateutil boto3 jinja2 pyjwt click";

/**
 * Five lockfiles: this project's own, those that ripgrep and viper publish, and those of a web application and a service. The others are
 * written into a folder.
 */
export async function makeLockfiles(folder: string): Promise<readonly (readonly [name: string, path: string])[]> {
  const of = async (name: string): Promise<string> => {
    const own = join(folder, name);
    await mkdir(own, { recursive: true });
    return own;
  };
  const cargo = join(await of("ripgrep"), "Cargo.lock");
  const crate = "https://static.crates.io/crates/ripgrep/15.2.0/download";
  await writeFile(cargo, await fileOf(folder, crate, "tar", "ripgrep-15.2.0/Cargo.lock"));
  const sums = join(await of("viper"), "go.sum");
  const module = `${registries.go.url}github.com/spf13/viper/@v/v1.21.0.zip`;
  await writeFile(sums, await fileOf(folder, module, "zip", "github.com/spf13/viper@v1.21.0/go.sum"));
  return [
    ["Lectern, package-lock.json", join(import.meta.dirname, "..", "..", "..", "package-lock.json")],
    ["a web application, package-lock.json", await lockWithNpm(await of("application"))],
    ["a service, requirements.txt", await lockWithPip(await of("service"))],
    ["ripgrep, Cargo.lock", cargo],
    ["viper, go.sum", sums],
  ];
}

async function lockWithNpm(folder: string): Promise<string> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "application", version: "1.0.0" }));
  await run("npm", ["install", "--package-lock-only", "--ignore-scripts", "--silent", ...webApplication.split(" ")], {
    cwd: folder,
  });
  return join(folder, "package-lock.json");
}

async function lockWithPip(folder: string): Promise<string> {
  const options = ["install", "--dry-run", "--ignore-installed", "--quiet", "--only-binary", ":all:", "--report", "-"];
  const { stdout } = await run("pip", [...options, ...service.split(" ")], { cwd: folder, maxBuffer: 1 << 28 });
  const { install } = JSON.parse(stdout) as {
    install: { requested: boolean; metadata: { name: string; version: string } }[];
  };
  const lines = install.flatMap(({ requested, metadata: { name, version } }) =>
    requested ? [`${name}==${version}\n`] : [],
  );
  const path = join(folder, "requirements.txt");
  await writeFile(path, lines.join(""));
  return path;
}

/** A file of a published archive. */
async function fileOf(folder: string, url: string, format: "tar" | "zip", path: string): Promise<Buffer> {
  const archive = join(folder, "archive");
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  await writeFile(archive, Buffer.from(await response.arrayBuffer()));
  const rules = {
    maxUnpacked: 1 << 30,
    wanted: (entry: { readonly path: string }) => entry.path === path,
  };
  const entries = format === "tar" ? tarEntries : zipEntries;
  for await (const { bytes } of entries(archive, url, rules)) return bytes;
  throw new Error(`${url} has no ${path}.`);
}
