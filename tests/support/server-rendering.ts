import { eventually } from './eventually.ts';

/** A server-rendered page of each front end that has such pages. */
const PAGES = ['/', '/community', '/about'] as const;

/**
 * Waits until the server renders the pages of all front ends. Each front end is rendered by a process that starts with
 * its first page. On a busy machine, pages are sent without their content until then, and only browsers render them.
 */
export async function waitForServerRendering(url: string): Promise<void> {
  for (const page of PAGES)
    await eventually(async () => {
      const html = await (await fetch(`${url}${page}`, { headers: { accept: 'text/html' } })).text();
      if (!html.includes('data-rendered-at')) throw new Error(`The server does not render ${page}`);
    });
}
