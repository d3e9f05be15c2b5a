interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Lets connections of kafkajs look for waiting requests only while some wait. By itself it looks a thousand times a second on every
 * connection, for as long as it is open (its issue 1704), which costs each process about three per cent of a processor.
 */
export async function lookOnlyWhileRequestsWait(): Promise<void> {
  // @ts-expect-error Not part of what kafkajs offers. Its version is pinned, and a test says when this is no longer there.
  const { default: Queue } = (await import('kafkajs/src/network/requestQueue/index.js')) as {
    default: { readonly prototype: RequestQueue & { readonly isPatient?: true } };
  };
  const { prototype } = Queue;
  if (prototype.isPatient) return;
  const look = prototype.scheduleCheckPendingRequests;
  Object.assign(prototype, {
    isPatient: true,
    scheduleCheckPendingRequests(this: RequestQueue) {
      // Whatever comes to wait asks for the next look itself.
      if (this.pending.length > 0) look.call(this);
    },
  });
}
