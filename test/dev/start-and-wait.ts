import { join } from "node:path";
import { startProgram } from "../../tools/dev/program.ts";

// Starts a program with its log in the given folder, prints its pid, and waits to be killed.
const [, , folder = ""] = process.argv;
const program = await startProgram({
  command: process.execPath,
  args: ["-e", "process.on('SIGINT', () => process.exit()); setInterval(() => {}, 1000)"],
  log: join(folder, "patient.log"),
  ready: () => Promise.resolve(true),
});
process.stdout.write(`${program.pid}\n`);
await program.exited;
