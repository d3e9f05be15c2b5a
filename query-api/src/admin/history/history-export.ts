import { once } from 'node:events';
import { setImmediate as breathe } from 'node:timers/promises';
import type { EventStore, HistoryEntryView, Told } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';
import { actorsOf, entryOf, readNames } from './history-entries.ts';
import { tell, type Thing } from './told-stream.ts';

const BATCH = 200;
const COLUMNS = [
  'revision',
  'position',
  'at',
  'type',
  'actor_kind',
  'actor_id',
  'actor_name',
  'correlation_id',
  'causation_id',
  'event_id',
  'field',
  'before',
  'after',
] as const;

interface Source<State> {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly thing: Thing<State>;
  readonly type: string | null;
}

/**
 * Answers a whole history as a file, the first event first: as JSON in the shape of its pages, or as CSV with a row for each changed field.
 * Written as it is read, so that a long one takes no more memory than a short one; ends where the client goes away.
 */
export async function sendHistoryFile<State>(
  res: Response,
  source: Source<State>,
  { name, format }: { readonly name: string; readonly format: 'json' | 'csv' },
): Promise<void> {
  const { head, partOf, tail } = format === 'json' ? asJson() : asCsv();
  res
    .setHeader('Content-Disposition', `attachment; filename="${name}.${format}"`)
    .setHeader('Cache-Control', 'no-store');
  res.type(format === 'json' ? 'application/json' : 'text/csv; charset=utf-8');
  res.write(head);
  for await (const entries of batches(source)) {
    if (res.closed) return;
    if (!res.write(partOf(entries))) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    await breathe();
  }
  res.end(tail);
}

async function* batches<State>({
  store,
  pool,
  thing,
  type,
}: Source<State>): AsyncGenerator<readonly HistoryEntryView[]> {
  let batch: Told<State>[] = [];
  const entries = async () => {
    const names = await readNames(pool, actorsOf(batch));
    return batch.map((told) => entryOf(told, thing.telling, names));
  };
  for await (const told of tell(store, thing)) {
    if (type !== null && told.event.type !== type) continue;
    batch.push(told);
    if (batch.length < BATCH) continue;
    yield await entries();
    batch = [];
  }
  if (batch.length > 0) yield await entries();
}

function asJson() {
  let isFirst = true;
  return {
    head: '{"success":true,"data":[',
    partOf(entries: readonly HistoryEntryView[]): string {
      const text = entries.map((entry) => JSON.stringify(entry)).join(',\n');
      const part = isFirst ? text : `,\n${text}`;
      isFirst = false;
      return part;
    },
    tail: '],"nextCursor":null}\n',
  };
}

function asCsv() {
  // Whoever opens the file in a spreadsheet must not run what a member wrote into an ad.
  const write = (rows: readonly (readonly unknown[])[]) =>
    stringify(rows as unknown[][], { escape_formulas: true, record_delimiter: '\r\n' });
  return {
    // Spreadsheets take a file for UTF-8 only with this mark.
    head: `\uFEFF${write([COLUMNS])}`,
    partOf: (entries: readonly HistoryEntryView[]) => write(entries.flatMap(rowsOf)),
    tail: '',
  };
}

function rowsOf({
  id,
  type,
  revision,
  position,
  at,
  actor,
  correlationId,
  causationId,
  changes,
  details,
}: HistoryEntryView): readonly (readonly unknown[])[] {
  const event = [revision, position, at, type, actor.kind, actor.id, actor.name, correlationId, causationId, id];
  const said = details.map(({ name, value }) => [name, '', value]);
  const changed = changes.map(({ field, before, after }) => [field, textOf(before), textOf(after)]);
  const rows = [...changed, ...said];
  return rows.length === 0 ? [[...event, '', '', '']] : rows.map((row) => [...event, ...row]);
}

function textOf(value: HistoryEntryView['changes'][number]['before']): string {
  return value === null ? '' : typeof value === 'object' ? value.join(' ') : String(value);
}
