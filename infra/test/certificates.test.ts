import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificate } from '../../tests/support/certificate.ts';
import { readCertificateEnd_ms, registerCertificateMetrics, tlsEndpoints } from '../src/service/certificates.ts';
import { createMetrics } from '../src/service/metrics.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const end = new Date('2027-02-03T04:05:06.000Z');
const certificate = createCertificate({ from: new Date('2026-01-01T00:00:00Z'), until: end });
const expired = createCertificate({ from: new Date('2020-01-01T00:00:00Z'), until: new Date('2021-01-01T00:00:00Z') });

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const startTls = (options = certificate) => listen(tls.createServer(options).on('tlsClientError', () => undefined));

/** Starts a server that offers TLS as Postgres does, or rejects it with `N`. */
const startPostgres = (offered: 'S' | 'N') =>
  listen(
    createServer((socket) => {
      socket.once('data', (request) => {
        expect(request.toString('hex')).toBe('0000000804d2162f');
        socket.write(offered);
        if (offered === 'S') new tls.TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined);
      });
    }),
  );

describe('readCertificateEnd_ms', () => {
  it('returns the end of a certificate, also of one that is not trusted or has expired', async () => {
    const host = '127.0.0.1';
    expect(await readCertificateEnd_ms({ name: 'site', host, port: await startTls() })).toBe(end.getTime());
    expect(await readCertificateEnd_ms({ name: 'site', host: 'localhost', port: await startTls(expired) })).toBe(
      Date.parse('2021-01-01T00:00:00Z'),
    );
  });

  it('requests TLS from Postgres first', async () => {
    const endpoint = { name: 'postgres', host: '127.0.0.1', isPostgres: true };
    expect(await readCertificateEnd_ms({ ...endpoint, port: await startPostgres('S') })).toBe(end.getTime());
    const rejected = readCertificateEnd_ms({ ...endpoint, port: await startPostgres('N') });
    await expect(rejected).rejects.toThrow('does not offer TLS');
  });

  it('rejects if the server is unreachable, does not speak TLS, or does not respond', async () => {
    const host = '127.0.0.1';
    const silent = await listen(createServer(() => undefined));
    const plain = await listen(createServer((socket) => socket.end('no TLS\n')));
    for (const port of [1, plain, silent])
      await expect(readCertificateEnd_ms({ name: 'site', host, port })).rejects.toThrow(/./u);
  });
});

it('the metric has the remaining time of each reachable endpoint', async () => {
  const registry = createMetrics();
  registerCertificateMetrics(registry, [
    { name: 'site', host: '127.0.0.1', port: await startTls() },
    { name: 'redis', host: '127.0.0.1', port: await startTls(expired) },
    { name: 's3', host: '127.0.0.1', port: 1 },
  ]);
  const text = await registry.metrics();
  const valueOf = (name: string) =>
    Number(new RegExp(`^certificate_remaining_seconds\\{name="${name}"\\} (\\S+)$`, 'mu').exec(text)?.[1]);
  expect(Math.abs(valueOf('site') - (end.getTime() - Date.now()) / 1_000)).toBeLessThan(60);
  expect(valueOf('redis')).toBeLessThan(0);
  expect(valueOf('s3')).toBeNaN();
});

describe('tlsEndpoints', () => {
  const none = { siteUrl: null, databaseUrl: null, eventStoreUrl: null, redisUrl: null, s3: null };
  const s3 = { bucket: 'b', region: 'r', accessKeyId: 'a', secretAccessKey: 's' };

  it('returns the site and the backing services with TLS', () => {
    expect(
      tlsEndpoints({
        siteUrl: 'https://www.example.org',
        databaseUrl: 'postgres://a:b@db.example.org/alpenglow?sslmode=verify-full',
        eventStoreUrl: 'esdb://admin:secret@one.example.org:2114,two.example.org:2114?nodePreference=leader',
        redisUrl: 'rediss://:secret@[2001:db8::1]:6380',
        s3: { ...s3, endpoint: 'https://s3.example.org:9000' },
      }),
    ).toEqual([
      { name: 'site', host: 'www.example.org', port: 443 },
      { name: 'postgres', host: 'db.example.org', port: 5432, isPostgres: true },
      { name: 'eventstore', host: 'one.example.org', port: 2114 },
      { name: 'redis', host: '2001:db8::1', port: 6380 },
      { name: 's3', host: 's3.example.org', port: 9000 },
    ]);
    expect(tlsEndpoints({ ...none, eventStoreUrl: 'esdb+discover://cluster.example.org' })).toEqual([
      { name: 'eventstore', host: 'cluster.example.org', port: 2113 },
    ]);
  });

  it('leaves out everything without TLS', () => {
    expect(tlsEndpoints(none)).toEqual([]);
    expect(
      tlsEndpoints({
        siteUrl: 'http://localhost:8080',
        databaseUrl: 'postgres://a:b@db.example.org/alpenglow?sslmode=disable',
        eventStoreUrl: 'esdb://eventstore:2113?tls=false',
        redisUrl: 'redis://redis:6379',
        s3: { ...s3, endpoint: 'http://s3:8333' },
      }),
    ).toEqual([]);
    for (const databaseUrl of ['postgres://db/alpenglow', 'postgres:///alpenglow?host=/run/postgresql&sslmode=require'])
      expect(tlsEndpoints({ ...none, databaseUrl })).toEqual([]);
  });
});
