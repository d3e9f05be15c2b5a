import { MailRejected, MailUnavailable, type MailTransport } from '@alpenglow/domain';
import { describe, expect, it } from 'vitest';
import { registerDiskMetrics, writtenFolders } from '../src/service/disk-metrics.ts';
import { countMails, registerMailMetrics } from '../src/service/mail-metrics.ts';
import { createMetrics, registerGauge } from '../src/service/metrics.ts';

const linesOf = async (registry: ReturnType<typeof createMetrics>, name: string) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));

describe('the metrics of disks', () => {
  it('show size and free space of each folder that exists', async () => {
    const registry = createMetrics();
    const missing = () => Promise.reject(Object.assign(new Error('missing'), { code: 'ENOENT' }));
    const spaces: Readonly<Record<string, () => Promise<{ bsize: number; blocks: number; bavail: number }>>> = {
      '/data': () => Promise.resolve({ bsize: 4_096, blocks: 1_000, bavail: 100 }),
      '/proc': () => Promise.resolve({ bsize: 4_096, blocks: 0, bavail: 0 }),
    };
    const folders = { data: '/data', kernel: '/proc', 'front-ends': '/none' };
    registerDiskMetrics(registry, folders, (folder) => (spaces[folder] ?? missing)());
    expect(await linesOf(registry, 'disk_')).toEqual([
      'disk_free_bytes{folder="data"} 409600',
      'disk_size_bytes{folder="data"} 4096000',
    ]);
  });

  it('read the disk of a real folder', async () => {
    const registry = createMetrics();
    registerDiskMetrics(registry, writtenFolders({ dataDir: '.', mfDir: 'no-such-folder' }, import.meta.dirname));
    const free = await linesOf(registry, 'disk_free_bytes');
    expect(free.map((line) => /folder="([^"]+)"\} [1-9]\d+$/u.exec(line)?.[1])).toEqual(['data', 'temporary']);
  });
});

it('the metric of mails counts the result of each attempt', async () => {
  const registry = createMetrics();
  const results = [null, new MailRejected('no such user'), new MailUnavailable('busy'), new Error('broken'), null];
  const transport: MailTransport = {
    sendTimeout_ms: 1,
    detectsDuplicates: true,
    send: () => {
      const result = results.shift();
      return result ? Promise.reject(result) : Promise.resolve({ serverResponse: null });
    },
    close: () => Promise.resolve(),
  };
  const counting = countMails(transport, registerMailMetrics(registry));
  const zero = ['sent', 'rejected', 'unavailable'].map((result) => `mails_total{result="${result}"} 0`);
  expect(await linesOf(registry, 'mails_total')).toEqual(zero);
  const mail = { id: 'a', to: 'anna@example.com', subject: 's', text: 't', unsubscribeUrl: null };
  const outcomes = [];
  for (let attempt = 0; attempt < 5; attempt += 1)
    outcomes.push(
      await counting.send(mail).then(
        () => 'sent',
        (error: Error) => error.message,
      ),
    );
  expect(outcomes).toEqual(['sent', 'no such user', 'busy', 'broken', 'sent']);
  expect(await linesOf(registry, 'mails_total')).toEqual([
    'mails_total{result="sent"} 2',
    'mails_total{result="rejected"} 1',
    'mails_total{result="unavailable"} 2',
  ]);
});

it('a metric whose value cannot be read is named by another metric', async () => {
  const registry = createMetrics();
  let isBroken = false;
  const read = () => (isBroken ? Promise.reject(new Error('no database')) : Promise.resolve({ one: 1 }));
  registerGauge(registry, 'example', 'help', read, 'name');
  const count = createMetrics();
  registerGauge(count, 'count', 'help', async () => (await read()).one);
  const readBoth = async () => [
    ...(await linesOf(registry, 'example')),
    ...(await linesOf(registry, 'metrics_unreadable')),
  ];
  expect(await readBoth()).toEqual(['example{name="one"} 1', 'metrics_unreadable{metric="example"} 0']);
  expect(await linesOf(count, 'count')).toEqual(['count 1']);
  isBroken = true;
  expect(await readBoth()).toEqual(['metrics_unreadable{metric="example"} 1']);
  // It has no value either, and especially not 0.
  expect(await linesOf(count, 'count')).toEqual([]);
  isBroken = false;
  expect(await readBoth()).toEqual(['example{name="one"} 1', 'metrics_unreadable{metric="example"} 0']);
});
