import { DefaultFailureConverter } from "@temporalio/common";

/**
 * Moves messages and stacks of failures into payloads, so that the codec encrypts them; by default they are plain text.
 * Temporal loads this file by its path, into the process and into the workflow bundle.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
