import type { RebuildState } from './fields.ts';

/**
 * The state of the rebuild that was started last, as reported by the projectors. It is null before the first
 * rebuild.
 */
interface RebuildStatus {
  readonly rebuildId: string;
  readonly state: RebuildState;
}

/** The last rebuild of a projection, and the version that the last swap replaced. */
export interface ReplayStatus {
  readonly rebuild: RebuildStatus | null;
  readonly previous: { readonly isReverting: boolean } | null;
}

export interface RequestRebuild {
  readonly projection: string;
  readonly rebuildId: string;
  readonly status: ReplayStatus;
}

/** Pauses, resumes, cancels, swaps in or reverts the last rebuild of a projection. */
export interface ChangeRebuild {
  readonly projection: string;
  readonly status: ReplayStatus;
}

export interface RetryParkedEvent {
  readonly projection: string;
  readonly eventId: string;
  readonly position: string;
}

export interface SkipParkedEvent extends RetryParkedEvent {
  /** The account that the event is about, or null. */
  readonly subjectId: string | null;
  readonly reason: string;
}
