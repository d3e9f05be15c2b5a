import { expect, test } from 'vitest';
import type { Call } from './history.ts';
import { renderPage } from './page.ts';
import type { PartResult } from './run-part.ts';

const call = (id: string, start_ms: number, end_ms: number): Call => ({
  type: 'call',
  id,
  client: 'provider-0',
  kind: 'edit',
  start_ms,
  end_ms,
  attempts: 1,
  outcome: 'ok',
  status: 200,
});
const result: PartResult = {
  seed: 7,
  calls: Array.from({ length: 400 }, (_, n) => call(`call-${n}`, n * 25, n * 25 + 40)),
  disruptions: [
    { type: 'disruption', kind: 'kill', target: 'workers-1 <a>', start_ms: 1_000, end_ms: 1_200, loses: false },
    { type: 'disruption', kind: 'promote', target: 'Postgres', start_ms: 2_000, end_ms: 4_500, loses: true },
  ],
  samples: Array.from({ length: 20 }, (_, n) => ({ type: 'sample' as const, at_ms: n * 500, lag_events: n * 3 })),
  reads: 0,
  liveMessages: 0,
  letters: 0,
  erased: 0,
  events: 400,
  checks: 1,
  missing: [],
  anomalies: [{ check: 'mails', message: 'a mail was sent 2 times', evidence: ['letter'] }],
  start_ms: 0,
  end_ms: 10_000,
};

test('the page has the disruptions, latencies, lag and anomalies of a run', () => {
  const page = renderPage(result);
  const charts = page.split('<h2>');
  expect(charts.find((chart) => chart.startsWith('Slowest call'))).toContain('40 ms');
  expect(charts.find((chart) => chart.startsWith('Lag of the slowest projection'))).toContain('57 events');
  // Each chart shows the disruptions. Lost commits have another color.
  expect(page.match(/class="band"/gu)).toHaveLength(2);
  expect(page.match(/class="loss"/gu)).toHaveLength(2);
  expect(page).toContain('kill workers-1 &lt;a>, 200 ms');
  expect(page).toContain('2.0 s promote Postgres');
  expect(page).toContain('mails: a mail was sent 2 times\n  letter');
});

test('no line of the page has more than 120 characters', () => {
  expect(
    renderPage(result)
      .split('\n')
      .filter((line) => line.length > 120),
  ).toEqual([]);
});
