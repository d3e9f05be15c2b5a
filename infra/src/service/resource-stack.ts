/** A stack of open resources, such as connections. They are closed in reverse order. */
export type ResourceStack = ReturnType<typeof createResourceStack>;

export function createResourceStack() {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add(close: () => Promise<unknown>): void {
      closers.push(close);
    },
    /**
     * Closes all resources, one after the other. If closing a resource fails, the remaining resources are still closed.
     * Resolves with the errors.
     */
    async closeAll(): Promise<readonly unknown[]> {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop())
        await close().catch((error: unknown) => failures.push(error));
      return failures;
    },
  };
}
