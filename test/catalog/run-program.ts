import { spawn } from "node:child_process";
import { join } from "node:path";

/** Runs a program of this folder on a file or a database; `end` is its exit code, or the signal that ended it. */
export function runProgram(name: string, place: string): Promise<{ end: number | string | null; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, name), place]);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.on("error", reject).on("close", (code, signal) => resolve({ end: code ?? signal, errors }));
  });
}
