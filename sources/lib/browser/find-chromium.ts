import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Path of Chromium: the one that was configured, else the first on the PATH; null where there is none to execute. */
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
    // There is no such file.
    return false;
  }
}
