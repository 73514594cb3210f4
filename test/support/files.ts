import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes files into a folder, with the folders that they need. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
