import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createMetrics } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../launcher/docs/pages.ts';

// Compares the dashboards of Grafana with the metrics of the services.

interface Panel {
  readonly title: string;
  readonly datasource: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly Panel[];
}

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'infra/deploy/grafana');
const dashboards = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Dashboard] as const);

/** The labels that Prometheus itself adds, and that of histograms. */
const COMMON_LABELS = ['job', 'instance', 'le'];

/** Returns the labels of each time series, by its name. Histograms have three series. */
async function readSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const series = new Map<string, readonly string[]>();
  const add = (name: string, type: string, labels: readonly string[]) => {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name];
    for (const each of names) series.set(each, labels);
  };
  const rows = (PAGES['docs/metrics.md']?.(root) ?? '').matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gmu);
  for (const [, name = '', type = '', labels = ''] of rows)
    add(
      name,
      type,
      [...labels.matchAll(/`(\w+)`/gu)].map(([, label = '']) => label),
    );
  expect(series.size).toBeGreaterThan(25);
  // The default metrics of Node are not in the document.
  for (const { name, type } of await createMetrics().getMetricsAsJSON()) add(name, String(type), []);
  return series;
}

/** Returns the names of the series and of the labels in an expression. */
function parseExpression(expression: string) {
  const labels = [...expression.matchAll(/\b(?:by|without) \(([^)]*)\)|\{([^}]*)\}/gu)].flatMap(
    ([, grouped, selected]) =>
      grouped === undefined
        ? [...(selected ?? '').matchAll(/(\w+)\s*[=!]~?/gu)].map(([, label = '']) => label)
        : grouped.split(',').map((label) => label.trim()),
  );
  const plain = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|without) \([^)]*\)|"[^"]*"/gu, ' ');
  const names = [...plain.matchAll(/\b[a-z_]\w*\b(?!\s*\()/gu)].map(([name]) => name);
  return { labels, names: names.filter((name) => !['by', 'or', 'and', 'unless', 'bool'].includes(name)) };
}

describe.each(dashboards)('the dashboard %s', (_name, dashboard) => {
  test('uses only metrics and labels that the services have', async () => {
    const series = await readSeries();
    for (const { title, targets } of dashboard.panels)
      for (const { expr, legendFormat } of targets) {
        const { names, labels } = parseExpression(expr);
        expect(names.length, `${title}: ${expr}`).toBeGreaterThan(0);
        expect(
          names.filter((name) => !series.has(name)),
          `${title}: ${expr}`,
        ).toEqual([]);
        const known = [...COMMON_LABELS, ...names.flatMap((name) => series.get(name) ?? [])];
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label = '']) => label);
        expect(
          [...labels, ...shown].filter((label) => !known.includes(label)),
          `${title}: ${expr}`,
        ).toEqual([]);
      }
  });

  test('groups by each label that its legend names', () => {
    for (const { title, targets } of dashboard.panels)
      for (const { expr, legendFormat } of targets) {
        const { labels } = parseExpression(expr);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label = '']) => label);
        expect(
          shown.filter((label) => !labels.includes(label)),
          `${title}: ${legendFormat}`,
        ).toEqual([]);
      }
  });

  test('has titles and units, panels that do not overlap, and a list of data sources', () => {
    const cells = new Set<string>();
    expect(dashboard.panels.length).toBeGreaterThan(5);
    for (const { title, datasource, gridPos, fieldConfig } of dashboard.panels) {
      expect(title).toMatch(/^[A-Z]/u);
      expect(fieldConfig.defaults.unit, title).toMatch(/^\w+$/u);
      expect(datasource, title).toEqual({ type: 'prometheus', uid: '${datasource}' });
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells, title).not.toContain(`${x} ${y}`);
          cells.add(`${x} ${y}`);
          expect(x, title).toBeLessThan(24);
        }
    }
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', query: 'prometheus' });
  });
});

test('each dashboard has its own id and title', () => {
  for (const read of [({ uid }: Dashboard) => uid, ({ title }: Dashboard) => title])
    expect(new Set(dashboards.map(([, dashboard]) => read(dashboard))).size).toBe(dashboards.length);
});
