import type { Logger } from "pino";
import { deliverDue, sendTest, type NotifyingPorts } from "../activities/notify.ts";
import type { ReceiverRecord } from "../domain/ports.ts";
import type { IndexingSteps } from "../domain/steps.ts";
import { createSoon } from "./soon.ts";

/** Milliseconds from the end of a run to the delivery of its notifications. */
const delay = 500;

/** Creates what delivers notifications. */
export function createNotifying(given: Omit<NotifyingPorts, "onDisabled" | "timeout"> & { readonly log: Logger }) {
  const { log, ...others } = given;
  const ports: NotifyingPorts = {
    ...others,
    onDisabled: ({ id, teamspace }, result) => log.warn({ receiver: id, teamspace, result }, "a receiver was disabled"),
  };
  const deliver = (signal: AbortSignal) => deliverDue(ports, signal);
  const soon = createSoon({
    action: deliver,
    delay,
    problem: "notifications could not be delivered; the sweep delivers them",
    log,
  });
  return {
    /** Delivers what is due. */
    deliver,
    test: (receiver: ReceiverRecord) => sendTest(ports, receiver),
    /** The steps of a run, with a delivery shortly after the last one. */
    after: (steps: IndexingSteps): IndexingSteps => ({
      ...steps,
      conclude: (input) => steps.conclude(input).then(soon.requested),
    }),
    /** Ends a delivery that is under way; the sweep of a later process repeats it. */
    close: soon.close,
  };
}
