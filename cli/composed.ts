import type { PayloadCodec } from "@temporalio/common";
import type { SweepExtent, SweepPorts, Swept } from "../activities/sweep.ts";
import type { RequestedBy } from "../api/options.ts";
import type { AnsweringPorts } from "../domain/answering.ts";
import type { Manifest } from "../domain/generation.ts";
import type { Lockfile, RegistryAccess } from "../domain/packages.ts";
import type { Screen, StepControl } from "../domain/ports.ts";
import type { ListingPorts } from "../domain/owner-repositories.ts";
import type { PreviewingPorts } from "../domain/previewing.ts";
import type { FeedbackPorts } from "../domain/feedback.ts";
import type { ReceivingPorts } from "../domain/notifying.ts";
import type { ReleasingPorts } from "../domain/quarantine.ts";
import type { Guard } from "../sources/lib/fetch/guard.ts";
import type { OpenUpstream } from "../sources/upstream/index.ts";
import type { ReadThreads } from "./read-threads.ts";
import type { OpenTelemetry } from "./telemetry/index.ts";
import type { createDeployment } from "./deployment.ts";
import type { ManifestReader } from "./manifest.ts";
import type { Stores } from "./stores.ts";

/** The composed program, built from the settings. */
export interface Lectern {
  readonly ports: AnsweringPorts &
    ReleasingPorts &
    ListingPorts &
    ReceivingPorts &
    FeedbackPorts &
    PreviewingPorts & { manifest(generation: string): Promise<Manifest | undefined> };
  readonly stores: Stores;
  readonly guard: Guard;
  readonly registries: RegistryAccess;
  /** The watched library manifest; undefined: none. */
  readonly manifest: ManifestReader | undefined;
  /** The classifier that judges passages besides the built-in screen; undefined: none. */
  readonly screen: Screen | undefined;
  readonly sweepPorts: SweepPorts;
  /** Parses a lockfile, by its name, off the event loop. @throws Failure validation_error */
  readLockfile(name: string, bytes: Uint8Array, by: RequestedBy): Promise<Lockfile>;
  /** The payload codec for Temporal's Web UI; undefined: without Temporal. */
  readonly codec: PayloadCodec | undefined;
  readonly telemetry: OpenTelemetry;
  /** The upstream; undefined: none. */
  readonly upstream: OpenUpstream | undefined;
  /** Threads that compute answers; undefined: none. */
  readonly readThreads: ReadThreads | undefined;
  /** The parts of the deployment and their state. */
  readonly deployment: ReturnType<typeof createDeployment>;
  /** A sentence if STORAGE_LIMIT is nearly used up. */
  storageWarnings(): Promise<readonly string[]>;
  sweep(extent: SweepExtent, control?: StepControl): Promise<Swept>;
  /** Starts executing runs in this process. Call it once. */
  open(): Promise<void>;
  /** Rejects when this process can no longer execute runs. */
  readonly ended: Promise<void>;
  /** Whether the task queues are polled. */
  working(): boolean;
  /** Maximum time of a stop, in milliseconds. */
  readonly stopDeadline: number;
  /** Stops executing runs in this process; other processes, or its next start, continue them. Idempotent. */
  rest(): Promise<void>;
  /** Closes everything, the execution of runs first. */
  close(): Promise<void>;
}
