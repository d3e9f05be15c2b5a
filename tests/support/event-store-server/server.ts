import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipMessages from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import * as grpc from '@grpc/grpc-js';
import { createServerLog, type AppendOutcome, type ProposedEvent, type ServerEvent, type ServerLog } from './log.ts';
import {
  nameOf,
  toAppend,
  toAppendResponse,
  toBatchedAppend,
  toBatchResponse,
  toConfirmation,
  toFilter,
  toReadResponse,
  toStreamNotFound,
} from './messages.ts';

type ReadCall = grpc.ServerWritableStream<ReadReq, ReadResp>;
type BatchCall = grpc.ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** An error of a call. `metadata` are the trailers, with which EventStoreDB names the kind of an error. */
export type CallError = Partial<grpc.StatusObject> & Pick<grpc.StatusObject, 'code' | 'details'>;

/** The error of a read at an offset inside a record, as EventStoreDB 23.10 sends it. */
export const INSIDE_RECORD: CallError = {
  code: grpc.status.UNKNOWN,
  details: 'Unexpected ReadAllResult: Error',
};
/** The error with which EventStoreDB ends a subscription whose reader is slower than the new events. */
export const TOO_SLOW: CallError = {
  code: grpc.status.UNKNOWN,
  details: 'Consumer too slow to handle event while live. Client resubscription required.',
};
/** The error of a node while the cluster elects a leader. It has no address. */
export const NO_LEADER: CallError = { code: grpc.status.UNKNOWN, details: 'No leader info available' };
/** The error of a broken connection. */
export const CONNECTION_LOST: CallError = { code: grpc.status.UNAVAILABLE, details: 'Connection dropped' };

/** Returns the error of a node that is not the leader, and knows the address of the leader. */
export function notLeader(port: number): CallError {
  const metadata = new grpc.Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', '127.0.0.1');
  metadata.set('leader-endpoint-port', String(port));
  return { code: grpc.status.NOT_FOUND, details: 'Leader info available', metadata };
}

/** An event that another application writes. */
export type ForeignEvent = Partial<ProposedEvent> & Pick<ServerEvent, 'stream' | 'type'>;

/**
 * What the server does for an append: write it and respond, write it and respond only when `release` is called, or
 * fail.
 */
export type AppendBehavior = 'respond' | 'hold' | CallError;

/**
 * Starts a gRPC server that has the protocol and the observed errors of EventStoreDB, and an own log in memory. It
 * proves nothing about EventStoreDB: it makes each observed error a fast test of the adapter. `log` may belong to
 * another server, so that both are nodes of one cluster.
 */
export async function startEventStoreServer({ log = createServerLog() }: { readonly log?: ServerLog } = {}) {
  const subscriptions = new Set<Subscription>();
  const batchCalls = new Set<BatchCall>();
  /** What the server does. Tests change these values. */
  const behavior = {
    /** Called for each append. */
    onAppend: (_append: { readonly stream: string; readonly isBatched: boolean }): AppendBehavior => 'respond',
    /** Called for each read and subscription. Returns the error with which it fails, or null. */
    onRead: (_options: ReadReq.Options | undefined): CallError | null => null,
    /** True if subscriptions stay open and deliver nothing. */
    isSilent: false,
    /** The error of every request that requires the leader. Null if this node is the leader. */
    leaderError: null as CallError | null,
  };
  /** The responses that wait for `release`. */
  const held: (() => void)[] = [];
  const counts = { appends: 0, batched: 0, reads: 0, subscriptions: 0 };
  const publish = () => subscriptions.forEach((subscription) => subscription.deliver());
  const rejection = ({ metadata }: { readonly metadata: grpc.Metadata }) =>
    metadata.get('requires-leader').length > 0 ? behavior.leaderError : null;

  function write(append: ReturnType<typeof toAppend>): AppendOutcome {
    const outcome = log.append(append.stream, append.required, append.events);
    publish();
    return outcome;
  }

  const service = {
    read(call: ReadCall): void {
      const options = call.request.getOptions();
      if (options?.hasSubscription()) counts.subscriptions += 1;
      else counts.reads += 1;
      const error = rejection(call) ?? behavior.onRead(options) ?? findInvalidStart(log, options);
      if (error !== null) fail(call, error);
      else if (options?.hasSubscription())
        subscriptions.add(startSubscription(log, call, { isSilent: () => behavior.isSilent, subscriptions }));
      else void sendPage(log, call);
    },
    append(call: grpc.ServerReadableStream<AppendReq, AppendResp>, respond: grpc.sendUnaryData<AppendResp>): void {
      counts.appends += 1;
      const received: AppendReq[] = [];
      call.on('data', (request: AppendReq) => received.push(request));
      call.on('error', () => undefined);
      call.on('end', () => {
        const append = toAppend(received);
        const error = rejection(call) ?? behavior.onAppend({ stream: append.stream, isBatched: false });
        if (typeof error === 'object') return respond(error);
        const outcome = write(append);
        const confirm = () => respond(null, toAppendResponse(outcome));
        if (error === 'hold') held.push(confirm);
        else confirm();
      });
    },
    batchAppend(call: BatchCall): void {
      batchCalls.add(call);
      for (const event of ['close', 'cancelled', 'error']) call.on(event, () => batchCalls.delete(call));
      call.on('end', () => call.end());
      call.on('data', (request: BatchAppendReq) => {
        counts.batched += 1;
        const append = toBatchedAppend(request);
        const error = rejection(call) ?? behavior.onAppend({ stream: append.stream, isBatched: true });
        if (typeof error === 'object') return fail(call, error);
        const outcome = write(append);
        const confirm = () => call.write(toBatchResponse(request, outcome));
        if (error === 'hold') held.push(confirm);
        else confirm();
      });
    },
  };

  let server = new grpc.Server();
  let port = 0;
  async function listen(): Promise<void> {
    server = new grpc.Server();
    server.addService(streams.StreamsService, service);
    server.addService(gossip.GossipService, { read: respondWithMembers(() => port) });
    server.addService(features.ServerFeaturesService, { getSupportedMethods: respondWithMethods });
    port = await new Promise((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }
  await listen();

  return {
    log,
    behavior,
    counts,
    subscriptions,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    /** Writes an event as another application does. By default, it is JSON without metadata. */
    writeForeign({ stream, type, ...event }: ForeignEvent): ServerEvent {
      const proposed: ProposedEvent = {
        id: randomUUID(),
        type,
        isJson: true,
        data: Buffer.from('{"order":1}'),
        metadata: Buffer.alloc(0),
        ...event,
      };
      const outcome = log.append(stream, 'any', [proposed]);
      publish();
      if (!outcome.isWritten) throw new Error('An append without a required revision is always written');
      return outcome.last;
    },
    /** Delivers events to subscriptions that another node, or a test, has added to the log. */
    publish,
    heldCount: (): number => held.length,
    /** Sends the responses that were held. */
    release: (): void => held.splice(0).forEach((confirm) => confirm()),
    /** Ends all subscriptions with an error. */
    endSubscriptions: (error: CallError): void => subscriptions.forEach(({ call }) => fail(call, error)),
    /** Ends all batch calls with an error. */
    endBatchCalls: (error: CallError): void => batchCalls.forEach((call) => fail(call, error)),
    /** Breaks all connections, and accepts new ones. */
    async restart(): Promise<void> {
      server.forceShutdown();
      await listen();
    },
    /** Removes the events from an offset on and restarts, like the restore of an older backup. */
    async restore(commit: number): Promise<void> {
      server.forceShutdown();
      log.truncate(commit);
      await listen();
    },
    close: (): void => server.forceShutdown(),
  };
}

export type EventStoreServer = Awaited<ReturnType<typeof startEventStoreServer>>;

interface Subscription {
  readonly call: ReadCall;
  deliver(): void;
}

interface SubscriptionOptions {
  readonly isSilent: () => boolean;
  readonly subscriptions: Set<Subscription>;
}

/** Starts a subscription of all streams, which first delivers the stored events after its start. */
function startSubscription(log: ServerLog, call: ReadCall, { isSilent, subscriptions }: SubscriptionOptions) {
  const options = call.request.getOptions();
  const matches = toFilter(options);
  let last = startOf(options);
  const subscription: Subscription = {
    call,
    deliver() {
      if (isSilent()) return;
      for (const event of log.from(last + 1)) {
        last = event.commit;
        if (matches(event)) call.write(toReadResponse(event));
      }
    },
  };
  for (const event of ['close', 'cancelled', 'error']) call.on(event, () => subscriptions.delete(subscription));
  call.write(toConfirmation());
  subscription.deliver();
  return subscription;
}

/** Sends the events of a read that ends, as fast as the client receives them. */
async function sendPage(log: ServerLog, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  const isBackwards = Number(options?.getReadDirection()) === 1;
  const stream = options?.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : null;
  const due = stream === null ? ofAll(log, options, isBackwards) : ofStream(log, options, stream, isBackwards);
  if (stream !== null && log.ofStream(stream).length === 0) call.write(toStreamNotFound(stream));
  const matches = toFilter(options);
  const ended = new AbortController();
  for (const event of ['close', 'cancelled', 'error']) call.on(event, () => ended.abort());
  let left = Number(options?.getCount() ?? 0);
  for (const event of due) {
    if (left === 0) break;
    if (!matches(event)) continue;
    left -= 1;
    // A message is created only when those before it have been sent. Otherwise, a long read would begin late.
    if (!call.write(toReadResponse(event))) await once(call, 'drain', { signal: ended.signal }).catch(() => undefined);
    if (ended.signal.aborted) return;
  }
  call.end();
}

function ofAll(log: ServerLog, options: ReadReq.Options | undefined, isBackwards: boolean): readonly ServerEvent[] {
  const start = startOf(options);
  return isBackwards ? log.before(start).toReversed() : log.from(start);
}

function ofStream(
  log: ServerLog,
  options: ReadReq.Options | undefined,
  stream: string,
  isBackwards: boolean,
): readonly ServerEvent[] {
  const read = options?.getStream();
  const from = read?.hasRevision() ? Number(read.getRevision()) : read?.hasEnd() ? Infinity : 0;
  const events = log.ofStream(stream);
  return isBackwards
    ? events.filter(({ revision }) => revision <= from).toReversed()
    : events.filter(({ revision }) => revision >= from);
}

/** Returns the offset at which a read of all streams starts. */
function startOf(options: ReadReq.Options | undefined): number {
  const all = options?.getAll();
  return all?.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : all?.hasEnd() ? Infinity : 0;
}

/** Returns the error of a read of all streams whose start is not the beginning of a record. */
function findInvalidStart(log: ServerLog, options: ReadReq.Options | undefined): CallError | null {
  return options?.hasAll() === true && log.isInsideRecord(startOf(options)) ? INSIDE_RECORD : null;
}

function fail(call: ReadCall | BatchCall, error: CallError): void {
  call.emit('error', error);
}

function respondWithMembers(portOf: () => number) {
  return (_call: unknown, respond: grpc.sendUnaryData<InstanceType<typeof gossipMessages.ClusterInfo>>): void => {
    const endPoint = new gossipMessages.EndPoint();
    endPoint.setAddress('127.0.0.1');
    endPoint.setPort(portOf());
    const member = new gossipMessages.MemberInfo();
    const id = new shared.UUID();
    id.setString(randomUUID());
    member.setInstanceId(id);
    member.setTimeStamp('0');
    member.setState(gossipMessages.MemberInfo.VNodeState.LEADER);
    member.setIsAlive(true);
    member.setHttpEndPoint(endPoint);
    const info = new gossipMessages.ClusterInfo();
    info.addMembers(member);
    respond(null, info);
  };
}

function respondWithMethods(
  _call: unknown,
  respond: grpc.sendUnaryData<InstanceType<typeof featureMessages.SupportedMethods>>,
): void {
  const method = new featureMessages.SupportedMethod();
  method.setServiceName('event_store.client.streams.Streams');
  method.setMethodName('BatchAppend');
  const methods = new featureMessages.SupportedMethods();
  methods.setEventStoreServerVersion('23.10.8');
  methods.addMethods(method);
  respond(null, methods);
}
