import { JSON_BODY_MAX_bytes, matchRequest } from '@alpenglow/domain/api';
import type { Upstreams } from '../src/service/config.ts';

export type ServiceName = keyof Upstreams;

export interface Route {
  readonly service: ServiceName;
  /**
   * True if the body contains files or a part of one, so that it may be large. The gateway then forwards the body while
   * it is being received.
   */
  readonly isUpload: boolean;
  /** The maximum size of a body that contains no files. */
  readonly maxBody_bytes: number;
}

const API = /^\/api(?=\/|$)/iu;
/** Matches paths outside of the API that the query service handles. */
const FILES = /^\/(?:uploads|dev\/inbox)(?:\/|$)/iu;

/**
 * Returns the service that handles a request. The declaration of an API operation determines its service. If a request
 * below `/api` matches no operation, reads are sent to the query service, and writes to the command service. Both
 * services respond with the same error. Requests for all other paths are sent to the shell, which serves the pages.
 */
export function findRoute(method: string, path: string): Route {
  const operation = API.test(path) ? matchRequest(method, path.replace(API, ''))?.operation : undefined;
  const body = operation?.body ?? null;
  return {
    service: operation ? `${operation.service}Api` : serviceWithoutOperation(method, path),
    isUpload: body?.kind === 'files' || body?.kind === 'bytes',
    maxBody_bytes: body?.kind === 'json' ? body.max_bytes : JSON_BODY_MAX_bytes,
  };
}

function serviceWithoutOperation(method: string, path: string): ServiceName {
  if (FILES.test(path)) return 'queryApi';
  if (!API.test(path)) return 'shell';
  return method === 'GET' || method === 'HEAD' ? 'queryApi' : 'commandApi';
}
