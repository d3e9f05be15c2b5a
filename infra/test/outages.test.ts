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
import { createErrorHandler } from '../src/http/errors.ts';
import type { Logger } from '../src/service/logger.ts';

const serverError = (code: string) => Object.assign(new DatabaseError('reported by the server', 4, 'error'), { code });
const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const rejectionOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

async function failToConnect(options: { port: number; host: string }): Promise<unknown> {
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
  ])('is the SQLSTATE %s', (code) => {
    expect(isOutage(serverError(code))).toBe(true);
  });
  test.each(['42P01', '42703', '23505', '22P02', '25001', 'XX000'])('is not the SQLSTATE %s', (code) => {
    expect(isOutage(serverError(code))).toBe(false);
  });
  test.each([
    ['ECONNREFUSED', 'connect'],
    ['ENOENT', 'connect'],
    ['ECONNRESET', 'read'],
    ['EPIPE', 'write'],
    ['ETIMEDOUT', 'connect'],
    ['EAI_AGAIN', 'getaddrinfo'],
  ])('is the system error %s of %s', (code, syscall) => {
    expect(isOutage(systemError(code, syscall))).toBe(true);
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
  ])('is the driver error: %s', (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });
  test('is a refused connection, by one address or by every address of a name', async () => {
    const port = await freePort();
    expect(isOutage(await failToConnect({ port, host: '127.0.0.1' }))).toBe(true);
    expect(isOutage(await failToConnect({ port, host: 'localhost' }))).toBe(true);
    expect(isOutage(new AggregateError([systemError('ECONNREFUSED', 'connect'), new TypeError('x')]))).toBe(false);
  });
  test('is neither a file error nor a program error', async () => {
    expect(isOutage(await rejectionOf(readFile('/nowhere/at/all')))).toBe(false);
    const folder = await open(tmpdir());
    expect(isOutage(await rejectionOf(folder.read(Buffer.alloc(1), 0, 1, 0)))).toBe(false);
    await folder.close();
    for (const error of [
      systemError('ENOENT', 'read'),
      new TypeError('x is not a function'),
      new Error('Pool exhausted'),
      'a text',
      null,
      undefined,
    ])
      expect(isOutage(error), String(error)).toBe(false);
  });
});

describe('a connection that broke during a query', () => {
  test.each([
    serverError('57P01'),
    systemError('ECONNRESET', 'read'),
    systemError('EPIPE', 'write'),
    new Error('Connection terminated unexpectedly'),
  ])('is recognized by: %s', (error) => {
    expect(isBrokenConnection(error)).toBe(true);
  });
  test.each([
    serverError('57014'),
    serverError('53300'),
    systemError('ETIMEDOUT', 'connect'),
    new Error('Query read timeout'),
    new Error('timeout expired'),
    new TypeError('x'),
  ])('is not recognized by: %s', (error) => {
    expect(isBrokenConnection(error)).toBe(false);
  });

  test('repeats an append after a broken connection, but not after a timeout', async () => {
    const event = { id: randomUUID(), type: 't', version: 1, data: '{}', meta: '{}' };
    const append = (error: Error) => {
      const query = vi
        .fn()
        .mockRejectedValueOnce(error)
        .mockResolvedValue([{ outcome: 'appended', last_revision: 0, last_position: '1' }]);
      const appender = createAppender({ query, end: () => Promise.resolve() }, () => undefined);
      return {
        query,
        result: appender.append({
          stream: 's',
          events: [event],
          expectedRevision: 'any',
          size_bytes: 1,
        } as unknown as Parameters<typeof appender.append>[0]),
      };
    };
    const slow = append(new Error('Query read timeout'));
    await expect(slow.result).rejects.toThrow(EventStoreUnavailable);
    expect(slow.query).toHaveBeenCalledTimes(1);
    const broken = append(new Error('Connection terminated unexpectedly'));
    await expect(broken.result).resolves.toMatchObject({ revision: 0 });
    expect(broken.query).toHaveBeenCalledTimes(2);
  });
});

describe('the response to an error of a route', () => {
  /** Returns the response status and the log entries for a route that throws `error`. */
  async function respondTo(error: unknown) {
    const log = {
      warn: vi.fn<(fields: { err: unknown }) => void>(),
      error: vi.fn<(fields: { err: unknown }) => void>(),
    };
    const app = express();
    app.get('/', () => {
      throw error;
    });
    app.use(createErrorHandler(log as unknown as Logger));
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
    serverError('57014'),
    serverError('53100'),
    new Error('Query read timeout'),
    systemError('ECONNREFUSED', 'connect'),
  ])('is 503 with a logged warning for a transient error: %s', async (error) => {
    expect(await respondTo(error)).toEqual({ status: 503, warned: [error], failed: [] });
  });
  test('is 503 with a logged warning without an error for a rejection by a rule', async () => {
    expect(await respondTo(new DomainError('UPLOADS_BUSY', {}, 5))).toEqual({
      status: 503,
      warned: [undefined],
      failed: [],
    });
  });
  test('is 500 with a logged error for a permanent error: a missing file, a program error', async () => {
    for (const error of [await rejectionOf(readFile('/nowhere/at/all')), new TypeError('x'), serverError('42P01')])
      expect(await respondTo(error)).toEqual({ status: 500, warned: [], failed: [error] });
  });
  test('has no log entry for a rejected request', async () => {
    expect(await respondTo(new DomainError('NOT_FOUND'))).toEqual({ status: 404, warned: [], failed: [] });
  });
});
