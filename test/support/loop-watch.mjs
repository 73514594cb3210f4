// Loaded before a program under test (NODE_OPTIONS=--import). Writes the longest turn of the main thread's event loop, in
// milliseconds of CPU time, to the file that LOOP_WATCH names.
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.LOOP_WATCH;
if (isMainThread && file !== undefined) {
  const spent = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before = spent();
  let longest = 0;
  const measure = () => {
    const now = spent();
    if (now - before > longest) {
      longest = now - before;
      writeFileSync(file, String(Math.round(longest)));
    }
    before = spent();
  };
  // Starts measuring anew.
  process.on("SIGUSR2", () => {
    longest = 0;
    before = spent();
    writeFileSync(file, "0");
  });
  // The timer fires in every turn, so it measures one turn at a time.
  setInterval(measure, 1).unref();
}
