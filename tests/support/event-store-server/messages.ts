import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import messages, {
  type AppendReq,
  type AppendResp,
  type BatchAppendReq,
  type BatchAppendResp,
  type ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ProposedEvent, RequiredRevision, ServerEvent } from './log.ts';

/** The parts of the result of an append that its response contains. */
export type ReportedOutcome =
  | { readonly isWritten: true; readonly last: Pick<ServerEvent, 'revision' | 'commit' | 'prepare'> }
  | { readonly isWritten: false; readonly current: number };

/** Returns the name of a stream in a request. */
export function nameOf(identifier: InstanceType<typeof shared.StreamIdentifier> | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
}

function toProposedEvent(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedEvent {
  const fields = message.getMetadataMap();
  return {
    id: message.getId()?.getString() ?? '',
    type: fields.get('type') ?? '',
    isJson: fields.get('content-type') === 'application/json',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
}

/** Returns the append that the messages of a separate call contain. */
export function toAppend(received: readonly AppendReq[]) {
  const options = received[0]?.getOptions();
  const required: RequiredRevision = options?.hasRevision()
    ? Number(options.getRevision())
    : options?.hasAny()
      ? 'any'
      : -1;
  return {
    stream: nameOf(options?.getStreamIdentifier()),
    required,
    events: received
      .slice(1)
      .flatMap((request) => request.getProposedMessage() ?? [])
      .map(toProposedEvent),
  };
}

/** Returns the append that a message of a batch call contains. */
export function toBatchedAppend(request: BatchAppendReq) {
  const options = request.getOptions();
  const required: RequiredRevision = options?.hasStreamPosition()
    ? Number(options.getStreamPosition())
    : options?.hasAny()
      ? 'any'
      : -1;
  return {
    stream: nameOf(options?.getStreamIdentifier()),
    required,
    events: request.getProposedMessagesList().map(toProposedEvent),
  };
}

export function toAppendResponse(outcome: ReportedOutcome): AppendResp {
  const response = new messages.AppendResp();
  if (outcome.isWritten) {
    const success = new messages.AppendResp.Success();
    success.setCurrentRevision(String(outcome.last.revision));
    const position = new messages.AppendResp.Position();
    position.setCommitPosition(String(outcome.last.commit));
    position.setPreparePosition(String(outcome.last.prepare));
    return response.setSuccess(success.setPosition(position));
  }
  const conflict = new messages.AppendResp.WrongExpectedVersion();
  if (outcome.current >= 0) conflict.setCurrentRevision(String(outcome.current));
  else conflict.setCurrentNoStream(new shared.Empty());
  conflict.setExpectedNoStream(new shared.Empty());
  return response.setWrongExpectedVersion(conflict);
}

/** Returns a response to a batched append, without a result. */
export function toUnresolvedBatchResponse(request: BatchAppendReq): BatchAppendResp {
  const response = new messages.BatchAppendResp();
  response.setCorrelationId(request.getCorrelationId());
  return response.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
}

export function toBatchResponse(request: BatchAppendReq, outcome: ReportedOutcome): BatchAppendResp {
  const response = toUnresolvedBatchResponse(request);
  if (!outcome.isWritten) return response.setError(toBatchError('WrongExpectedVersion'));
  const success = new messages.BatchAppendResp.Success();
  success.setCurrentRevision(String(outcome.last.revision));
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(outcome.last.commit));
  position.setPreparePosition(String(outcome.last.prepare));
  return response.setSuccess(success.setPosition(position));
}

/** Returns an error of a batched append. `type` is the name of its details in the protocol of the server. */
export function toBatchError(type: string): InstanceType<typeof statuses.Status> {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
  const details = field(1, Buffer.from(`type.googleapis.com/event_store.client.${type}`));
  return statuses.Status.deserializeBinary(Buffer.concat([field(2, Buffer.from(type)), field(3, details)]));
}

export function toReadResponse(stored: ServerEvent): ReadResp {
  const { id, stream, revision, type, isJson, data, metadata, commit, prepare } = stored;
  const event = new messages.ReadResp.ReadEvent.RecordedEvent();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  event.setStreamIdentifier(identifier);
  const uuid = new shared.UUID();
  uuid.setString(id);
  event.setId(uuid);
  event.setStreamRevision(String(revision));
  event.setCommitPosition(String(commit));
  event.setPreparePosition(String(prepare));
  const contentType = isJson ? 'application/json' : 'application/octet-stream';
  event.getMetadataMap().set('type', type).set('content-type', contentType).set('created', '0');
  event.setData(data);
  event.setCustomMetadata(metadata);
  const read = new messages.ReadResp.ReadEvent();
  read.setEvent(event);
  return new messages.ReadResp().setEvent(read);
}

export function toConfirmation(): ReadResp {
  const confirmation = new messages.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(crypto.randomUUID());
  return new messages.ReadResp().setConfirmation(confirmation);
}

export function toStreamNotFound(stream: string): ReadResp {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  const notFound = new messages.ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(identifier);
  return new messages.ReadResp().setStreamNotFound(notFound);
}

/** Returns the test of the filter of a request. */
export function toFilter(options: ReadReq.Options | undefined): (event: ServerEvent) => boolean {
  const filter = options?.getFilter();
  if (!filter) return () => true;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const textOf = filter.hasStreamIdentifier() ? ({ stream }: ServerEvent) => stream : ({ type }: ServerEvent) => type;
  const prefixes = expression?.getPrefixList() ?? [];
  // The escapes of the adapter suit the regular expressions of .NET. With the flag `u`, JavaScript rejects some.
  const pattern = new RegExp(expression?.getRegex() ?? '');
  return (event) => {
    const text = textOf(event);
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  };
}
