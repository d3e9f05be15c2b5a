import { GOALS, type Goal, type GoalName } from './goals.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The goal of the figure, such as "≥ 0.95", or null if it has none. */
  readonly goal: string | null;
  readonly met: boolean | null;
}

/** Table of the figures of a benchmark. Its rows are in the order in which the figures were added. */
export interface Figures {
  atLeast(name: string, value: number, unit: string, goal: number): void;
  atMost(name: string, value: number, unit: string, goal: number): void;
  /** Adds a figure without a goal. */
  report(name: string, value: number, unit: string): void;
  /** Adds a figure of `GOALS`. */
  goal(name: GoalName, value: number): void;
  readonly all: readonly Figure[];
}

export function createFigures(): Figures {
  const all: Figure[] = [];
  const add = (name: string, value: number, unit: string, limits: Pick<Goal, 'atLeast' | 'atMost'>) =>
    void all.push({ name, value, unit, goal: formatGoal(limits), met: isMet(value, limits) });
  return {
    atLeast: (name, value, unit, goal) => add(name, value, unit, { atLeast: goal }),
    atMost: (name, value, unit, goal) => add(name, value, unit, { atMost: goal }),
    report: (name, value, unit) => add(name, value, unit, {}),
    goal(name, value) {
      const goal: Goal = GOALS[name];
      add(goal.name, value, goal.unit, goal);
    },
    all,
  };
}

/** Returns the text of a goal, such as "≥ 0.95", or null if there is none. */
function formatGoal({ atLeast, atMost }: Pick<Goal, 'atLeast' | 'atMost'>): string | null {
  if (atLeast !== undefined) return `≥ ${atLeast.toLocaleString('en')}`;
  return atMost === undefined ? null : `≤ ${atMost.toLocaleString('en')}`;
}

function isMet(value: number, { atLeast, atMost }: Pick<Goal, 'atLeast' | 'atMost'>): boolean | null {
  if (atLeast !== undefined) return value >= atLeast;
  return atMost === undefined ? null : value <= atMost;
}

/**
 * Prints each figure with its goal, and whether it meets the goal. If `before` is given, prints the value that a figure
 * had before, by its name.
 */
export function printFigures(figures: readonly Figure[], before: ReadonlyMap<string, number> = new Map()): void {
  const rows = figures.map(({ name, value, unit, goal, met }) => {
    const earlier = before.get(name);
    return [
      name,
      `${formatNumber(value)} ${unit}`,
      ...(before.size > 0 ? [earlier === undefined ? '' : `(last release ${formatNumber(earlier)})`] : []),
      goal ?? '',
      met === null ? '' : met ? 'met' : 'MISSED',
    ];
  });
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
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
