import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { apiClient, type ApiClient } from './api.ts';
import { createTestPool } from './database.ts';
import { openMailboxes, type Mailboxes } from './inbox.ts';
import { startTestProduct, type ProductOptions, type TestProduct } from './product.ts';
import { openRecording, type Recording } from './recording.ts';

/**
 * Opens what most test files need, such as a product and its API client, before the tests of a file or group. Closes it
 * after them, in reverse order. The returned objects can be used in tests, and in each later `beforeAll` of the file.
 */

/** Opens a resource before the tests of the current file or group, and closes it after them. */
function opened<Resource extends object>(
  open: () => Resource | Promise<Resource>,
  close: (resource: Resource) => unknown,
): Resource {
  let current: Resource | undefined;
  beforeAll(async () => {
    current = await open();
  });
  afterAll(async () => {
    const last = current;
    current = undefined;
    if (last) await close(last);
  });
  return proxyToCurrent(() => {
    if (!current) throw new Error('This is only open while tests run');
    return current;
  });
}

/** Returns an object that forwards each use of a property to the object that `find` returns at that moment. */
function proxyToCurrent<Target extends object>(find: () => Target): Target {
  return new Proxy({} as Target, {
    get(_, name) {
      const target = find();
      const value: unknown = Reflect.get(target, name);
      const isMethod = typeof value === 'function' && !Object.hasOwn(target, name);
      return isMethod ? (value.bind(target) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(find(), name, value),
    has: (_, name) => Reflect.has(find(), name),
  });
}

/** Starts a product, see `startTestProduct`. Options that another fixture determines are given as a function. */
export function testProduct(options: ProductOptions | (() => ProductOptions) = {}): TestProduct {
  return opened(
    () => startTestProduct(typeof options === 'function' ? options() : options),
    (product) => product.stop(),
  );
}

/** Returns a client of the API of a product. */
export function testApi(product: TestProduct): ApiClient {
  let client: ApiClient | undefined;
  return proxyToCurrent(() => (client ??= apiClient(product.url)));
}

/** Opens connections to the database of a product. */
export function testPool(product: TestProduct, max?: number): Pool {
  return opened(
    () => createTestPool(product.databaseUrl, max),
    (pool) => pool.end(),
  );
}

/** Opens a recording, which writes to the event store of a product. */
export function testRecording(product: TestProduct): Recording {
  return opened(
    () => openRecording(product),
    (recording) => recording.close(),
  );
}

/** Opens the mailboxes of all people to whom a product sends mail. */
export function testMailboxes(product: TestProduct): Mailboxes {
  return opened(
    () => openMailboxes(product),
    (mailboxes) => mailboxes.close(),
  );
}
