// Loaded before a program under test (NODE_OPTIONS=--import). Writes the longest that a turn of the main thread's event loop has
// taken of its processor, in milliseconds, to the file that LOOP_WATCH names. What else the machine does, does not count.
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
  const look = () => {
    const now = spent();
    if (now - before > longest) {
      longest = now - before;
      writeFileSync(file, String(Math.round(longest)));
    }
    before = spent();
  };
  // What was before this signal does not count.
  process.on("SIGUSR2", () => {
    longest = 0;
    before = spent();
    writeFileSync(file, "0");
  });
  // A timer is due in every turn: what it finds is what one turn has taken.
  setInterval(look, 1).unref();
}
