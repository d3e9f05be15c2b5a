import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A row of `bench/last-release.json`, which `npm run bench -- --json <file>` has written. */
interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string | null;
  readonly met: boolean | null;
}

const PAGE = 'docs/scaling.md';
const BEGIN = '<!-- begin of the figures of the last release -->';
const END = '<!-- end of the figures of the last release -->';

/**
 * Returns the page about scaling, with the figures of the last release between its two marks. The rest of the page is
 * written by hand.
 */
export function createGoalsPage(root: string): string {
  const page = readFileSync(path.join(root, PAGE), 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks the marks of the generated table`);
  const figures = JSON.parse(readFileSync(path.join(root, 'bench/last-release.json'), 'utf8')) as readonly Figure[];
  const rows = figures
    .filter(({ goal }) => goal !== null)
    .map(({ name, value, unit, goal, met }) => {
      const cells = [name, `${format(value)} ${unit}`, goal, met ? 'yes' : 'no'];
      return `| ${cells.join(' | ')} |`;
    });
  const table = ['| figure | last release | goal | met |', '|---|---|---|---|', ...rows];
  return [before + BEGIN, ...table, END + after].join('\n');
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
