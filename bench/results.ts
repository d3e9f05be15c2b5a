import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Figure } from './figures.ts';

/** Writes the results of a benchmark with the time and the machine to a JSON file in `bench`, which Git ignores. */
export async function writeResults(root: string, name: string, results: object): Promise<void> {
  const machine = { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version };
  const content = { at: new Date().toISOString(), machine, ...results };
  await writeFile(path.join(root, 'bench', name), `${JSON.stringify(content, null, 2)}\n`);
}

/** Writes figures as an array of `{ name, value, unit, goal, met }` to a file. */
export async function writeFigures(file: string, figures: readonly Figure[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
}

/** Returns the figures of the last release by name (`bench/last-release.json`). */
export async function readLastRelease(root: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(path.join(root, 'bench/last-release.json'), 'utf8');
  return new Map((JSON.parse(text) as readonly Figure[]).map(({ name, value }) => [name, value]));
}
