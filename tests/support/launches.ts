import { afterEach, beforeEach } from 'vitest';
import {
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
  type LaunchOptions,
} from './launched-product.ts';

export interface Launches {
  /** The data folder of the test that runs. */
  readonly dataDir: { readonly path: string };
  /** Launches a product on the data folder of the test. */
  launch(options?: Omit<LaunchOptions, 'dataDir'>): LaunchedProduct;
}

/** Gives each test of a file a data folder, and ends after it whatever it has launched there. */
export function launches(): Launches {
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>;
  let launched: LaunchedProduct[] = [];
  beforeEach(async () => {
    folder = await temporaryDataDir();
    launched = [];
  });
  afterEach(async () => {
    const postgres = await postgresPid(folder.path);
    for (const { process: child } of launched) kill9(child.pid);
    await Promise.all(launched.map((product) => product.ended()));
    kill9(postgres);
    await folder.remove();
  });
  return {
    dataDir: {
      get path() {
        return folder.path;
      },
    },
    launch(options = {}) {
      const product = launchProduct({ dataDir: folder.path, ...options });
      launched.push(product);
      return product;
    },
  };
}

export const groupSignal = (product: LaunchedProduct, name: NodeJS.Signals): boolean =>
  process.kill(-(product.process.pid ?? 0), name);

export async function healthOf(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/health`);
  return (await answer.json()) as unknown;
}
