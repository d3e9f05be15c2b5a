import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of an attribute of OTLP that tests read. */
interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly boolValue?: boolean;
    readonly arrayValue?: { readonly values: readonly { readonly stringValue?: string }[] };
  };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first span of a trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly hasFailed: boolean;
}

const FAILED = 2;

const toRecord = (attributes: readonly OtlpAttribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue, arrayValue } }) => [
      key,
      arrayValue?.values.map((one) => one.stringValue) ??
        stringValue ??
        (intValue === undefined ? boolValue : Number(intValue)),
    ]),
  );

/** Starts a collector of OpenTelemetry that receives spans as OTLP over HTTP in JSON. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  /** The bodies of all requests, in which tests search for personal data. */
  const bodies: string[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      headers.push(req.headers.authorization);
      if (req.method === 'POST' && req.url === '/v1/traces') {
        bodies.push(body);
        for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpRequest).resourceSpans)
          for (const span of scopeSpans.flatMap((scope) => scope.spans))
            spans.push({
              service: String(toRecord(resource.attributes)['service.name']),
              traceId: span.traceId,
              spanId: span.spanId,
              parentSpanId: span.parentSpanId || null,
              name: span.name,
              attributes: toRecord(span.attributes),
              hasFailed: span.status.code === FAILED,
            });
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly CollectedSpan[],
    bodies: bodies as readonly string[],
    /** The values of the header `Authorization`. */
    authorizations: headers as readonly (string | undefined)[],
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
