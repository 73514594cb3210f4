import { expect, it } from "vitest";
import { problemLines } from "../../cli/watching.ts";

const counts = {
  pages: 3,
  pagesSkipped: 0,
  pagesFailed: 0,
  code: 1,
  info: 1,
  quarantined: 0,
  duplicates: 0,
  tokens: 10,
  bytes: 10,
};
const unread = { formats: "79 .textile files (Textile)", advice: "Its website is: lectern add https://gears.example" };

it("has what is not read, if it is most of the documentation, and what to do", () => {
  expect(problemLines("/acme/gears", { ...counts, isPartial: true }, unread)).toEqual([
    "Most of its documentation is not read: 79 .textile files (Textile). Its website is: lectern add https://gears.example",
  ]);
  expect(problemLines("/acme/gears", counts, unread)).toEqual([]);
  expect(problemLines("/acme/gears", { ...counts, pagesFailed: 1, quarantined: 2 }, null)).toEqual([
    "1 page failed: npx lectern status /acme/gears --failed",
    "2 passages quarantined: npx lectern status /acme/gears --held-back",
  ]);
});
