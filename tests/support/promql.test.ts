import { describe, expect, it } from 'vitest';
import { createRecording, findAlerts, parseInputSeries, parseMetrics } from './alert-rules.ts';
import { evaluate, metricsIn, parseDuration_s, type Series } from './promql.ts';

const series = (name: string, values: string): Series => parseInputSeries(name, values, 60);
/** Returns the result as labels and values. */
const run = (expression: string, all: readonly Series[], at_s: number) => {
  const result = evaluate(expression, all, at_s);
  return typeof result === 'number' ? result : result.map(({ labels, value }) => [labels, value]);
};

const up = [series('up{job="a",service="x"}', '1x10'), series('up{job="b",service="y"}', '1x4 0x5')];

describe('an expression', () => {
  it.each([
    ['up', [{ job: 'a', service: 'x' }, 1], [{ job: 'b', service: 'y' }, 0]],
    ['up{job="a"}', [{ job: 'a', service: 'x' }, 1]],
    ['up{job!="a"}', [{ job: 'b', service: 'y' }, 0]],
    ['up{job=~"a|c"}', [{ job: 'a', service: 'x' }, 1]],
    ['up{job!~"a.*"}', [{ job: 'b', service: 'y' }, 0]],
    ['up{job=~"a", missing=""}', [{ job: 'a', service: 'x' }, 1]],
    ['up == 0', [{ job: 'b', service: 'y' }, 0]],
    ['0 == up', [{ job: 'b', service: 'y' }, 0]],
    ['up * 3 - 1', [{ job: 'a', service: 'x' }, 2], [{ job: 'b', service: 'y' }, -1]],
    ['1 - up / 2', [{ job: 'a', service: 'x' }, 0.5], [{ job: 'b', service: 'y' }, 1]],
    ['sum(up)', [{}, 1]],
    ['count(up)', [{}, 2]],
    ['min by (service) (up)', [{ service: 'x' }, 1], [{ service: 'y' }, 0]],
    ['max by (other) (up)', [{}, 1]],
    ['up and up{job="a"}', [{ job: 'a', service: 'x' }, 1]],
    ['up unless up{job="a"}', [{ job: 'b', service: 'y' }, 0]],
    ['up{job="a"} or up', [{ job: 'a', service: 'x' }, 1], [{ job: 'b', service: 'y' }, 0]],
    ['absent(up)'],
    ['absent(down{job="a",x=~"y"})', [{ job: 'a' }, 1]],
    ['absent(up{job="b"} == 1)', [{}, 1]],
    ['up > 0 and up < 2', [{ job: 'a', service: 'x' }, 1]],
  ])('%s has the result of Prometheus', (expression, ...expected) => {
    expect(run(expression, up, 540)).toEqual(expected);
  });

  it('of numbers is a number', () => {
    expect(run('24 * 3600 + (1 - 2) / 2', [], 0)).toBe(86_399.5);
  });

  it('uses a sample for five minutes, and none after the end of a series', () => {
    const all = [series('up', '1x1'), series('ended', '1x1 stale')];
    expect(run('up', all, 60 + 299)).toEqual([[{}, 1]]);
    expect(run('up', all, 60 + 300)).toEqual([]);
    expect(run('ended', all, 119)).toEqual([[{}, 1]]);
    expect(run('ended', all, 120)).toEqual([]);
  });

  it('computes the increase of counters as Prometheus does', () => {
    // 11 samples cover 600 s, and the range begins with a sample that is not included.
    expect(run('increase(c[10m])', [series('c', '0+6x20')], 600)).toEqual([[{}, expect.closeTo(60)]]);
    expect(run('rate(c[10m])', [series('c', '0+6x20')], 600)).toEqual([[{}, expect.closeTo(0.1)]]);
    // A restart: 50, 60, then 10, 20. The increase of 10 + 10 + 10 in three minutes becomes 40 in four.
    expect(run('increase(c[4m])', [series('c', '50 60 10 20')], 180)).toEqual([[{}, expect.closeTo(40)]]);
    // A counter is not extended below 0.
    expect(run('increase(c[10m])', [series('c', '_x4 0 10')], 300)).toEqual([[{}, expect.closeTo(10)]]);
    expect(run('increase(c[10m])', [series('c', '5')], 300)).toEqual([]);
  });

  it.each([
    ...['histogram_quantile(0.9, up)', 'up offset 5m', 'up[5m]', 'rate(up)', 'sum without (job) (up)'],
    ...['sum(up) by (job)', 'up == bool 1', 'up * on (job) up', 'topk(1, up)', 'avg(up)', '-up', 'up % 2', 'up ^ 2'],
    ...['up @ 5', '1 > 2', 'sum(1)', 'up and 1', 'up up', '(up', 'up{job}', 'up{job="a"', 'rate(up[1h30m])', '', '5m'],
    ...['time()', 'absent_over_time(up[5m])', 'up == NaN(1)', '1e5 * up', '$up'],
  ])('%s is rejected, because it is not supported', (expression) => {
    expect(() => evaluate(expression, up, 540)).toThrow(/./u);
  });

  it('is rejected if several values have the same labels', () => {
    const twice = [series('a{x="1"}', '1x9'), series('b{x="1"}', '1x9')];
    expect(() => evaluate('(a or b) / (a or b)', [...twice, series('c{x="1"}', '1x9')], 60)).not.toThrow();
    const result = () => evaluate('up{job=~".*"} / sum by (job) (up) / count by (none) (up)', up, 60);
    expect(result()).toEqual([]);
  });

  it('lists its metrics', () => {
    expect(metricsIn('sum(rate(a_total[5m])) / 3 > 1 and absent(b) or a_total')).toEqual(['a_total', 'b']);
  });
});

it('parseDuration_s reads one unit', () => {
  expect(['30s', '5m', '1h', '2d'].map(parseDuration_s)).toEqual([30, 300, 3_600, 172_800]);
  expect(() => parseDuration_s('1h30m')).toThrow('not a supported duration');
});

describe('a rule', () => {
  const rule = { alert: 'Down', expr: 'up == 0', for: '3m', labels: { severity: 'warning' }, annotations: {} };

  it('sends an alert when its expression has had a result for its time, and not before', () => {
    const all = [series('up{job="a"}', '1x4 0x10')];
    const times_s = [240, 300, 420, 479, 480, 540];
    expect(times_s.map((at_s) => findAlerts(rule, all, at_s).length)).toEqual([0, 0, 0, 0, 1, 1]);
    expect(findAlerts(rule, all, 540)).toEqual([{ alertname: 'Down', job: 'a', severity: 'warning' }]);
  });

  it('starts its time again after an interruption, and for each set of labels', () => {
    expect(findAlerts(rule, [series('up', '0x2 1 0x9')], 240)).toEqual([]);
    expect(findAlerts(rule, [series('up{x="1"}', '0x2 1 0x9'), series('up{x="2"}', '0x9')], 240)).toHaveLength(1);
  });

  it('sends an alert at once without a time', () => {
    expect(findAlerts({ ...rule, for: '0s' }, [series('up', '0')], 0)).toHaveLength(1);
  });
});

describe('the text format of metrics', () => {
  it('is parsed with labels, escapes and special values', () => {
    const text = '# HELP a b\n# TYPE a gauge\na 1\nb{x="1",y="a\\"\\\\\\n}"} 2.5\nc{le="+Inf"} +Inf\nd NaN 123\n';
    expect(parseMetrics(text)).toEqual([
      { name: 'a', labels: {}, value: 1 },
      { name: 'b', labels: { x: '1', y: 'a"\\\n}' }, value: 2.5 },
      { name: 'c', labels: { le: '+Inf' }, value: Number.POSITIVE_INFINITY },
      { name: 'd', labels: {}, value: Number.NaN },
    ]);
  });

  it('is recorded with the labels of the process, its availability, and the ends of series', () => {
    const recording = createRecording();
    const process = { job: 'alpenglow', instance: 'one' };
    recording.add(process, 0, 'a 1\nb 2\n');
    recording.add(process, 15, 'a 3\n');
    recording.add(process, 30, null);
    recording.add(process, 45, null);
    const samplesOf = (name: string) => recording.series().find((each) => each.name === name)?.samples;
    expect(samplesOf('a')).toEqual([1, 3, null].map((value, index) => ({ at_s: index * 15, value })));
    expect(samplesOf('b')).toEqual([2, null].map((value, index) => ({ at_s: index * 15, value })));
    expect(samplesOf('up')?.map(({ value }) => value)).toEqual([1, 1, 0, 0]);
    for (const { labels } of recording.series()) expect(labels).toEqual(process);
  });
});

it('parseInputSeries reads the notation of promtool', () => {
  const values = (text: string) => series('a{b="c"}', text).samples.map(({ at_s, value }) => [at_s / 60, value]);
  expect(series('a{b="c"}', '1').labels).toEqual({ b: 'c' });
  expect(values('1x2 _ 5-2x1 stale')).toEqual([
    ...([0, 1, 2] as const).map((index) => [index, 1]),
    ...[
      [4, 5],
      [5, 3],
      [6, null],
    ],
  ]);
  expect(values('_x2 7 1.5+0.5x1')).toEqual([
    [2, 7],
    [3, 1.5],
    [4, 2],
  ]);
  expect(() => values('x')).toThrow('not supported');
});
