interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Patches kafkajs so that a connection checks for waiting requests only while there are some. By default, it checks a
 * thousand times a second on every open connection (kafkajs issue 1704). These checks cost each process about three
 * percent of a processor.
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
      // An empty queue needs no check, because a request that begins to wait schedules the next one.
      if (this.pending.length > 0) check.call(this);
    },
  });
}
