import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** What an installation of the program needs none of, and its documentation. */
const leftOut = new Set(["node_modules", "data", "test", "tools", "docs"]);

/**
 * Copies the program into a folder, which is to be there, with the packages that it has and the given pages of documentation.
 * Answers the path of the program.
 */
export async function copyInstallation(folder: string, docs: Readonly<Record<string, string>>): Promise<string> {
  for (const name of await readdir(root)) {
    if (!leftOut.has(name) && !name.startsWith("."))
      await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await mkdir(join(folder, "docs"));
  for (const name of ["openapi.json", "context7.json"]) await cp(join(root, "docs", name), join(folder, "docs", name));
  for (const [name, text] of Object.entries(docs)) {
    await mkdir(dirname(join(folder, "docs", name)), { recursive: true });
    await writeFile(join(folder, "docs", name), text);
  }
  return join(folder, "cli", "lectern.mjs");
}
