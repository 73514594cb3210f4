import { expect, it } from "vitest";

import { codePassage } from "../api/samples.ts";
import { setupPages } from "./world.ts";

const target = "/-/answer?library=/acme/widgets&query=widget";

it("says in all forms that a library is still being indexed, and what to do", async () => {
  const { browse, submit } = await setupPages();
  await submit("/acme/widgets");
  for (const form of ["answer", "txt", "json"]) {
    const { status, text } = await browse("GET", `${target}&form=${form}`);
    expect(status).toBe(200);
    expect(text).toContain("is being indexed and not finished yet");
    expect(text).toContain("Ask again");
  }
});

it("links to the target of a redirect, and shows a validation error", async () => {
  const { browse, send, submit, finish } = await setupPages();
  await finish(await submit("/acme/widgets"), [codePassage]);
  await finish(await submit("/acme/gadgets"), [codePassage]);
  expect((await browse("GET", target)).text).toContain("As agents get it");
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", redirect: "/acme/gadgets" } });
  const moved = await browse("GET", target);
  expect(moved.status).toBe(200);
  expect(moved.text).toContain("This library has moved");
  expect(moved.text).toContain("library=%2Facme%2Fgadgets");
  const wrong = await browse("GET", `${target.replace("widgets", "gadgets")}&tokens=x`);
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("tokens must be a whole number");
});

it("shows a failure of the index without its details", async () => {
  const { browse, submit, finish, options } = await setupPages();
  await finish(await submit("/acme/widgets"), [codePassage]);
  const { passages } = options.ports;
  const { candidates } = passages;
  Object.assign(passages, {
    candidates: async () => {
      throw new TypeError("It broke.");
    },
  });
  const { status, text } = await browse("GET", target);
  Object.assign(passages, { candidates });
  expect(status).toBe(500);
  expect(text).not.toContain("It broke.");
  expect(text).toContain("Ask again");
});
