// usage: node shot.mjs out-prefix locale width theme who path [script]
import { chromium } from 'playwright-core';
const BASE = process.env.BASE ?? 'http://localhost:8128';
const tokens = {};
async function tokenFor(who) {
  if (who === 'guest') return null;
  if (!tokens[who]) {
    const r = await fetch(`${BASE}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email: `${who}@demo.alpenglow.example`, password: 'alpenglow-demo' }) });
    tokens[who] = (await r.json()).token;
  }
  return tokens[who];
}
export async function withBrowser(fn) { const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic'] }); try { await fn(b); } finally { await b.close(); } }
export async function open(browser, { locale = 'en', width = 1280, theme = 'light', who = 'guest', path = '/' }) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 900 }, colorScheme: theme, locale: locale === 'en' ? 'en-US' : `${locale}-CH`, reducedMotion: 'reduce' });
  await context.addCookies([{ name: 'locale', value: locale, url: BASE }]);
  const token = await tokenFor(who);
  await context.addInitScript(([token]) => { localStorage.setItem('age_ok', 'true'); localStorage.setItem('guidelines_accepted', 'true'); localStorage.setItem('cookie_consent', JSON.stringify({essential:true,analytics:false,date:'2026-11-21T00:00:00Z'})); if (token) localStorage.setItem('vpsAuthToken', token); }, [token]);
  const page = await context.newPage();
  const errors = [];
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') errors.push(m.text()); });
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto(BASE + path);
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(300);
  return { page, context, errors };
}
