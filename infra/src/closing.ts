/** What was opened, to be closed in the opposite order. */
export interface Closing {
  add(close: () => Promise<unknown>): void;
  /** Closes everything added so far, one after the other; what fails to close does not keep the rest open. Resolves with the failures. */
  closeAll(): Promise<readonly unknown[]>;
}

export function createClosing(): Closing {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => closers.push(close),
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop())
        await close().catch((error: unknown) => failures.push(error));
      return failures;
    },
  };
}
