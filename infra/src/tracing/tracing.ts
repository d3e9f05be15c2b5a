/**
 * Records what happens to a request in all services, as spans of OpenTelemetry (decision 0127). This module owns the
 * recorder of the process. Without `OTEL_EXPORTER_OTLP_ENDPOINT` there is none, and no code of OpenTelemetry is loaded.
 *
 * Spans contain no personal data: no names of streams, which contain ids of accounts, no queries, addresses or texts.
 */
import { DomainError, type RecordedEvent } from '@alpenglow/domain';
import { createBudget } from '../service/budget.ts';
import type { Config } from '../service/config.ts';
import type { Logger } from '../service/logger.ts';
import type { Span, SpanAttributes, SpanOptions, SpanRecorder } from './spans.ts';
import { parseTraceparent, type TraceContext } from './trace-ids.ts';

/** Maximum number of spans for the events of one batch, so that a bulk import does not fill the exporter's queue. */
const MAX_SPANS_PER_BATCH = 50;
/** Maximum number of traces that one process begins, so that a flood of requests does not fill the collector. */
const TRACE_LIMIT = { burst: 200, perSecond: 100 };
/** Maximum number of spans of failed requests whose traces are not recorded. */
const FAILURE_SPAN_LIMIT = { burst: 20, perSecond: 20 };

interface Tracing {
  readonly recorder: SpanRecorder;
  readonly share: number;
  readonly mayBeginTrace: () => boolean;
  readonly mayRecordFailure: () => boolean;
}

let active: Tracing | null = null;

interface TracingOptions {
  /** The name of the service in the traces. */
  readonly service: string;
  readonly version: string;
  readonly log: Logger;
}

/**
 * Starts to record spans if the configuration names a collector. Returns a function that sends the remaining spans and
 * ends the recording. A collector that cannot be reached has no effect on requests: its spans are dropped.
 */
export async function startTracing(
  { tracing }: Pick<Config, 'tracing'>,
  options: TracingOptions,
): Promise<() => Promise<void>> {
  if (tracing === null) return async () => undefined;
  const { createOtlpRecorder } = await import('../adapters/otlp/span-recorder.ts');
  const started: Tracing = {
    recorder: createOtlpRecorder(tracing, options),
    share: tracing.share,
    mayBeginTrace: createBudget(TRACE_LIMIT),
    mayRecordFailure: createBudget(FAILURE_SPAN_LIMIT),
  };
  active = started;
  return async () => {
    if (active === started) active = null;
    await started.recorder.close();
  };
}

/**
 * Decides in the first process of a request whether its trace is recorded: a random share of them, up to a limit. The
 * decision does not depend on the id of the trace, because clients choose it.
 */
export function beginsTrace(): boolean {
  return active !== null && Math.random() < active.share && active.mayBeginTrace();
}

/** Returns true if a failed request whose trace is not recorded may have a span. A flood of failures has few spans. */
export function mayRecordFailure(): boolean {
  return active !== null && active.mayRecordFailure();
}

/** Returns true if this process records spans. */
export function isTracing(): boolean {
  return active !== null;
}

/**
 * Begins a span at a place in a trace. Returns null if this process records no spans. The caller decides whether
 * the trace is recorded.
 */
export function startSpanAt(name: string, parent: TraceContext, options: SpanOptions = {}): Span | null {
  return active && active.recorder.start(name, parent, options);
}

/**
 * Begins a span that the span `traceparent` has caused. Returns null if this process records no spans, or if the trace
 * is not recorded: `traceparent` is then undefined.
 */
export function startSpan(name: string, traceparent: string | undefined, options: SpanOptions = {}): Span | null {
  if (active === null || traceparent === undefined) return null;
  const parent = parseTraceparent(traceparent);
  return parent && active.recorder.start(name, parent, options);
}

/** Runs `work` and then ends the span. Only runs `work` if there is no span. */
export async function withSpan<Result>(
  span: Span | null,
  work: () => Promise<Result>,
  attributes?: SpanAttributes,
): Promise<Result> {
  if (span === null) return work();
  try {
    const result = await work();
    span.end({ ...(attributes && { attributes }) });
    return result;
  } catch (error) {
    // A rule that rejects a command is no failure.
    const code = error instanceof DomainError ? error.code : null;
    span.end({
      hasFailed: code === null,
      attributes: { ...attributes, 'error.type': code ?? (error instanceof Error ? error.name : 'unknown') },
    });
    throw error;
  }
}

/**
 * Begins a span for each event whose trace is recorded. Each one is caused by the append of its event, whose span is in
 * the metadata. Returns null if there is none.
 */
export function startEventSpans(
  name: string,
  events: readonly Pick<RecordedEvent, 'id' | 'type' | 'position' | 'meta'>[],
): Pick<Span, 'end'> | null {
  if (active === null) return null;
  const spans: Span[] = [];
  for (const { id, type, position, meta } of events) {
    if (meta.traceparent === undefined) continue;
    if (spans.length === MAX_SPANS_PER_BATCH) break;
    const attributes = { 'alpenglow.event.id': id, 'alpenglow.event.type': type, 'alpenglow.event.position': position };
    const span = startSpan(name, meta.traceparent, { kind: 'consumer', attributes });
    if (span) spans.push(span);
  }
  if (spans.length === 0) return null;
  return {
    end(options) {
      for (const span of spans) span.end(options);
    },
  };
}
