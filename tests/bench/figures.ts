export interface Figure {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  /** Null where there is nothing to be held against. */
  readonly target: string | null;
  readonly met: boolean | null;
}

/** The table of a benchmark, filled in its order. */
export interface Figures {
  atLeast(name: string, measured: number, unit: string, target: number): void;
  atMost(name: string, measured: number, unit: string, target: number): void;
  /** A figure without a target. */
  say(name: string, measured: number, unit: string): void;
  readonly all: readonly Figure[];
}

export function createFigures(): Figures {
  const all: Figure[] = [];
  return {
    atLeast: (name, measured, unit, target) =>
      void all.push({ name, measured, unit, target: `≥ ${target}`, met: measured >= target }),
    atMost: (name, measured, unit, target) =>
      void all.push({ name, measured, unit, target: `≤ ${target}`, met: measured <= target }),
    say: (name, measured, unit) => void all.push({ name, measured, unit, target: null, met: null }),
    all,
  };
}

/** Prints the table: what was measured, the target, and whether it was met. */
export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map(({ name, measured, unit, target, met }) => [
    name,
    `${shown(measured)} ${unit}`,
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

/** Three digits that say something. */
function shown(value: number): string {
  if (value >= 1000) return String(Math.round(value));
  return value !== 0 && Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2);
}
