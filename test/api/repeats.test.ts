import { expect, it } from "vitest";

import { createRepeats } from "../../api/repeats.ts";
import { codePassage } from "./samples.ts";

const said = "A paragraph of more than forty characters, which is remembered.";

it("leaves out paragraphs that were there before, and keeps the others in their order", () => {
  const repeats = createRepeats();
  expect(repeats.prose(`One.\n\n${said}\n\nTwo.`)).toBe(`One.\n\n${said}\n\nTwo.`);
  expect(repeats.prose(`Three.\n\n${said}\n\nTwo.`)).toBe("Three.\n\nTwo.");
  expect(repeats.prose(said)).toBe("");
});

it("takes no fence apart, but leaves out one that was there before as a whole", () => {
  const fenced = `\`\`\`sh\n${said}\n\n\n${said}\n\`\`\``;
  const repeats = createRepeats();
  expect(repeats.prose(`${said}\n\n${fenced}`)).toBe(`${said}\n\n${fenced}`);
  expect(repeats.prose(`Other.\n\n${fenced}\n\nWords.`)).toBe("Other.\n\nWords.");
  expect(repeats.prose(`~~~\n${said}`)).toBe(`~~~\n${said}`);
});

it("knows code again, whatever stands beside it", () => {
  const [, example] = codePassage.blocks;
  if (example?.type !== "code") throw new Error("It is an example.");
  const repeats = createRepeats();
  expect(repeats.isRepeated(example)).toBe(false);
  expect(repeats.isRepeated({ ...example, description: "Other." })).toBe(true);
  expect(repeats.isRepeated({ ...example, codes: example.codes.slice(0, 1) })).toBe(false);
  expect(createRepeats().isRepeated(example)).toBe(false);
});
