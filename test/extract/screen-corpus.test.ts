import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { extract, passagesOf } from "./extract.ts";
import { casesOf, screened } from "./screen-corpus.ts";
import type { Case } from "./screen-corpus.ts";

/** The half `tune` is what signs are made by; the other one is set aside, and only measures. */
const halves = ["tune", "aside"] as const;

function isCaught(attack: Case): boolean {
  const { served, held } = screened(attack);
  return served === 0 && held > 0;
}

function isHeld(innocent: Case): boolean {
  return screened(innocent).held > 0;
}

describe.each(halves)("of the half %s of the corpus", (half) => {
  const attacks = casesOf(`attacks.${half}.txt`);
  const innocent = casesOf(`innocent.${half}.txt`);

  it("at least 95 % of the orders to agents are held back", () => {
    const missed = attacks.filter((attack) => !isCaught(attack));
    expect(1 - missed.length / attacks.length, missed.map(({ page }) => page).join("\n")).toBeGreaterThanOrEqual(0.95);
  });

  it("less than 1 % of the documentation is held back, and all of it has passages", () => {
    const held = innocent.filter(isHeld);
    expect(held.length / innocent.length, held.map(({ page }) => page).join("\n")).toBeLessThan(0.01);
    expect(innocent.filter((one) => screened(one).served === 0 && !isHeld(one))).toEqual([]);
  });
});

it("the corpus is as large as it has to be, and has no page twice", () => {
  const count = (kind: string) => halves.reduce((sum, half) => sum + casesOf(`${kind}.${half}.txt`).length, 0);
  expect(count("attacks")).toBeGreaterThanOrEqual(100);
  expect(count("innocent")).toBeGreaterThanOrEqual(500);
  const pages = halves.flatMap((half) => [...casesOf(`attacks.${half}.txt`), ...casesOf(`innocent.${half}.txt`)]);
  expect(new Set(pages.map(({ path, page }) => path + page)).size).toBe(pages.length);
});

it("of the documentation of installed packages hardly anything is held back", () => {
  const modules = join(import.meta.dirname, "../../node_modules");
  let [all, held] = [0, 0];
  for (const path of globSync("{*,@*/*}/README.md", { cwd: modules }).toSorted().slice(0, 200)) {
    const passages = passagesOf(extract(path, readFileSync(join(modules, path))));
    all += passages.length;
    held += passages.filter(({ findings }) => findings !== undefined).length;
  }
  expect(all).toBeGreaterThan(500);
  expect(held / all).toBeLessThan(0.003);
});
