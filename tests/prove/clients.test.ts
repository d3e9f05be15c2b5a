import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readOwnAd } from './clients.ts';
import type { HistoryEntry } from './history.ts';

/** Returns what a client records if the product responds to its read like `respond`. */
async function recordRead(respond: (res: ServerResponse) => void): Promise<readonly HistoryEntry[]> {
  const server = createServer((_req, res) => respond(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const recorded: HistoryEntry[] = [];
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const recorder = { record: (entry: HistoryEntry) => void recorded.push(entry) };
    const write = { id: 'call-1', outcome: 'ok', response: null } as const;
    await readOwnAd({ url, recorder }, 'provider-0', 'token', write, { id: 'ad-1', title: 'new' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return recorded;
}

test('a read with status 200 is recorded with the ad that it contains', async () => {
  const ads = [{ id: 'ad-1', title: 'old', isActive: true }];
  expect(await recordRead((res) => res.end(JSON.stringify({ data: ads })))).toMatchObject([
    { type: 'read', after: 'call-1', expected: { title: 'new' }, actual: { title: 'old' } },
  ]);
});

test('the outcome of a read with status 503 or without a response is unknown and not recorded', async () => {
  expect(await recordRead((res) => res.writeHead(503).end('{"code":"UNAVAILABLE"}'))).toEqual([]);
  expect(await recordRead((res) => res.destroy())).toEqual([]);
});
