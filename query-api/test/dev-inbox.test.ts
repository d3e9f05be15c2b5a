import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Inbox } from '@alpenglow/infra';
import express from 'express';
import { expect, test } from 'vitest';
import { devInboxRoutes } from '../src/dev-inbox.ts';

test('the inbox escapes HTML in mails', async () => {
  const mail = {
    id: 'verification-1',
    to: '"<i>"@example.com',
    subject: '<b>Hi</b> & bye',
    text: "<script>alert('1')</script>",
    at: new Date('2026-01-01T00:00:00Z'),
  };
  const inbox = { latest: () => Promise.resolve([mail]) } as Partial<Inbox> as Inbox;
  const server = createServer(express().use(devInboxRoutes(inbox, null)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/dev/inbox`);
  const page = await response.text();
  server.close();
  expect(page).toContain('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;');
  expect(page).toContain('&lt;b&gt;Hi&lt;/b&gt; &amp; bye');
  expect(page).toContain('&quot;&lt;i&gt;&quot;@example.com');
  expect(page).not.toMatch(/<script|<b>|<i>/u);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-demo-inbox'), 'the shell checks this header').toBe('1');
});

test.each([
  ['localhost:8080', null, 200],
  ['127.0.0.1', null, 200],
  ['192.168.1.5:8080', null, 200],
  ['[::1]:8080', null, 200],
  ['rebound.example', null, 404],
  ['bad.de', null, 404],
  ['localhost.rebound.example', null, 404],
  ['www.example.org', 'https://www.example.org', 200],
  ['rebound.example', 'https://www.example.org', 404],
])('the inbox for the host %s of the site %s: %d', async (host, siteUrl, expected) => {
  const inbox = { latest: () => Promise.resolve([]) } as Partial<Inbox> as Inbox;
  const server = createServer(express().use(devInboxRoutes(inbox, siteUrl)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) => {
    request({ port, path: '/dev/inbox', headers: { host } }, (res) => {
      res.resume();
      resolve(res.statusCode);
    })
      .once('error', reject)
      .end();
  });
  server.close();
  expect(status).toBe(expected);
});

test('a forwarded host does not open the inbox', async () => {
  const inbox = { latest: () => Promise.resolve([]) } as Partial<Inbox> as Inbox;
  const app = express().set('trust proxy', 1).use(devInboxRoutes(inbox, null));
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { host: 'rebound.example', 'x-forwarded-host': 'localhost' };
  const status = await new Promise((resolve, reject) => {
    request({ port, path: '/dev/inbox', headers }, (res) => {
      res.resume();
      resolve(res.statusCode);
    })
      .once('error', reject)
      .end();
  });
  server.close();
  expect(status).toBe(404);
});
