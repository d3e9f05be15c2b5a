import type { PartResult } from './run-part.ts';

const WIDTH = 1_200;
const HEIGHT = 260;
const MARGIN = 50;
const BUCKETS = 300;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Returns a self-contained HTML page with a timeline of disruptions, latencies of calls, and lag of projections. */
export function renderPage({ seed, calls, disruptions, samples, anomalies, start_ms, end_ms }: PartResult): string {
  const span_ms = Math.max(1, end_ms - start_ms);
  const xOf = (at_ms: number) => MARGIN + ((at_ms - start_ms) / span_ms) * (WIDTH - 2 * MARGIN);
  const bands = disruptions.map(({ kind, target, start_ms: from, end_ms: to, loses }) => {
    const width = Math.max(2, xOf(to) - xOf(from));
    const title = escape(`${kind} ${target}, ${to - from} ms${loses ? ', commits lost' : ''}`);
    return `<rect x="${xOf(from).toFixed(1)}" y="0" width="${width.toFixed(1)}" height="${HEIGHT}" class="${
      loses ? 'loss' : 'band'
    }">
<title>${title}</title></rect>`;
  });
  const points = new Map<number, number>();
  for (const { start_ms: at_ms, end_ms: ended_ms } of calls) {
    const bucket = Math.floor(((at_ms - start_ms) / span_ms) * BUCKETS);
    points.set(bucket, Math.max(points.get(bucket) ?? 0, ended_ms - at_ms));
  }
  const latencies = [...points].sort(([a], [b]) => a - b);
  const chart = (title: string, unit: string, values: readonly (readonly [number, number])[]) => {
    const top = Math.max(1, ...values.map(([, value]) => value));
    const line = values
      .map(([at_ms, value]) => `${xOf(at_ms).toFixed(1)},${(HEIGHT - (value / top) * (HEIGHT - 20)).toFixed(1)}`)
      .join('\n');
    return `<h2>${escape(title)}</h2><svg viewBox="0 0 ${WIDTH} ${HEIGHT}">
${bands.join('\n')}
<polyline points="${line}"/>
<text x="4" y="14">${top} ${unit}</text></svg>`;
  };
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Checker, seed ${seed}</title>
<style>body{font:14px system-ui;margin:2em}svg{width:100%;border:1px solid #ccc}polyline{fill:none;stroke:#036}
.band{fill:#fa0;opacity:.3}.loss{fill:#d00;opacity:.4}pre{white-space:pre-wrap}</style>
<h1>Seed ${seed}: ${calls.length} operations, ${disruptions.length} disruptions, ${anomalies.length} anomalies</h1>
<p>Bands are disruptions. Commits were lost in red bands. ${Math.round(span_ms / 1000)} s.</p>
${chart(
  'Slowest call',
  'ms',
  latencies.map(([bucket, value]) => [start_ms + (bucket / BUCKETS) * span_ms, value] as const),
)}
${chart(
  'Lag of the slowest projection',
  'events',
  samples.map(({ at_ms, lag_events }) => [at_ms, lag_events] as const),
)}
<h2>Disruptions</h2><pre>${escape(
    disruptions.map((one) => `${((one.start_ms - start_ms) / 1000).toFixed(1)} s ${one.kind} ${one.target}`).join('\n'),
  )}</pre>
<h2>Anomalies</h2><pre>${escape(
    anomalies.map(({ check, message, evidence }) => [`${check}: ${message}`, ...evidence].join('\n  ')).join('\n'),
  )}</pre></html>
`;
}
