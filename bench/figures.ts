export interface Figure {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  /** Target value of the figure, or null if it has no target. */
  readonly target: string | null;
  readonly met: boolean | null;
}

/** Table of the figures of a benchmark. Its rows are in the order in which the figures were added. */
export interface Figures {
  atLeast(name: string, measured: number, unit: string, target: number): void;
  atMost(name: string, measured: number, unit: string, target: number): void;
  /** Adds a figure without a target. */
  report(name: string, measured: number, unit: string): void;
  readonly all: readonly Figure[];
}

export function createFigures(): Figures {
  const all: Figure[] = [];
  return {
    atLeast: (name, measured, unit, target) =>
      void all.push({ name, measured, unit, target: `≥ ${target}`, met: measured >= target }),
    atMost: (name, measured, unit, target) =>
      void all.push({ name, measured, unit, target: `≤ ${target}`, met: measured <= target }),
    report: (name, measured, unit) => void all.push({ name, measured, unit, target: null, met: null }),
    all,
  };
}

/** Prints each figure with its target. States whether the figure meets the target. */
export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map(({ name, measured, unit, target, met }) => [
    name,
    `${formatNumber(measured)} ${unit}`,
    target ?? '',
    met === null ? '' : met ? 'met' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

/** Formats a number with about three significant digits. */
function formatNumber(value: number): string {
  if (value >= 1000) return String(Math.round(value));
  return value !== 0 && Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2);
}
