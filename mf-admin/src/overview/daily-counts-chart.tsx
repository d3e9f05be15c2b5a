import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useLocale } from '@alpenglow/ui';
import styles from './days-card.module.css';

export interface DailyCount {
  /** Day in UTC, such as `2026-12-31`. */
  readonly day: string;
  readonly count: number;
}

const DAY_s = 86_400;
/** The font of the site. It is set here, because a canvas does not inherit the font of the page. */
const FONT = '12px "Figtree Variable", system-ui, sans-serif';
const BAR = { share: 0.7, max_px: 24 };

/**
 * A chart with one bar per day. Screen readers treat the chart as an image, because the table next to it contains the
 * numbers.
 */
export function DailyCountsChart({
  days,
  labelledBy,
}: {
  readonly days: readonly DailyCount[];
  readonly labelledBy: string;
}) {
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
    // The chart is drawn again when the theme changes, because the colors of a canvas do not follow the theme. The
    // theme of the site is an attribute of the root element. The theme of the operating system is available as a media
    // query.
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

function dataOf(days: readonly DailyCount[]): uPlot.AlignedData {
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
    // The range of days includes half a day on both sides, so that the first and the last bar are fully visible. The
    // range of counts ends at 5 or higher, so that even an empty chart has a scale.
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

/** Returns the computed value of a theme color, because a canvas cannot resolve CSS variables. */
function colorOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
