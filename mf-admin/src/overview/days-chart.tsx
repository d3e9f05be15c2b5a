import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useLocale } from '@alpenglow/ui';
import styles from './days-card.module.css';

export interface DayCount {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly count: number;
}

const DAY_s = 86_400;
/** As the site's texts. */
const FONT = '12px "Figtree Variable", system-ui, sans-serif';
const BAR = { share: 0.7, max_px: 24 };

/** A bar a day. The figures themselves stand beside it as a table: to a screen reader this is a picture. */
export function DaysChart({ days, labelledBy }: { readonly days: readonly DayCount[]; readonly labelledBy: string }) {
  const locale = useLocale();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const newest = useRef(days);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsOf(element, locale), dataOf(newest.current), element);
    };
    draw();
    const sizes = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    sizes.observe(element);
    // A canvas does not follow the theme by itself: the site's own choice stands at the root, the system's is asked of the browser.
    const themes = new MutationObserver(draw);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      system.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [locale]);

  useEffect(() => {
    newest.current = days;
    chart.current?.setData(dataOf(days));
  }, [days]);

  return <div ref={box} role="img" aria-labelledby={labelledBy} className={styles['chart']} />;
}

function dataOf(days: readonly DayCount[]): uPlot.AlignedData {
  return [days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000), days.map(({ count }) => count)];
}

function optionsOf(element: HTMLElement, locale: string): uPlot.Options {
  const accent = getComputedStyle(element).color;
  const muted = colorOf(element, '--color-muted');
  const line = colorOf(element, '--color-line');
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const bars = uPlot.paths.bars?.({ size: [BAR.share, BAR.max_px] });
  const axis = { stroke: muted, font: FONT, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    // Half a day on either side, so that the first and the last bar are whole; a place where nothing happened yet has a scale as well.
    scales: {
      x: { time: false, range: (_plot, min, max) => [min - DAY_s / 2, max + DAY_s / 2] },
      y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: [7 * DAY_s],
        values: (_plot, splits) => splits.map((at_s) => day.format(at_s * 1000)),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000],
        values: (_plot, splits) => splits.map((count) => count.toLocaleString(locale)),
      },
    ],
    series: [{}, { fill: accent, stroke: accent, width: 0, points: { show: false }, ...(bars && { paths: bars }) }],
  };
}

/** A colour of the theme as a canvas takes it: a variable alone is not worked out. */
function colorOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
