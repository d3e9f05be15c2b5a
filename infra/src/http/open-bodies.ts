import type { IncomingMessage } from 'node:http';
import { DomainError, formatWait } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import { limitByNetwork } from './client-address.ts';
import { onClose } from './close-signal.ts';

/**
 * The maximum number of requests of one network address whose bodies are still being received. A /48 network
 * of IPv6 may have four times as many.
 */
export const MAX_OPEN_BODIES = 40;
const RETRY_s = 10;

/**
 * Limits how many unfinished request bodies one network address may send at a time, because a slow body occupies a
 * connection for up to 15 minutes. Further requests fail with RATE_LIMITED.
 */
export function limitOpenBodies(max = MAX_OPEN_BODIES): RequestHandler {
  const receiving = new Map<string, Set<IncomingMessage>>();
  return (req, res, next) => {
    if (req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0) {
      next();
      return;
    }
    const networks = limitByNetwork(req.ip, max).map((each) => ({
      ...each,
      open: receiving.get(each.network) ?? new Set<IncomingMessage>(),
    }));
    for (const { open, max } of networks)
      if (open.size >= max) for (const other of open) if (other.complete) open.delete(other);
    if (networks.some(({ open, max }) => open.size >= max)) {
      // The rest of the body is not read, so the connection cannot be used again.
      res.setHeader('Connection', 'close');
      next(new DomainError('RATE_LIMITED', { left: formatWait(RETRY_s) }, RETRY_s));
      return;
    }
    for (const { network, open } of networks) receiving.set(network, open.add(req));
    onClose(res, () => {
      for (const { network, open } of networks) {
        open.delete(req);
        if (open.size === 0 && receiving.get(network) === open) receiving.delete(network);
      }
    });
    next();
  };
}
