import { Readable, type ReadableOptions } from 'node:stream';
import { convertToCommandError, StreamNotFoundError } from '@eventstore/db-client';
import type { ReceivedEvent } from './envelope.ts';
import type { ReadMessage } from './wire-reader.ts';

/** The received events of a stream. Each has the size of its message. */
export interface StreamedEvent {
  readonly event: ReceivedEvent;
  readonly size_bytes: number;
}

/** A call of gRPC that returns `ReadMessage`s. */
export type ReadCall = Readable & { cancel(): void };

/**
 * The size of the messages that a stream buffers. While the buffer is full, the server waits. A single event may be
 * larger.
 */
const BUFFER_bytes = 4 * 1024 * 1024;
/** The gRPC status code of a canceled call. */
const CANCELLED = 1;

/**
 * The events of a read or of a subscription, with the behavior of the streams of the client: an error does not destroy
 * the stream, so that the events before it can still be read. Unlike the client, it has no intermediate object for each
 * event, and it limits the buffered bytes as well as the number of events (`highWaterMark`).
 */
export class EventStream extends Readable {
  readonly #call: Promise<ReadCall>;
  #source: ReadCall | null = null;
  #buffered_bytes = 0;
  #isFull = false;
  #hasFailed = false;
  readonly #isConnectionLost: () => boolean;

  /** `isConnectionLost` returns true if the connection of the call has broken since the call was created. */
  constructor(call: Promise<ReadCall>, { highWaterMark }: ReadableOptions, isConnectionLost: () => boolean) {
    super({ objectMode: true, ...(highWaterMark !== undefined && { highWaterMark }) });
    this.#call = call;
    this.#isConnectionLost = isConnectionLost;
    // An error without a listener ends the process. It may arrive before the caller reads.
    this.on('error', () => (this.#hasFailed = true));
    call.then(
      (source) => this.#start(source),
      (error: unknown) => this.emit('error', error),
    );
  }

  /**
   * True if the call has failed, or its connection has broken, also after the last message of the call. Events that
   * have arrived before can still be read.
   */
  get isBroken(): boolean {
    return this.#hasFailed || this.#isConnectionLost();
  }

  #start(source: ReadCall): void {
    this.#source = source;
    source
      .on('error', (error: Error & { readonly code?: number; readonly details?: string }) => {
        if (error.code === CANCELLED && error.details === 'Cancelled on client') return;
        this.emit('error', 'code' in error ? convertToCommandError(error) : error);
      })
      .on('end', () => this.push(null))
      .on('data', (message: ReadMessage) => this.#receive(message));
  }

  #receive({ event, unknownStream, size_bytes }: ReadMessage): void {
    if (unknownStream !== undefined) this.emit('error', new StreamNotFoundError(undefined, unknownStream));
    if (!event) return;
    this.#buffered_bytes += size_bytes;
    const hasRoom = this.push({ event, size_bytes } satisfies StreamedEvent);
    if (hasRoom && this.#buffered_bytes < BUFFER_bytes) return;
    this.#isFull = true;
    this.#source?.pause();
  }

  override read(size?: number): StreamedEvent | null {
    const next = super.read(size) as StreamedEvent | null;
    if (next !== null) this.#buffered_bytes -= next.size_bytes;
    if (this.#isFull && this.readableLength < this.readableHighWaterMark && this.#buffered_bytes < BUFFER_bytes) {
      this.#isFull = false;
      this.#source?.resume();
    }
    return next;
  }

  override _read(): void {
    // Node calls this when the buffer has room. The events arrive on their own, so there is nothing to request.
  }

  /** Ends the call of a read, and destroys the stream. Events that have arrived can no longer be read. */
  cancel(): Promise<void> {
    return this.#end();
  }

  /** Ends the call of a subscription, and destroys the stream. Events that have arrived can no longer be read. */
  unsubscribe(): Promise<void> {
    return this.#end();
  }

  async #end(): Promise<void> {
    this.destroy();
    const source = await this.#call;
    // A call is released only when all its messages have been read, also if the server has already completed it.
    source.removeAllListeners('data').resume();
    // grpc-js must not cancel a call in the same turn in which it was created.
    setImmediate(() => source.cancel());
  }
}
