import { once } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { HistoryEntryView, HistoryStep } from '@alpenglow/domain';
import { getCloseSignal } from '@alpenglow/infra';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';
import type { Dependencies } from '../../dependencies.ts';
import { readNames } from '../../read-names.ts';
import { createHistoryEntry, listActors, listChangedAccounts } from './history-entries.ts';
import { readChanges, type HistorySource } from './history-reader.ts';

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

interface ExportSource<State> extends Dependencies<'store' | 'pool'> {
  readonly thing: HistorySource<State>;
  readonly type: string | null;
}

/**
 * Sends the complete history of an ad, an account or a thread as a file. The file contains the events in their order.
 * The format is the same JSON as in the paged API, or CSV with one row for each changed field. The file is streamed, so
 * that its length does not affect the memory use. The function stops when the client disconnects.
 */
export async function sendHistoryFile<State>(
  res: Response,
  source: ExportSource<State>,
  { name, format }: { readonly name: string; readonly format: 'json' | 'csv' },
): Promise<void> {
  const { head, partOf, tail } = format === 'json' ? createJsonWriter(source.pool) : createCsvWriter();
  res
    .setHeader('Content-Disposition', `attachment; filename="${name}.${format}"`)
    .setHeader('Cache-Control', 'no-store');
  res.type(format === 'json' ? 'application/json' : 'text/csv; charset=utf-8');
  const signal = getCloseSignal(res);
  res.write(head);
  for await (const entries of readBatches(source)) {
    if (res.closed) return;
    if (!res.write(partOf(entries))) await once(res, 'drain', { signal }).catch(() => undefined);
    await yieldToEventLoop();
  }
  res.end(await tail());
}

async function* readBatches<State>({
  store,
  pool,
  thing,
  type,
}: ExportSource<State>): AsyncGenerator<readonly HistoryEntryView[]> {
  let batch: HistoryStep<State>[] = [];
  const entries = async () => {
    const names = await readNames(pool, listActors(batch));
    return batch.map((change) => createHistoryEntry(change, thing.fold, names));
  };
  for await (const change of readChanges(store, thing)) {
    if (type !== null && change.event.type !== type) continue;
    batch.push(change);
    if (batch.length < BATCH) continue;
    yield await entries();
    batch = [];
  }
  if (batch.length > 0) yield await entries();
}

function createJsonWriter(pool: Dependencies<'pool'>['pool']) {
  let isFirst = true;
  const mentioned = new Set<string>();
  return {
    head: '{"success":true,"data":[',
    partOf(entries: readonly HistoryEntryView[]): string {
      const text = entries.map((entry) => JSON.stringify(entry)).join(',\n');
      const part = isFirst ? text : `,\n${text}`;
      isFirst = false;
      for (const accountId of listChangedAccounts(entries)) mentioned.add(accountId);
      return part;
    },
    tail: async () =>
      `],"nextCursor":null,"names":${JSON.stringify(Object.fromEntries(await readNames(pool, [...mentioned])))}}\n`,
  };
}

function createCsvWriter() {
  // Formulas are escaped, so that a spreadsheet does not execute text that a user has written.
  const write = (rows: readonly (readonly unknown[])[]) =>
    stringify(rows as unknown[][], { escape_formulas: true, record_delimiter: '\r\n' });
  return {
    // The file starts with a byte order mark, because spreadsheets recognize UTF-8 only with this mark.
    head: `\uFEFF${write([COLUMNS])}`,
    partOf: (entries: readonly HistoryEntryView[]) => write(entries.flatMap(createRows)),
    tail: () => Promise.resolve(''),
  };
}

function createRows({
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
  const detailRows = details.map(({ name, value }) => [name, '', value]);
  const changeRows = changes.map(({ field, before, after }) => [field, toText(before), toText(after)]);
  const rows = [...changeRows, ...detailRows];
  return rows.length === 0 ? [[...event, '', '', '']] : rows.map((row) => [...event, ...row]);
}

function toText(value: HistoryEntryView['changes'][number]['before']): string {
  return value === null ? '' : typeof value === 'object' ? value.join(' ') : String(value);
}
