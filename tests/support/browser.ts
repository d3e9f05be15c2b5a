import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

const CANDIDATES = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts the system's Chromium. Throws with what to install where there is none: browser tests are never skipped. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((candidate) => candidate !== undefined && existsSync(candidate));
  if (executablePath === undefined) throw new Error('Chromium was not found. Install it (Debian: apt-get install chromium) or name it in CHROMIUM_PATH.');
  return chromium.launch({
    executablePath,
    args: ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/** A visitor who has passed the gates and chosen their cookies. */
export async function returningVisitor(browser: Browser, baseURL: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL });
  await context.addInitScript(() => {
    localStorage.setItem('age_ok', 'true');
    localStorage.setItem('guidelines_accepted', 'true');
    localStorage.setItem('cookie_consent', JSON.stringify({ essential: true, analytics: false, date: '2026-01-01T00:00:00.000Z' }));
  });
  return context;
}
