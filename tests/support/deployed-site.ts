import type { Browser } from 'playwright-core';
import { sharedBrowser } from './browser.ts';
import { startTestProduct, type TestProduct } from './product.ts';
import { DeployedRemotes } from './remotes.ts';
import { closeVisitors } from './test-failures.ts';

/** A running product with its own folder of remotes, so that a test can deploy builds. */
export interface DeployedSite {
  readonly browser: Browser;
  readonly product: TestProduct;
  readonly remotes: DeployedRemotes;
  stop(): Promise<void>;
}

/** Deploys all remotes into a new folder, and starts a product that serves them. */
export async function startDeployedSite(): Promise<DeployedSite> {
  const remotes = await DeployedRemotes.create();
  try {
    const product = await startTestProduct({ mfDir: remotes.mfDir });
    return {
      browser: await sharedBrowser(),
      product,
      remotes,
      async stop() {
        await closeVisitors();
        await product.stop();
        await remotes.remove();
      },
    };
  } catch (error) {
    await remotes.remove();
    throw error;
  }
}
