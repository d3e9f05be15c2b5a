interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Patches the Kafka library kafkajs, so that a connection checks for waiting requests only while requests are waiting.
 * Unpatched, every open connection checks a thousand times a second (kafkajs issue 1704). These checks cost each
 * process about three percent of a processor.
 */
export async function patchRequestQueue(): Promise<void> {
  // @ts-expect-error This module is internal to kafkajs and has no types. The version is pinned, and a test fails if
  // the module changes.
  const { default: Queue } = (await import('kafkajs/src/network/requestQueue/index.js')) as {
    default: { readonly prototype: RequestQueue & { readonly isPatched?: true } };
  };
  const { prototype } = Queue;
  if (prototype.isPatched) return;
  const check = prototype.scheduleCheckPendingRequests;
  Object.assign(prototype, {
    isPatched: true,
    scheduleCheckPendingRequests(this: RequestQueue) {
      // An empty queue needs no check, because every request that is added to the queue schedules a check.
      if (this.pending.length > 0) check.call(this);
    },
  });
}
