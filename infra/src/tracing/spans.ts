import type { TraceContext } from './trace-ids.ts';

export type SpanKind = 'server' | 'internal' | 'producer' | 'consumer';
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** A span that has begun. */
export interface Span {
  /** The value of the header `traceparent` for everything that this span causes. */
  readonly traceparent: string;
  /** Ends the span. Only the first call has an effect. */
  end(options?: { readonly attributes?: SpanAttributes; readonly hasFailed?: boolean; readonly name?: string }): void;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
  /** The time when the span began, in ms since 1970. Default: now. */
  readonly startedAt_ms?: number;
}

/** Records spans and sends them to a collector. */
export interface SpanRecorder {
  start(name: string, parent: TraceContext, options: SpanOptions): Span;
  /** Sends the remaining spans, and ends. */
  close(): Promise<void>;
}
