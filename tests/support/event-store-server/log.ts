/** An event of the test server. */
export interface ServerEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
  /** The byte offset of its record in the log. */
  readonly commit: number;
  /** The prepare position. In the log of `createServerLog`, it equals `commit`, as in EventStoreDB. */
  readonly prepare: number;
}

/** An event as a client sends it. */
export type ProposedEvent = Pick<ServerEvent, 'id' | 'type' | 'isJson' | 'data' | 'metadata'>;

/** The revision that a stream must have before an append. -1 means that the stream must not exist. */
export type RequiredRevision = number | 'any';

export type AppendOutcome =
  | { readonly isWritten: true; readonly last: ServerEvent }
  | { readonly isWritten: false; readonly current: number };

/** The bytes of a record that are not part of its event. */
const RECORD_bytes = 64;

/**
 * Creates the log of the test server. It follows these rules of EventStoreDB: positions are byte offsets of records. An
 * append is rejected if its stream has another revision than required, but it succeeds again if its events are already
 * at this revision. Events that are not replicated yet count for the revision of their stream, but no read returns
 * them.
 */
export function createServerLog() {
  const events: ServerEvent[] = [];
  const streams = new Map<string, ServerEvent[]>();
  let end = RECORD_bytes;
  /** The number of the last events that reads do not return yet. */
  let unreplicated = 0;

  /** Returns the index of the first event at an offset or after it. */
  function indexFrom(commit: number): number {
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((events[middle]?.commit ?? Infinity) < commit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const replicated = () => events.length - unreplicated;
  const isReplicated = ({ commit }: ServerEvent) => unreplicated === 0 || indexFrom(commit) < replicated();

  function append(stream: string, required: RequiredRevision, proposed: readonly ProposedEvent[]): AppendOutcome {
    const stored = streams.get(stream) ?? [];
    const current = stored.length - 1;
    const first = required === 'any' ? current + 1 : required + 1;
    const existing = stored.slice(first, first + proposed.length);
    const isRepeated =
      existing.length === proposed.length && existing.every(({ id }, index) => id === proposed[index]?.id);
    if (isRepeated) return { isWritten: true, last: existing.at(-1) as ServerEvent };
    if (first !== current + 1) return { isWritten: false, current };
    for (const [index, event] of proposed.entries()) {
      const added: ServerEvent = { ...event, stream, revision: first + index, commit: end, prepare: end };
      events.push(added);
      stored.push(added);
      end += RECORD_bytes + event.data.length + event.metadata.length;
    }
    streams.set(stream, stored);
    return { isWritten: true, last: stored.at(-1) as ServerEvent };
  }

  return {
    append,
    /** Returns the events from an offset on that reads return, in order. */
    from: (commit: number): readonly ServerEvent[] => events.slice(indexFrom(commit), replicated()),
    /** Returns the events before an offset that reads return, in order. */
    before: (commit: number): readonly ServerEvent[] => events.slice(0, Math.min(indexFrom(commit), replicated())),
    /** Returns the events of a stream that reads return, in order. */
    ofStream: (stream: string): readonly ServerEvent[] => (streams.get(stream) ?? []).filter(isReplicated),
    /** Returns true if an offset is inside a record. */
    isInsideRecord: (commit: number): boolean =>
      commit > 0 && commit < end && events[indexFrom(commit)]?.commit !== commit,
    /** Returns the offset after the last record. */
    end: (): number => end,
    /** Hides the last events from reads, until it is called with 0. */
    hideLast(count: number): void {
      unreplicated = count;
    },
    /** Removes the events from an offset on, like the restore of an older backup. */
    truncate(commit: number): void {
      events.splice(indexFrom(commit));
      for (const [name, stored] of streams)
        streams.set(
          name,
          stored.filter((event) => event.commit < commit),
        );
      end = commit;
    },
  };
}

export type ServerLog = ReturnType<typeof createServerLog>;
