import { once } from 'node:events';
import { createServer } from 'node:http';
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
  const server = createServer(express().use(devInboxRoutes(inbox)));
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
