import { expect, it } from "vitest";
import { inCommandWords } from "../../cli/command-words.ts";
import { programName } from "../../cli/program-name.ts";

it("names this program in commands, and leaves IDs of libraries as they are", async () => {
  expect(await inCommandWords("/docs/lectern was submitted. Run lectern status /docs/lectern later.")).toBe(
    `/docs/lectern was submitted. Run ${programName()} status /docs/lectern later.`,
  );
});
