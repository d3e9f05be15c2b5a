import type { Upstreams } from '../src/config.ts';

export type ServiceName = keyof Upstreams;

// As Express matches them, whatever their case.
/** Calls below these paths are all the command side's, whatever their method. */
const COMMANDS = /^\/api\/(?:auth|account\/identity)(?:\/|$)/iu;
/** Calls below these paths are all the query side's, whatever their method. */
const QUERIES = /^\/api\/(?:sync|live)(?:\/|$)/iu;
const API = /^\/api(?:\/|$)/iu;
/** What the query side serves beside the API. */
const PICTURES = /^\/(?:uploads|dev\/inbox)(?:\/|$)/iu;
/** Where bodies may be large; they are passed on as they come. */
export const UPLOADS = /^\/api\/uploads(?:\/|$)/iu;

/** Which service answers a request: what writes goes to the command side, what reads to the query side, and pages and files come from the shell. */
export function serviceFor(method: string, path: string): ServiceName {
  if (COMMANDS.test(path)) return 'commandApi';
  if (QUERIES.test(path) || PICTURES.test(path)) return 'queryApi';
  if (!API.test(path)) return 'shell';
  return method === 'GET' || method === 'HEAD' ? 'queryApi' : 'commandApi';
}
