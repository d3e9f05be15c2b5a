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
  | 'erase';

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
}

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly received_ms: number;
}

/** A sign-up that was never verified, so that a mail with its code is due. */
export interface DueLetter {
  readonly call: string;
  readonly to: string;
  readonly code: string;
}

/** Rows that only the table or only the fold of the log contains. */
export interface TableDifference {
  readonly table: string;
  /** Keys of these rows. */
  readonly keys: readonly string[];
  readonly onlyInTable: readonly string[];
  readonly onlyInFold: readonly string[];
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
