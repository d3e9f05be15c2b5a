/**
 * The recorder of spans with the SDK of OpenTelemetry. `startTracing` loads this module only if the configuration names
 * a collector, because the packages need memory and time.
 */
import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Config } from '../../service/config.ts';
import { createFailureLog } from '../../service/failure-log.ts';
import type { Logger } from '../../service/logger.ts';
import type { SpanRecorder } from '../../tracing/spans.ts';
import { toTraceparent } from '../../tracing/trace-ids.ts';

/** Spans wait this long, so that one request to the collector has many of them. */
const EXPORT_INTERVAL_ms = 1_000;
const EXPORT_TIMEOUT_ms = 5_000;
/** Maximum numbers of spans that wait, and of spans in one request. Further spans are dropped. */
const MAX_WAITING_spans = 4_096;
const MAX_EXPORTED_spans = 512;

const KINDS = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Creates a recorder that sends spans to a collector as OTLP over HTTP, in JSON. */
export function createOtlpRecorder(
  { url, headers }: NonNullable<Config['tracing']>,
  { service, version, log }: { readonly service: string; readonly version: string; readonly log: Logger },
): SpanRecorder {
  logFailures(log);
  // A trace that begins here has the id of its request, and not a random one.
  let nextTraceId: string | null = null;
  const random = new RandomIdGenerator();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'alpenglow',
      'service.version': version,
    }),
    // `tracing.ts` has decided which traces are recorded.
    sampler: new AlwaysOnSampler(),
    idGenerator: {
      generateTraceId: () => nextTraceId ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_ms }),
        scheduledDelayMillis: EXPORT_INTERVAL_ms,
        exportTimeoutMillis: EXPORT_TIMEOUT_ms,
        maxQueueSize: MAX_WAITING_spans,
        maxExportBatchSize: MAX_EXPORTED_spans,
      }),
    ],
  });
  const tracer = provider.getTracer('alpenglow', version);

  return {
    start(name, { traceId, spanId }, { kind = 'internal', attributes, startedAt_ms }) {
      const context =
        spanId === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      nextTraceId = traceId;
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          ...(attributes && { attributes }),
          ...(startedAt_ms !== undefined && { startTime: startedAt_ms }),
        },
        context,
      );
      nextTraceId = null;
      return {
        traceparent: toTraceparent(traceId, span.spanContext().spanId),
        end({ attributes: last, hasFailed = false, name: newName } = {}) {
          if (!span.isRecording()) return;
          if (newName !== undefined) span.updateName(newName);
          if (last) span.setAttributes(last);
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}

/** Logs failed exports, once a minute, without the messages of the SDK, which may contain an address with a token. */
function logFailures(log: Logger): void {
  const failureLog = createFailureLog();
  const ignore = () => undefined;
  const logger = {
    error() {
      const failures = failureLog.count('export');
      if (failures !== null) log.warn({ failures }, 'spans could not be sent to the collector');
    },
    warn: ignore,
    info: ignore,
    debug: ignore,
    verbose: ignore,
  };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}
