/** The history of a run: what clients requested, what they received, and what the run did to the product. */

/** The operations of the clients. */
export type CallKind =
  | 'sign-up'
  | 'verify'
  | 'post'
  | 'edit'
  | 'bump'
  | 'delete'
  | 'report'
  | 'favor'
  | 'thread'
  | 'reply'
  | 'erase'
  | 'upload'
  | 'follow'
  | 'claim'
  | 'decide'
  | 'rebuild'
  | 'swap'
  | 'cancel';

/**
 * The outcome of a call. `fail` means that the product rejected it and changed nothing. `unknown` means that it may or
 * may not have had its effect.
 */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** One command of a client with all its attempts. `id` is sent as X-Request-Id and as Idempotency-Key. */
export interface Call {
  readonly type: 'call';
  readonly id: string;
  readonly client: string;
  readonly kind: CallKind;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly attempts: number;
  readonly outcome: Outcome;
  /** HTTP status of the last response, or 0 without a response. */
  readonly status: number;
  /** Number of attempts that ended with status 500. Absent without such an attempt. */
  readonly serverErrors?: number;
  /** HTTP status of a repetition after the outcome was known. It must have the same result and no effect. */
  readonly repeatStatus?: number;
  /** Error code of this repetition, or an empty text. */
  readonly repeatCode?: string;
}

/** An ad as its owner reads it. */
export interface OwnAd {
  readonly id: string;
  readonly title: string;
}

/** A read that waited for the position of the last acknowledged write of the client. */
export interface Read {
  readonly type: 'read';
  readonly client: string;
  readonly start_ms: number;
  readonly end_ms: number;
  /** Id of the acknowledged write. */
  readonly after: string;
  /** The ad after this write, or null if the client has no ad. */
  readonly expected: OwnAd | null;
  readonly actual: OwnAd | null;
}

/** Something that the run did to the product. `loses` is true if commits of this time may be lost. */
export interface Disruption {
  readonly type: 'disruption';
  readonly kind: string;
  readonly target: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly loses: boolean;
  /** Until this time, reads may still show lost events, because the product had not noticed the loss. */
  readonly staleUntil_ms?: number;
}

export interface Sample {
  readonly type: 'sample';
  readonly at_ms: number;
  /** Number of events that the slowest projection has not applied yet. */
  readonly lag_events: number;
}

export type HistoryEntry = Call | Read | Disruption | Sample;

/** A message that a live client received. `position` is the position in its token. */
export interface LiveReceipt {
  readonly position: bigint;
  /** Identifies the message independently of its position. */
  readonly identity: string;
  readonly received_ms: number;
}

/**
 * The messages of one live client, in segments. A new segment starts when the server requests a reload, and has no
 * relation to the segment before it.
 */
export interface LiveRecord {
  readonly client: string;
  /** The keys of the topics of the client. Null for a client of all messages. */
  readonly topics: readonly string[] | null;
  readonly segments: readonly (readonly LiveReceipt[])[];
  /** Close codes and errors that the live channel must not send. */
  readonly errors: readonly string[];
}

export interface LoggedEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The account that acted, or null for the system. */
  readonly accountId: string | null;
  /** Identity of its live message, or null if it has none. */
  readonly liveIdentity: string | null;
  /** The keys of the topics that this message concerns. Null if it concerns all topics. */
  readonly liveKeys: readonly string[] | null;
}

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly received_ms: number;
}

/** A mail that is due if all these calls are in the log. */
export interface DueLetter {
  readonly calls: readonly string[];
  readonly to: string;
  /** A text that the mail contains. */
  readonly text: string;
  /**
   * `replies`: the product sends the mail only if the reply is newer than the follow, according to the clocks of the
   * processes. `digest`: the same, and a periodic task sends the mail, up to ten minutes later.
   */
  readonly kind?: 'replies' | 'digest';
}

/** Rows that only the table or only the fold of the log contains. */
export interface TableDifference {
  readonly table: string;
  /** Keys of these rows. */
  readonly keys: readonly string[];
  readonly onlyInTable: readonly string[];
  readonly onlyInFold: readonly string[];
  /**
   * Why the product must still change the table: it contains events that the log has lost, which the product may still
   * have to notice, or events are parked, which the product handles later. Absent if the table must be correct.
   */
  readonly pending?: 'lost events' | 'parked events';
}

/** The names of all checks. */
export const CHECKS = [
  'commands',
  'responses',
  'streams',
  'order',
  'read-your-writes',
  'read models',
  'lag',
  'live',
  'mails',
  'jobs',
  'erasures',
  'erasure progress',
  'keys',
  'processes',
] as const;
export type Check = (typeof CHECKS)[number];

/** A violation of a guarantee, with the entries of the history that show it. */
export interface Anomaly {
  readonly check: Check;
  readonly message: string;
  readonly evidence: readonly string[];
}
