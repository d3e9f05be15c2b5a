/** The methods of a gRPC channel that show the state of its connection. */
export interface Channel {
  getConnectivityState(tryToConnect: boolean): number;
  /** Calls `onChange` once, when the state is no longer `current`. Throws if the channel is closed. */
  watchConnectivityState(current: number, deadline: number, onChange: () => void): void;
}

/** The numbers with which gRPC reports an open and a closed connection. */
export const READY = 2;
export const SHUTDOWN = 4;

/** The number of lost connections of each channel. Each channel is watched once, because gRPC cannot end a watch. */
const lossesByChannel = new WeakMap<Channel, { count: number }>();

/**
 * Returns a function that returns true if the connection of a channel has broken since now. A call whose last message
 * has arrived does not report this itself.
 */
export function watchConnection(channel: Channel): () => boolean {
  let losses = lossesByChannel.get(channel);
  if (!losses) {
    losses = { count: 0 };
    lossesByChannel.set(channel, losses);
    countLosses(channel, losses);
  }
  const { count } = losses;
  const counted = losses;
  return () => counted.count !== count || channel.getConnectivityState(false) === SHUTDOWN;
}

function countLosses(channel: Channel, losses: { count: number }): void {
  const state = channel.getConnectivityState(false);
  if (state === SHUTDOWN) return;
  channel.watchConnectivityState(state, Infinity, () => {
    if (state === READY) losses.count += 1;
    countLosses(channel, losses);
  });
}
