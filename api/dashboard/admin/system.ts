import type { Deployment } from "../../schemas/deployment.ts";
import { page } from "../page.ts";
import type { Described } from "../page.ts";
import { systemView } from "../views/system.ts";

/** The parts of the deployment and their state. */
export const systemPage: Described = page({
  path: "/-/admin/system",
  scope: "admin",
  async show({ ask, tell, caller }) {
    const [deployment, ready] = await Promise.all([
      ask<Deployment>("/v2/system"),
      tell<{ readonly checks: Readonly<Record<string, string>> }>("GET", "/ready"),
    ]);
    const main = systemView({
      deployment,
      ...(ready.failure && { problem: ready.failure.message }),
      caller,
      now: Date.now(),
    });
    return { title: "System", main };
  },
});
