import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, delimiter } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../threads/temporary-folders.ts";
import { accessSync, constants, statSync } from "node:fs";

const run = promisify(execFile);
const end = "-----END CERTIFICATE-----";

/** The files of an NSS database, by name. */
export type TrustedAuthorities = ReadonlyMap<string, Uint8Array>;

/**
 * Creates an NSS database, from which Chromium reads additional authorities, from a file of PEM certificates. Without the file or without
 * `certutil` it is empty, and a page with a certificate of these authorities fails with a message that names both. 150 certificates take
 * some seconds, so call it once for all browsers.
 */
export async function readAuthorities(file: string): Promise<TrustedAuthorities> {
  const folder = await temporaryFolder();
  const database = join(folder, "nssdb");
  try {
    const certificates = (await readFile(file, "latin1")).split(end).slice(0, -1);
    await mkdir(database);
    await run("certutil", ["-d", `sql:${database}`, "-N", "--empty-password"]);
    const lines = certificates.map(async (certificate, number) => {
      const place = join(folder, `${number}.pem`);
      await writeFile(place, certificate + end);
      return `-A -a -t C,, -n authority-${number} -i ${place}\n`;
    });
    const batch = join(folder, "batch");
    await writeFile(batch, (await Promise.all(lines)).join(""));
    await run("certutil", ["-d", `sql:${database}`, "-B", "-i", batch]);
    const names = await readdir(database);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(database, name))] as const)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes the Chromium with the given home folder trust authorities. */
export async function trustAuthorities(home: string, authorities: TrustedAuthorities): Promise<void> {
  const folder = join(home, ".pki", "nssdb");
  await mkdir(folder, { recursive: true });
  for (const [name, content] of authorities) await writeFile(join(folder, name), content, { mode: 0o600 });
}

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Path of Chromium: the configured one, or else the first on the PATH; null without an executable file. */
export function findChromium(configured: string | null, path = process.env["PATH"] ?? ""): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const places =
    configured === null ? names.flatMap((name) => folders.map((folder) => join(folder, name))) : [configured];
  return places.find(isProgram) ?? null;
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    // No such file.
    return false;
  }
}
