import { DEMO_META } from './demo-meta.ts';

/** Returns true if the demo accounts exist. The server knows this itself, and the browser reads it from the page. */
export const isDemo = (): boolean =>
  globalThis.alpenglowRendering?.isDemo ?? document.head.querySelector(`meta[name="${DEMO_META}"]`) !== null;
