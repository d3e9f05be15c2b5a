// @ts-check
/**
 * The first script of a page of a deployed site that shows a remote of a development server (`npm run dev:in`). The
 * shell of that site is unchanged: it uses a container that already exists instead of loading its entry. This script
 * defines such a container, which loads the entry of the development server when the shell uses it. `CONTAINER` is
 * replaced by the name of the container (shell/build/preset.mjs).
 */
(() => {
  const { currentScript } = document;
  if (!(currentScript instanceof HTMLScriptElement)) return;
  const files = new URL('.', currentScript.src).href;
  const entry = `${files}remote-entry.js`;
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('alpenglow-remotes', {
    createScriptURL: (/** @type {string} */ url) => url,
  });
  const page = /** @type {Record<string, any>} */ (globalThis);

  /** @type {Promise<any> | undefined} */
  let loading;
  const load = () =>
    (loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = policy ? policy.createScriptURL(entry) : entry;
      script.crossOrigin = 'anonymous';
      // The entry replaces this container.
      script.onload = () => resolve(page['CONTAINER']);
      script.onerror = () => {
        loading = undefined;
        reject(new Error(`${entry} was not loaded`));
      };
      document.head.append(script);
    }));
  page['CONTAINER'] = {
    init: async (/** @type {unknown[]} */ ...args) => (await load()).init(...args),
    get: async (/** @type {string} */ name) => (await load()).get(name),
  };

  // The files of the development server change with each edit, so they have no integrity values.
  /** @type {((url: string) => string) | undefined} */
  let integrityOf;
  Object.defineProperty(globalThis, 'alpenglowIntegrity', {
    configurable: true,
    get: () => (/** @type {string} */ url) => (url.startsWith(files) ? '' : (integrityOf?.(url) ?? '')),
    set: (value) => {
      integrityOf = value;
    },
  });
})();
