/** A stack of resources, which are closed in reverse order of their addition. */
export type ResourceStack = ReturnType<typeof createResourceStack>;

export function createResourceStack() {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add(close: () => Promise<unknown>): void {
      closers.push(close);
    },
    /**
     * Closes all added resources, one after the other. If one fails, the others are still closed. Resolves with the
     * errors.
     */
    async closeAll(): Promise<readonly unknown[]> {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop())
        await close().catch((error: unknown) => failures.push(error));
      return failures;
    },
  };
}
