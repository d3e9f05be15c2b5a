import { registerGauge, registerHistogram, REQUEST_LIMITS_s, type Metrics } from '../src/service/metrics.ts';
import type { SendResult } from './send.ts';
import type { ServiceName } from './routes.ts';
import type { UpstreamGroup } from './upstreams.ts';

/**
 * Records an attempt to send a request to a process of a service. `duration_s` is the time until the response headers.
 */
export type RecordAttempt = (service: ServiceName, sent: SendResult, duration_s: number) => void;

/** The services as they are named in all other places, such as logs and deployment files. */
const LABELS: Readonly<Record<ServiceName, string>> = {
  commandApi: 'command-api',
  queryApi: 'query-api',
  shell: 'shell',
};

/** Registers the metrics of the gateway about the services behind it. Returns the recorder of sent requests. */
export function registerGatewayMetrics(
  registry: Metrics,
  groups: Readonly<Record<ServiceName, UpstreamGroup>>,
): RecordAttempt {
  const { observe } = registerHistogram(
    registry,
    'upstream_request_duration_seconds',
    'Time until the response of a service behind the gateway begins, for each attempt to send a request',
    ['service', 'status'],
    REQUEST_LIMITS_s,
  );
  const registerCount = (name: string, help: string, count: (group: UpstreamGroup) => number) =>
    registerGauge(
      registry,
      name,
      help,
      async () =>
        Object.fromEntries(
          Object.entries(LABELS).map(([service, label]) => [label, count(groups[service as ServiceName])]),
        ),
      'service',
    );
  registerCount('upstream_processes', 'Known processes of a service', ({ all }) => all.length);
  registerCount(
    'upstream_ready_processes',
    'Processes of a service that receive requests',
    ({ all }) => all.filter(({ isReady }) => isReady).length,
  );
  registerCount('upstream_open_requests', 'Open requests and WebSockets to a service', ({ all }) =>
    all.reduce((sum, { active }) => sum + active, 0),
  );
  return (service, sent, duration_s) => observe({ service: LABELS[service], status: statusOf(sent) }, duration_s);
}

/** Returns the class of the status code, such as `2xx`, or `failed` if a service has not responded. */
function statusOf(sent: SendResult): string {
  if ('failure' in sent) return 'failed';
  const { statusCode = 0 } = 'response' in sent ? sent.response : sent.upgraded.response;
  return `${Math.floor(statusCode / 100)}xx`;
}
