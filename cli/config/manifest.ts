import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of the library manifest that is watched. */
export const manifestSettings = {
  manifestUrl: setting({
    env: "MANIFEST_URL",
    meaning:
      "Repository with a library manifest, which is applied at start, when it changes, and every hour. Not set: none.",
    schema: format.orNull(format.webUrl.transform(({ href }) => href)),
  }),
  manifestPath: setting({
    env: "MANIFEST_PATH",
    default: "libraries.yaml",
    meaning: "Path of the manifest in its repository.",
    schema: z.string().regex(/^[^/].{0,499}$/, "must be a path without a leading slash"),
  }),
  manifestBranch: setting({
    env: "MANIFEST_BRANCH",
    meaning: "Branch or tag of the manifest. Not set: the default branch.",
    schema: format.orNull(z.string().max(250)),
  }),
  manifestToken: setting({
    env: "MANIFEST_TOKEN",
    meaning: "Token for the repository of the manifest, or user:password.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,1000}$/, "must be visible ASCII")),
    secret: true,
  }),
  manifestPrune: setting({
    env: "MANIFEST_PRUNE",
    default: "off",
    meaning:
      "Removes libraries that the manifest added and does not declare any more; more than a tenth only once confirmed.",
    schema: format.onOff,
  }),
  manifestSeconds: setting({
    env: "MANIFEST_SECONDS",
    default: "60",
    meaning: "Interval at which the branch of the manifest is looked at, in seconds.",
    schema: format.whole(5, 86_400),
  }),
} as const;
