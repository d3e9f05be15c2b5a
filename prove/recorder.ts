import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Call, Disruption, HistoryEntry, Read, Sample } from './history.ts';

/** Collects the history of a run, and writes each entry as one JSON line. */
export interface Recorder {
  readonly calls: readonly Call[];
  readonly reads: readonly Read[];
  readonly disruptions: readonly Disruption[];
  readonly samples: readonly Sample[];
  /** Ids of all calls that clients have sent, also of calls without a recorded outcome. */
  readonly sent: ReadonlySet<string>;
  /** Must be called before the first request of a call, because its events may exist before its outcome is recorded. */
  begin(callId: string): void;
  record(entry: HistoryEntry): void;
  close(): Promise<void>;
}

/** Creates a recorder that writes to the file `file`. */
export function createRecorder(file: string): Recorder {
  const output = createWriteStream(file);
  const entries: { [Type in HistoryEntry['type']]: Extract<HistoryEntry, { type: Type }>[] } = {
    call: [],
    read: [],
    disruption: [],
    sample: [],
  };
  const sent = new Set<string>();
  return {
    sent,
    begin: (callId) => void sent.add(callId),
    calls: entries.call,
    reads: entries.read,
    disruptions: entries.disruption,
    samples: entries.sample,
    record(entry) {
      (entries[entry.type] as HistoryEntry[]).push(entry);
      output.write(`${JSON.stringify(entry)}\n`);
    },
    async close() {
      output.end();
      await finished(output);
    },
  };
}
