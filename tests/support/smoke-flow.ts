import type { Page } from 'playwright-core';
import type { Visitor, World } from './people.ts';

/**
 * A short path through a remote that shows whether it works with a shell (`npm run compat`). It uses only pages of this
 * remote, and takes about a second.
 */
export interface SmokeFlow {
  readonly name: string;
  /** Whose session the browser has. Default: a guest without a session. */
  readonly visitor?: Visitor;
  /** Rejects if the remote does not work. */
  run(page: Page, world: World): Promise<void>;
}
