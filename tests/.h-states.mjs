import { withBrowser, open } from './.h-shot.mjs';
const BASE = 'http://localhost:8128'; const only = process.argv[2] ?? '';
const ad = (await (await fetch(`${BASE}/api/ads?limit=30`)).json()).data.find((a) => a.name !== 'Mara');
await withBrowser(async (b) => {
  const shot = async (name, o, act) => { if (!name.includes(only)) return; try { const { page, context, errors } = await open(b, { width: 390, ...o }); await act?.(page, context); await page.waitForTimeout(400); await page.screenshot({ path: `/tmp/h/shots/st-${name}.png`, fullPage: o.full ?? false }); console.log(name, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), errors.slice(0, 2)); await context.close(); } catch (e) { console.log(name, 'FAILED', String(e).slice(0, 300)); } };
  for (const locale of ['de', 'fr', 'it']) {
    await shot(`age-${locale}`, { locale }, async (p) => { await p.addInitScript(() => { localStorage.removeItem('age_ok'); localStorage.removeItem('guidelines_accepted'); localStorage.removeItem('cookie_consent'); }); await p.reload(); await p.waitForTimeout(600); });
    await shot(`guide-${locale}`, { locale }, async (p) => { await p.addInitScript(() => { localStorage.removeItem('guidelines_accepted'); localStorage.removeItem('cookie_consent'); }); await p.reload(); await p.waitForTimeout(600); });
    await shot(`menu-${locale}`, { locale, who: 'provider' }, async (p) => { await p.getByRole('button', { name: /menu|menü/i }).first().click(); });
    await shot(`filter-${locale}`, { locale, path: '/listings' }, async (p) => { await p.getByRole('button', { name: /filter|filtri|filtres/i }).first().click(); });
    await shot(`own-${locale}`, { locale, who: 'provider', path: '/profile', full: true });
    await shot(`own1280-${locale}`, { locale, who: 'provider', path: '/profile', full: true, width: 1280 });
    await shot(`myads-${locale}`, { locale, who: 'provider', path: '/my-ads', full: true });
    await shot(`delete-${locale}`, { locale, who: 'provider', path: '/profile' }, async (p) => { await p.getByRole('button', { name: /löschen|supprimer|elimina/i }).first().click(); });
    await shot(`post2-${locale}`, { locale, who: 'provider', path: '/post-ad', full: true });
    await shot(`client-ad-${locale}`, { locale, who: 'client', path: `/ad/${ad.id}`, full: true }, async (p) => { await p.getByRole('button', { name: /Kontakt zeigen|Afficher le contact|Mostra il contatto/ }).first().click(); });
    await shot(`login-error-${locale}`, { locale, path: '/login' }, async (p) => { await p.locator('input[type=email]').fill('nobody@example.test'); await p.locator('input[type=password]').fill('wrong-password'); await p.locator('form button[type=submit]').click(); await p.waitForTimeout(800); });
    await shot(`signup-error-${locale}`, { locale, path: '/signup', full: true }, async (p) => { await p.locator('input[type=email]').fill('nobody'); await p.locator('input[type=password]').fill('x'); await p.locator('form button[type=submit]').click(); await p.waitForTimeout(500); });
    await shot(`lang-${locale}`, { locale, width: 1280 }, async (p) => { await p.locator('header').getByText(locale.toUpperCase(), { exact: true }).click(); });
  }
});
