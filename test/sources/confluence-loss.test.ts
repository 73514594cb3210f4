import { describe, expect, it } from "vitest";
import { pageOf } from "../contracts/confluence.ts";
import { setup } from "./confluence-setup.ts";

describe.each(["cloud", "data-center"] as const)("in %s", (product) => {
  it("only some of many missing pages are requested one by one", async () => {
    const { confluence, index } = await setup(product);
    confluence.add("Home", pageOf("Homing"));
    for (let number = 0; number < 600; number += 1) confluence.add(`Page ${number}`, pageOf(`Thing${number}`));
    await index();
    const lost = [...confluence.pages.values()].slice(1);
    for (const [at, page] of lost.entries())
      if (at % 2 === 0) page.hidden = true;
      else page.status = "trashed";
    const { read, left, requests, manifest } = await index();
    expect(read).toEqual(["Home"]);
    expect(requests.length).toBeLessThan(240);
    expect(new Set(left.map(({ code }) => code))).toEqual(new Set(["refused"]));
    const unasked = product === "cloud" ? 0 : 500;
    expect(left).toHaveLength(product === "cloud" ? 300 : 550);
    if (unasked > 0)
      expect(manifest.notes).toContain(
        `600 pages are no longer shown to the account; ${unasked} of them were not requested one by one.`,
      );
  });

  it("the hidden parent of many pages is requested once, not for each page", async () => {
    const { confluence, index } = await setup(product);
    const hidden = confluence.add("Hidden", pageOf("Hiding"), { hidden: true });
    confluence.add("Home", pageOf("Homing"));
    for (let number = 0; number < 80; number += 1)
      confluence.add(`Page ${number}`, pageOf(`Thing${number}`), { parent: hidden });
    const { read, requests } = await index();
    expect(read).toEqual(["Home"]);
    expect(requests.length).toBeLessThan(20);
  });
});
