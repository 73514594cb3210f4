import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Folders that an installation does not need, and the documentation. */
const leftOut = new Set(["node_modules", "data", "test", "tools", "docs"]);

/**
 * Copies the program into an existing folder, with links to its packages and the given pages of documentation. Returns the path of
 * the program.
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
