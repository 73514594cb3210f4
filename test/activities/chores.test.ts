import { expect, it } from "vitest";
import { createChores, unattended } from "../../activities/chores.ts";

it("yields to the event loop, however many items there are", async () => {
  const chores = createChores(unattended, () => {});
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const done = await chores.each(Array.from({ length: 1000 }), async () => {
    for (const until = performance.now() + 1; performance.now() < until;);
  });
  clearInterval(timer);
  expect(done).toBe(1000);
  expect(turns).toBeGreaterThan(2);
});
