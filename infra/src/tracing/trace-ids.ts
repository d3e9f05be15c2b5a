import { createHash, randomBytes } from 'node:crypto';

/** A place in a trace: the id of the trace, and the id of the span that causes what follows. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. Null at the beginning of a trace. */
  readonly spanId: string | null;
}

/** Matches version 00 of the header `traceparent` (W3C Trace Context). Later versions may append further fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/u;
const MAX_TRACEPARENT_characters = 200;
const HEX_ID = /^[0-9a-f]{32}$/u;
const NO_ID = '0'.repeat(32);
/** The flag of `traceparent` with which a service marks a recorded trace. */
const RECORDED = 1;

/** Parses the header `traceparent`. Returns null if it is missing or malformed. */
export function parseTraceparent(text: string | undefined): TraceContext | null {
  if (text === undefined || text.length > MAX_TRACEPARENT_characters) return null;
  const [, traceId, spanId] = TRACEPARENT.exec(text) ?? [];
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : null;
}

/** Returns true if the header `traceparent` marks the trace as recorded. Anyone can send this mark. */
export function isMarkedRecorded(traceparent: string): boolean {
  const flags = TRACEPARENT.exec(traceparent)?.[3] ?? '0';
  return (Number.parseInt(flags, 16) & RECORDED) === RECORDED;
}

/** Returns the value of the header `traceparent` for a recorded span. */
export function toTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/**
 * Returns the value of the header `traceparent` for a trace that is not recorded. If `spanId` is null, the header has a
 * random one, because it must have one.
 */
export function toUnrecordedTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId ?? randomBytes(8).toString('hex')}-00`;
}

/**
 * Returns the trace id that belongs to a correlation id. For a UUID, these are its digits, so that an admin can use the
 * correlation id in a trace viewer. For any other text, it is a part of its hash.
 */
export function toTraceId(correlationId: string): string {
  const digits = correlationId.replaceAll('-', '').toLowerCase();
  if (HEX_ID.test(digits) && digits !== NO_ID) return digits;
  return createHash('sha256').update(correlationId).digest('hex').slice(0, 32);
}
