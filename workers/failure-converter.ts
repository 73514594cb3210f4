import { DefaultFailureConverter } from "@temporalio/common";

/**
 * Puts messages and stacks of failures into payloads, where the codec encrypts them; they are plain text otherwise.
 * Temporal loads this file by its path, in the process and into the workflows' bundle.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
