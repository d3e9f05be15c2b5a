import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { DomainError, EventStoreUnavailable } from '@alpenglow/domain';
import express from 'express';
import { DatabaseError } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createAppender } from '../src/adapters/postgres/event-store-appender.ts';
import { isBrokenConnection, isOutage } from '../src/adapters/postgres/errors.ts';
import { errorHandler } from '../src/http/errors.ts';
import type { Logger } from '../src/logger.ts';

const said = (code: string) => Object.assign(new DatabaseError('said', 4, 'error'), { code });
const system = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const failing = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

async function refusedConnection(options: { port: number; host: string }): Promise<unknown> {
  const [error] = (await once(connect(options), 'error')) as [unknown];
  return error;
}
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('an outage of Postgres', () => {
  test.each([
    '08006',
    '08P01',
    '40001',
    '40P01',
    '53100',
    '53200',
    '53300',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '58030',
    '25006',
    '55P03',
  ])('is what the server says with %s', (code) => {
    expect(isOutage(said(code))).toBe(true);
  });
  test.each(['42P01', '42703', '23505', '22P02', '25001', 'XX000'])('is not what it says with %s', (code) => {
    expect(isOutage(said(code))).toBe(false);
  });
  test.each([
    ['ECONNREFUSED', 'connect'],
    ['ENOENT', 'connect'],
    ['ECONNRESET', 'read'],
    ['EPIPE', 'write'],
    ['ETIMEDOUT', 'connect'],
    ['EAI_AGAIN', 'getaddrinfo'],
  ])('is %s of %s', (code, syscall) => {
    expect(isOutage(system(code, syscall))).toBe(true);
  });
  test.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
  ])('is, in the words of the driver: %s', (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });
  test('is a refused connection, by one address or by every address of a name', async () => {
    const port = await freePort();
    expect(isOutage(await refusedConnection({ port, host: '127.0.0.1' }))).toBe(true);
    expect(isOutage(await refusedConnection({ port, host: 'localhost' }))).toBe(true);
    expect(isOutage(new AggregateError([system('ECONNREFUSED', 'connect'), new TypeError('x')]))).toBe(false);
  });
  test('is neither a fault of a file nor a mistake in a program', async () => {
    expect(isOutage(await failing(readFile('/nowhere/at/all')))).toBe(false);
    const folder = await open(tmpdir());
    expect(isOutage(await failing(folder.read(Buffer.alloc(1), 0, 1, 0)))).toBe(false);
    await folder.close();
    for (const error of [
      system('ENOENT', 'read'),
      new TypeError('x is not a function'),
      new Error('Pool exhausted'),
      'a word',
      null,
      undefined,
    ])
      expect(isOutage(error), String(error)).toBe(false);
  });
});

describe('a connection that broke under a query', () => {
  test.each([
    said('57P01'),
    system('ECONNRESET', 'read'),
    system('EPIPE', 'write'),
    new Error('Connection terminated unexpectedly'),
  ])('%s', (error) => {
    expect(isBrokenConnection(error)).toBe(true);
  });
  test.each([
    said('57014'),
    said('53300'),
    system('ETIMEDOUT', 'connect'),
    new Error('Query read timeout'),
    new Error('timeout expired'),
    new TypeError('x'),
  ])('is not: %s', (error) => {
    expect(isBrokenConnection(error)).toBe(false);
  });

  test('an append that took too long is not sent again; one whose connection broke is', async () => {
    const event = { id: randomUUID(), type: 't', version: 1, data: '{}', meta: '{}' };
    const append = (error: Error) => {
      const query = vi
        .fn()
        .mockRejectedValueOnce(error)
        .mockResolvedValue([{ outcome: 'appended', last_revision: 0, last_position: '1' }]);
      const appender = createAppender({ query, end: () => Promise.resolve() }, () => undefined);
      return {
        query,
        answer: appender.append({
          stream: 's',
          events: [event],
          expectedRevision: 'any',
          size_bytes: 1,
        } as unknown as Parameters<typeof appender.append>[0]),
      };
    };
    const slow = append(new Error('Query read timeout'));
    await expect(slow.answer).rejects.toThrow(EventStoreUnavailable);
    expect(slow.query).toHaveBeenCalledTimes(1);
    const broken = append(new Error('Connection terminated unexpectedly'));
    await expect(broken.answer).resolves.toMatchObject({ revision: 0 });
    expect(broken.query).toHaveBeenCalledTimes(2);
  });
});

describe('an answer that is our fault', () => {
  /** What is answered and logged when a route throws this. */
  async function answered(error: unknown) {
    const log = {
      warn: vi.fn<(fields: { err: unknown }) => void>(),
      error: vi.fn<(fields: { err: unknown }) => void>(),
    };
    const app = express();
    app.get('/', () => {
      throw error;
    });
    app.use(errorHandler(log as unknown as Logger));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const { status } = await fetch(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
    await new Promise((resolve) => server.close(resolve));
    return {
      status,
      warned: log.warn.mock.calls.map(([fields]) => fields.err),
      failed: log.error.mock.calls.map(([fields]) => fields.err),
    };
  }

  test.each([
    said('57014'),
    said('53100'),
    new Error('Query read timeout'),
    system('ECONNREFUSED', 'connect'),
    new DomainError('UPLOADS_BUSY', {}, 5),
  ])('that passes is 503, and warned of: %s', async (error) => {
    expect(await answered(error)).toEqual({ status: 503, warned: [error], failed: [] });
  });
  test('that does not pass is 500, and logged: a missing file, a mistake', async () => {
    for (const error of [await failing(readFile('/nowhere/at/all')), new TypeError('x'), said('42P01')])
      expect(await answered(error)).toEqual({ status: 500, warned: [], failed: [error] });
  });
  test('is told from a refusal, of which the log says nothing', async () => {
    expect(await answered(new DomainError('NOT_FOUND'))).toEqual({ status: 404, warned: [], failed: [] });
  });
});
