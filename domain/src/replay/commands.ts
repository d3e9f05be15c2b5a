import type { RebuildState } from './fields.ts';

/** The state of the last rebuild of a read model, as the processes that perform the rebuild report it. */
interface RebuildStatus {
  readonly rebuildId: string;
  readonly state: RebuildState;
}

/**
 * The last rebuild of a read model, and its previous tables, which the last swap replaced. `rebuild` is null before the
 * first rebuild. `previous` is null if there are no previous tables.
 */
export interface ReplayStatus {
  readonly rebuild: RebuildStatus | null;
  readonly previous: { readonly isReverting: boolean } | null;
}

export interface RequestRebuild {
  readonly projection: string;
  readonly rebuildId: string;
  readonly status: ReplayStatus;
}

/**
 * Changes the last rebuild of a read model. An admin can pause, resume or cancel it, make the rebuilt tables the live
 * tables, or restore the previous tables.
 */
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
  /** The account that the excluded event is about, or null. */
  readonly subjectId: string | null;
  readonly reason: string;
}
