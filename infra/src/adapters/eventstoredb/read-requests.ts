import type { Filter, ReadPosition, ReadRevision } from '@eventstore/db-client';
import { createStreamIdentifier } from '@eventstore/db-client/dist/utils/grpcStreamIdentifier.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';

/** The maximum number of events of a read, and its direction. */
export interface ReadRange {
  /** The maximum number of events. Default: no limit. */
  readonly maxCount?: number | bigint;
  /** Default: forwards. */
  readonly direction?: 'forwards' | 'backwards';
}

/** The numbers with which the protocol names the directions. */
const DIRECTIONS = { forwards: 0, backwards: 1 } as const;

/** Returns the request of a read of all streams. */
export function createReadAllRequest(fromPosition: ReadPosition, range: ReadRange): ReadReq {
  const options = createOptions();
  options.setAll(toAllOptions(fromPosition));
  setRange(options, range);
  options.setNoFilter(new shared.Empty());
  return new messages.ReadReq().setOptions(options);
}

/** Returns the request of a read of one stream. */
export function createReadStreamRequest(stream: string, fromRevision: ReadRevision, range: ReadRange): ReadReq {
  const options = createOptions();
  const streamOptions = new messages.ReadReq.Options.StreamOptions();
  streamOptions.setStreamIdentifier(createStreamIdentifier(stream));
  if (fromRevision === 'start') streamOptions.setStart(new shared.Empty());
  else if (fromRevision === 'end') streamOptions.setEnd(new shared.Empty());
  else streamOptions.setRevision(String(fromRevision));
  options.setStream(streamOptions);
  setRange(options, range);
  options.setNoFilter(new shared.Empty());
  return new messages.ReadReq().setOptions(options);
}

/** Returns the request of a subscription to all streams. */
export function createSubscriptionRequest(fromPosition: ReadPosition, filter: Filter | undefined): ReadReq {
  const options = createOptions();
  options.setAll(toAllOptions(fromPosition));
  options.setSubscription(new messages.ReadReq.Options.SubscriptionOptions());
  if (filter) options.setFilter(toFilterOptions(filter));
  else options.setNoFilter(new shared.Empty());
  return new messages.ReadReq().setOptions(options);
}

function createOptions(): ReadReq.Options {
  const options = new messages.ReadReq.Options();
  options.setResolveLinks(false);
  const ids = new messages.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  return options;
}

function toAllOptions(fromPosition: ReadPosition): ReadReq.Options.AllOptions {
  const options = new messages.ReadReq.Options.AllOptions();
  if (fromPosition === 'start') options.setStart(new shared.Empty());
  else if (fromPosition === 'end') options.setEnd(new shared.Empty());
  else {
    const position = new messages.ReadReq.Options.Position();
    position.setCommitPosition(String(fromPosition.commit));
    position.setPreparePosition(String(fromPosition.prepare));
    options.setPosition(position);
  }
  return options;
}

function setRange(options: ReadReq.Options, { maxCount = Number.MAX_SAFE_INTEGER, direction }: ReadRange): void {
  options.setCount(String(maxCount));
  options.setReadDirection(DIRECTIONS[direction ?? 'forwards']);
}

function toFilterOptions(filter: Filter): ReadReq.Options.FilterOptions {
  const expression = new messages.ReadReq.Options.FilterOptions.Expression();
  if ('prefixes' in filter) expression.setPrefixList([...filter.prefixes]);
  if ('regex' in filter) expression.setRegex(filter.regex);
  const options = new messages.ReadReq.Options.FilterOptions();
  if (filter.filterOn === 'streamName') options.setStreamIdentifier(expression);
  else options.setEventType(expression);
  if (typeof filter.maxSearchWindow === 'number') options.setMax(filter.maxSearchWindow);
  else options.setCount(new shared.Empty());
  options.setCheckpointintervalmultiplier(filter.checkpointInterval);
  return options;
}
