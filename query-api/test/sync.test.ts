import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  START_POSITION,
  type EventStore,
  type Position,
  type ResponseOf,
  toStreamId,
  listing,
} from '@alpenglow/domain';
import { type Authentication, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { syncRoutes } from '../src/sync.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const asAdmin = { findPrincipal: async () => ({ user: { isAdmin: true } }) } as unknown as Authentication;
const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

async function requestStatus(
  store: EventStore,
  checkpoints: readonly { readonly name: string; readonly position: Position }[],
): Promise<ResponseOf<'getSyncStatus'>> {
  const query = async ({ name }: { readonly name: string }) => ({ rows: name === 'sync-status' ? checkpoints : [] });
  const pool = { query } as unknown as Pool;
  const app = express().use(syncRoutes({ pool, store, progress: {} as ReadModelProgress, authentication: asAdmin }));
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sync/status`);
  return (await response.json()) as ResponseOf<'getSyncStatus'>;
}

test('counts the later events of each projection up to 1,000, and once for equal positions', async () => {
  const memory = createMemoryEventStore();
  const positions: Position[] = [];
  for (let count = 0; count < 3; count += 1) {
    const events = Array.from({ length: 500 }, () => ({
      id: crypto.randomUUID(),
      type: 'AdPosted',
      version: 1,
      data: {},
      meta,
    }));
    positions.push(
      (await memory.append(toStreamId(listing, String(count)), events, { expectedRevision: 'no-stream' })).position,
    );
  }
  const [, second, head] = positions as [Position, Position, Position];
  const readFrom: Position[] = [];
  const store: EventStore = {
    ...memory,
    readAll: (options) => {
      readFrom.push(options.after);
      return memory.readAll(options);
    },
  };

  const { data } = await requestStatus(store, [
    { name: 'a', position: head },
    { name: 'b', position: second },
    { name: 'c', position: second },
    { name: 'd', position: START_POSITION },
  ]);
  expect(data.head).toBe(head);
  expect(data.projections.map(({ name, lag, state }) => [name, lag, state])).toEqual([
    ['a', 0, 'live'],
    ['b', 500, 'catching up'],
    ['c', 500, 'catching up'],
    ['d', 1_000, 'catching up'],
  ]);
  expect(readFrom.toSorted()).toEqual([START_POSITION, second]);
});

test('reads each event once for all projections that have not handled it', async () => {
  const memory = createMemoryEventStore();
  const positions: Position[] = [];
  for (let count = 0; count < 12; count += 1) {
    const event = { id: crypto.randomUUID(), type: 'AdPosted', version: 1, data: {}, meta };
    const { position } = await memory.append(toStreamId(listing, String(count)), [event], {
      expectedRevision: 'no-stream',
    });
    positions.push(position);
  }
  let read = 0;
  const store: EventStore = {
    ...memory,
    async readAll(options) {
      const page = await memory.readAll(options);
      read += page.length;
      return page;
    },
  };
  const { data } = await requestStatus(
    store,
    positions.map((position, index) => ({ name: `p${index}`, position })),
  );
  expect(data.projections.map(({ lag }) => lag)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(read).toBe(11);
});
