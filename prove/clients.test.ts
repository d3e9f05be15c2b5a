import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readAdPage, readOwnAd } from './clients.ts';
import type { HistoryEntry } from './history.ts';

type Respond = (res: ServerResponse) => void;
type Target = Parameters<typeof readOwnAd>[0];
const WRITE = { id: 'call-1', outcome: 'ok', response: null } as const;

/** Returns what a client records if the product responds to its read like `respond`. */
const recordRead = (respond: Respond) =>
  record(respond, (target) => readOwnAd(target, 'provider-0', 'token', WRITE, { id: 'ad-1', title: 'new' }));

/** The same for the page of an ad. */
const recordPage = (respond: Respond) =>
  record(respond, (target) => readAdPage(target, 'provider-0', WRITE, 'ad-1', { id: 'ad-1', title: 'new' }));

async function record(respond: Respond, read: (target: Target) => Promise<void>): Promise<readonly HistoryEntry[]> {
  const server = createServer((_req, res) => respond(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const recorded: HistoryEntry[] = [];
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const recorder = { record: (entry: HistoryEntry) => void recorded.push(entry) };
    await read({ url, recorder });
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

test('a read of the page of an ad is recorded with the ad, or without one if there is none', async () => {
  const found = { data: { id: 'ad-1', title: 'old', contactToken: null } };
  expect(await recordPage((res) => res.end(JSON.stringify(found)))).toMatchObject([
    { type: 'read', after: 'call-1', expected: { title: 'new' }, actual: { id: 'ad-1', title: 'old' } },
  ]);
  expect(await recordPage((res) => res.writeHead(404).end('{"code":"AD_NOT_FOUND"}'))).toMatchObject([
    { type: 'read', expected: { title: 'new' }, actual: null },
  ]);
  expect(await recordPage((res) => res.writeHead(503).end('{"code":"UNAVAILABLE"}'))).toEqual([]);
});
