import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/**
 * The number of groups of an IPv6 address that identify a subscriber of an Internet provider. A subscriber can use all
 * addresses of a /64 network.
 */
const SUBSCRIBER_GROUPS = 4;
/** The number of groups that identify a site. A site receives a /48 network at most, which has 65,536 /64 networks. */
const SITE_GROUPS = 3;

/** The keys by which the requests of an IP address are counted. */
export interface NetworkKeys {
  /** The IPv4 address, also in IPv6 notation, or the /64 network. All invalid addresses have the same key. */
  readonly subscriber: string;
  /** The /48 network of an IPv6 address. Null for other addresses. */
  readonly site: string | null;
}

/**
 * Limits of a /48 network are higher by this factor, because an Internet provider may divide a /48 network between
 * several subscribers.
 */
export const SITE_FACTOR = 4;

/** Returns the keys by which the requests of an IP address are counted. */
export function toNetworkKeys(address: string | undefined): NetworkKeys {
  const plain = (address ?? '').replace(/%.*$/su, '').toLowerCase();
  if (isIPv4(plain)) return { subscriber: plain, site: null };
  if (!isIPv6(plain)) return { subscriber: 'unknown', site: null };
  const groups = parseGroups(plain);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xff_ff)
    return { subscriber: [high >> 8, high & 255, low >> 8, low & 255].join('.'), site: null };
  return { subscriber: toPrefix(groups, SUBSCRIBER_GROUPS), site: toPrefix(groups, SITE_GROUPS) };
}

/** Returns the key by which the requests of the subscriber with this IP address are counted. */
export function toNetworkKey(address: string | undefined): string {
  return toNetworkKeys(address).subscriber;
}

/** Returns the keys of a client with the maximum number of requests for each key. `max` applies to one subscriber. */
export function limitByNetwork(
  address: string | undefined,
  max: number,
): readonly { readonly network: string; readonly max: number }[] {
  const { subscriber, site } = toNetworkKeys(address);
  return [{ network: subscriber, max }, ...(site === null ? [] : [{ network: site, max: max * SITE_FACTOR }])];
}

function toPrefix(groups: readonly number[], count: number): string {
  const prefix = groups.slice(0, count).map((group) => group.toString(16));
  return `${prefix.join(':')}::/${count * 16}`;
}

/** Returns the eight numbers of a valid IPv6 address, which may be shortened with `::`. */
function parseGroups(address: string): readonly number[] {
  const [head = '', tail] = address.split('::', 2);
  const before = parseNumbers(head);
  const after = parseNumbers(tail ?? '');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => 0), ...after];
}

function parseNumbers(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/**
 * Returns the IP address of the client. Every trusted proxy in front of this process appends the address from which it
 * received the request to `X-Forwarded-For`. Entries further to the left are ignored, because any client can send them.
 */
export function findClientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  const nearestFirst = [socket.remoteAddress, ...forwarded.reverse()];
  return nearestFirst[Math.min(trustedProxies, nearestFirst.length - 1)];
}
