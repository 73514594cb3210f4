import { expect, it } from "vitest";
import { createChores, unattended } from "../../activities/chores.ts";

it("lets others have a turn, however many items there are and whatever they wait for", async () => {
  const chores = createChores(unattended, () => {});
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const done = await chores.each(Array.from({ length: 400 }), async () => {
    for (const until = performance.now() + 1; performance.now() < until;);
  });
  clearInterval(timer);
  expect(done).toBe(400);
  expect(Math.max(longest, performance.now() - last)).toBeLessThan(300);
});
