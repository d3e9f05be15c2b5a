import { withBrowser, open } from './.h-shot.mjs';
const BASE = process.env.BASE ?? 'http://localhost:8128';
const ads = (await (await fetch(`${BASE}/api/ads?limit=3`)).json()).data;
const ad = ads[0].id;
const routes = [
 ['guest', '/'], ['guest', '/listings'], ['guest', '/listings?state=NV&category=massage&q=zzzz'], ['guest', '/city/nv/las-vegas'], ['guest', '/city/atlantis'], ['guest', `/ad/${ad}`], ['guest','/ad/none'],
 ['guest', '/favorites'], ['guest', '/login'], ['guest', '/signup'], ['guest', '/forgot-password'], ['guest', '/reset-password'], ['guest', '/verify-email'], ['guest', '/pricing'], ['guest', '/privacy'], ['guest', '/terms'], ['guest', '/about'],
 ['guest', '/status/front-ends'], ['guest', '/community'], ['guest', '/community/locations'], ['guest', '/community/us'], ['guest', '/community/us/nv'], ['guest', '/community/us/nv/reno'], ['guest', '/community/abc'], ['guest', '/blog'], ['guest', '/blog/reno'], ['guest', '/admin'], ['guest','/post-ad'], ['guest','/profile'],
 ['client', '/profile'], ['client', '/favorites'], ['client', '/post-ad'], ['client', `/ad/${ad}`], ['client','/dashboard'], ['client','/my-ads'],
 ['provider', '/dashboard'], ['provider', '/my-ads'], ['provider', '/profile'], ['provider', '/post-ad'], ['provider', '/favorites'], ['admin', '/admin'],
];
const only = process.argv[2]; const locales = (process.argv[3] ?? 'de,fr,it').split(','); const widths = (process.argv[4] ?? '390,1280').split(',').map(Number);
const lines = (page) => page.evaluate(() => { const out = new Set(); const w = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); while (w.nextNode()) { const n = w.currentNode; const e = n.parentElement; if (!e || ['SCRIPT','STYLE','NOSCRIPT'].includes(e.tagName) || e.closest('noscript')) continue; const t = n.textContent.trim(); if (/[a-z]{2}/i.test(t)) out.add(t); } for (const e of document.querySelectorAll('[aria-label],[title],[placeholder],img[alt]')) for (const a of ['aria-label','title','placeholder','alt']) { const t = e.getAttribute(a); if (t && /[a-z]{2}/i.test(t)) out.add(`@${a} ${t}`); } return [...out]; });
const checks = (page) => page.evaluate(() => { const out = []; const over = document.documentElement.scrollWidth - innerWidth; if (over > 0) { out.push(`overflow ${over}px`); for (const e of document.querySelectorAll('body *')) { const r = e.getBoundingClientRect(); if (r.right > innerWidth + 1 && r.width > 0 && !e.closest('[class*=scroll],[class*=rail],[class*=strip]')) { out.push(`  wide: ${e.tagName}.${e.className?.toString().slice(0,60)} "${e.textContent.trim().slice(0,40)}"`); if (out.length > 5) break; } } }
 for (const e of document.querySelectorAll('body *')) { const s = getComputedStyle(e); if (e.clientWidth > 4 && e.scrollWidth > e.clientWidth + 1 && (s.overflowX === 'hidden' || s.overflowX === 'clip') && e.textContent.trim() && !e.querySelector('img,video') && s.position !== 'absolute' && s.clipPath === 'none') out.push(`clipped: ${e.tagName}.${e.className?.toString().slice(0,50)} "${e.textContent.trim().slice(0,60)}"`); }
 for (const e of document.querySelectorAll('button,a')) { const r = e.getBoundingClientRect(); if (r.width > 0 && e.tagName === 'BUTTON' && e.scrollWidth > e.clientWidth + 1) out.push(`button spills: "${e.textContent.trim().slice(0,40)}"`); }
 return [...new Set(out)].slice(0, 12); });
await withBrowser(async (b) => {
  for (const [who, path] of routes) {
    if (only && only !== 'all' && !`${who} ${path}`.includes(only)) continue;
    const e = await open(b, { who, path, width: 1280 }); const english = new Set(await lines(e.page)); await e.context.close();
    for (const locale of locales) for (const width of widths) {
      try {
      const { page, context, errors } = await open(b, { who, path, width, locale });
      const html = await (await fetch(BASE + path, { headers: { cookie: `locale=${locale}`, accept: 'text/html' } })).text();
      const t1 = /<title>(.*?)<\/title>/.exec(html)?.[1].replaceAll('&amp;', '&').replaceAll('&#39;', '’'); const t2 = await page.title();
      const name = `${who}${path.replaceAll(/[^\w]+/g, '_')}-${locale}-${width}`;
      const same = width === widths[0] ? (await lines(page)).filter((t) => english.has(t) && / |@/.test(t)) : [];
      const found = await checks(page);
      await page.screenshot({ path: `/tmp/h/shots/${name}.png`, fullPage: true });
      if (same.length || found.length || errors.length || (t1 !== t2 && who === 'guest')) console.log(`## ${name}\n` + [...(t1 !== t2 && who === 'guest' ? [`title "${t1}" → "${t2}"`] : []), ...found, ...errors.slice(0, 3).map((x) => 'console: ' + x), ...(same.length ? ['same as English: ' + same.map((x) => x.slice(0, 60)).slice(0, 14).join(' | ')] : [])].join('\n'));
      await context.close();
      } catch (error) { console.log('## failed', who, path, locale, width, String(error).slice(0, 200)); }
    }
  }
});
