import Bowser from 'bowser';
import type { Request } from 'express';
import { toNetworkKey } from './client-address.ts';

/** The client of a session, as the list of sessions shows it. */
export interface SessionClient {
  /** Browser and system, e.g. `Firefox on Windows`. Empty if unknown. */
  readonly device: string;
  /** A keyed hash of the network address. */
  readonly networkHash: string;
}

const MAX_USER_AGENT_characters = 512;

/**
 * Returns the client that sent a request. The network address is hashed with `hashKey`, so that it can be compared but
 * not read.
 */
export function describeSessionClient(req: Request, hashKey: (text: string) => string): SessionClient {
  return {
    device: describeDevice(req.get('user-agent') ?? ''),
    networkHash: hashKey(`session\0${toNetworkKey(req.ip)}`),
  };
}

/** Returns the browser and the system of a `User-Agent` header, e.g. `Firefox on Windows`. Empty if it is unknown. */
function describeDevice(userAgent: string): string {
  if (userAgent === '') return '';
  const { browser, os } = Bowser.parse(userAgent.slice(0, MAX_USER_AGENT_characters));
  return [browser.name, os.name].filter(Boolean).join(' on ');
}
