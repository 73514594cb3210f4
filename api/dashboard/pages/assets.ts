import * as z from "zod";
import { Failure } from "../../../domain/failures.ts";
import { answerAsset } from "../assets.ts";
import { page, type Described } from "../page.ts";

/** The page of each file. */
export const assetPage: Described = page({
  path: "/-/assets/{hash}/{name}",
  scope: "open",
  limit: null,
  isPolled: true,
  parameters: z.object({ hash: z.string(), name: z.string() }),
  async show({ parameters: { hash, name } }) {
    const answer = answerAsset(hash, name);
    if (!answer) throw new Failure("route_not_found", "There is no file at this address.");
    return { answer };
  },
});
